package builtin

import (
	"net/netip"
	"strconv"
	"strings"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// protocols are those that Java's URL knows.
var protocols = map[string]bool{"http": true, "https": true, "ftp": true, "file": true, "jar": true, "mailto": true}

func resolveParseURL(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, textParam, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: stringType, New: safe(textOf(func(dst []byte, args []*stream.Vec, i int) ([]byte, bool) {
		u, ok := parseURL(string(args[0].Bytes(i)))
		if !ok {
			return dst, false
		}
		part := string(args[1].Bytes(i))
		if len(args) == 3 {
			if part != "QUERY" {
				return dst, false
			}
			return appendQueryValue(dst, u.query.text, string(args[2].Bytes(i)))
		}
		return u.append(dst, part)
	}))}, nil
}

// urlPart is a part of a URL, which may be missing.
type urlPart struct {
	text  string
	there bool
}

// javaURL has the parts of a URL as java.net.URL has them: as written, nothing is decoded.
type javaURL struct {
	protocol, host, path            string
	authority, userInfo, query, ref urlPart
}

// parseURL takes a URL apart.
func parseURL(s string) (u javaURL, ok bool) {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
	if len(s) >= 4 && strings.EqualFold(s[:4], "url:") {
		s = s[4:]
	}
	colon := strings.IndexAny(s, ":/")
	if colon < 0 || s[colon] != ':' {
		return u, false
	}
	if u.protocol = strings.ToLower(s[:colon]); !protocols[u.protocol] {
		return u, false
	}
	rest, after, found := strings.Cut(s[colon+1:], "#")
	if u.protocol != "mailto" {
		u.ref = urlPart{after, found}
	}
	rest, after, found = strings.Cut(rest, "?")
	u.query = urlPart{after, found}
	if u.protocol == "mailto" {
		if last := strings.LastIndexByte(after, '?'); last >= 0 {
			rest, u.query.text = rest+"?"+after[:last], after[last+1:]
		}
		u.path = rest
		return u, rest != "" || found
	}
	if strings.HasPrefix(rest, "//") && !strings.HasPrefix(rest, "////") {
		slash := strings.IndexByte(rest[2:], '/')
		if slash < 0 {
			slash = len(rest) - 2
		}
		u.authority = urlPart{rest[2 : 2+slash], true}
		if rest = rest[2+slash:]; !u.readAuthority() {
			return u, false
		}
	}
	if u.path = rest; u.authority.there && rest != "" && rest[0] != '/' {
		u.path = "/" + rest
	}
	return u, true
}

// readAuthority takes [user@]host[:port] apart. With more than one @ there is no host.
func (u *javaURL) readAuthority() bool {
	host := u.authority.text
	if user, behind, found := strings.Cut(host, "@"); found {
		if strings.Contains(behind, "@") {
			return true
		}
		u.userInfo, host = urlPart{user, true}, behind
	}
	port := ""
	if strings.HasPrefix(host, "[") {
		end := strings.IndexByte(host, ']')
		if end <= 2 {
			return false
		}
		if a, err := netip.ParseAddr(host[1:end]); err != nil || !a.Is6() {
			return false
		}
		host, port = host[:end+1], host[end+1:]
		if port != "" && port[0] != ':' {
			return false
		}
		port = strings.TrimPrefix(port, ":")
	} else {
		host, port, _ = strings.Cut(host, ":")
	}
	u.host = host
	if port == "" {
		return true
	}
	n, err := strconv.ParseInt(port, 10, 32)
	return err == nil && n >= -1
}

func (u *javaURL) append(dst []byte, part string) ([]byte, bool) {
	p := urlPart{there: true}
	switch part {
	case "HOST":
		p.text = u.host
	case "PATH":
		p.text = u.path
	case "QUERY":
		p = u.query
	case "REF":
		p = u.ref
	case "PROTOCOL":
		p.text = u.protocol
	case "FILE":
		if p.text = u.path; u.query.there {
			p.text += "?" + u.query.text
		}
	case "USERINFO":
		p = u.userInfo
	case "AUTHORITY":
		p = u.authority
	default:
		return dst, false
	}
	return append(dst, p.text...), p.there
}

// appendQueryValue appends the first value of a key, as written.
func appendQueryValue(dst []byte, query, key string) ([]byte, bool) {
	for pair := range strings.SplitSeq(query, "&") {
		if value, ok := strings.CutPrefix(pair, key+"="); ok {
			return append(dst, value...), true
		}
	}
	return dst, false
}
