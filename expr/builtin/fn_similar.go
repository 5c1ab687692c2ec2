package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/expr/javaregex"
	"streamsql/stream"
	"streamsql/types"
)

func resolveSimilar(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, textParam, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	escape := rune(-1)
	if len(args) == 3 {
		s, ok := constText(lits, 2)
		if !ok || utf8.RuneCountInString(s) != 1 {
			return expr.Resolution{}, errors.New("expects one literal ESCAPE character")
		}
		escape, _ = utf8.DecodeRuneInString(s)
	}
	if s, ok := constText(lits, 1); ok {
		if _, err := compileSimilar(s, escape); err != nil {
			return expr.Resolution{}, err
		}
	}
	return expr.Resolution{Args: to, Result: like(boolType, args), CanFail: true, New: func() expr.Kernel {
		var text []byte
		var m javaregex.Matcher
		var re *javaregex.Regexp
		var bad error
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			return each(rows, func(i int) error {
				if !isValid(out, i) {
					return nil
				}
				if b := args[1].Bytes(i); re == nil && bad == nil || !bytes.Equal(b, text) {
					text = append(text[:0], b...)
					re, bad = compileSimilar(string(b), escape)
				}
				err := bad
				if err == nil {
					var found bool
					found, err = m.Match(re, args[0].Bytes(i))
					out.SetBool(i, found)
				}
				if err != nil {
					return &expr.RowError{Row: i, Msg: err.Error()}
				}
				return nil
			})
		}
	}}, nil
}

// The characters that mean something in SQL's regular expressions, and in Java's.
const (
	similarSpecials = "[]()|^-+*_%?{}"
	javaSpecials    = "[]()|^-+*?{}$\\."
)

// similarClasses are the classes with names of SQL.
var similarClasses = map[string]string{
	"alpha": `\p{Alpha}`, "upper": `\p{Upper}`, "lower": `\p{Lower}`, "digit": `\d`, "space": " ", "whitespace": `\s`, "alnum": `\p{Alnum}`,
}

// compileSimilar translates an SQL regular expression. A backslash and a dollar sign
// stand for themselves; a point matches any character, as in Flink.
func compileSimilar(s string, escape rune) (*javaregex.Regexp, error) {
	bad := fmt.Errorf("'%s' is no regular expression", s)
	var b strings.Builder
	b.WriteString(`\A(?:`)
	class := false
	for rest := s; rest != ""; {
		r, w := utf8.DecodeRuneInString(rest)
		name, behind, named := strings.Cut(strings.TrimPrefix(rest, "[:"), ":]")
		next := rest[w:]
		switch {
		case r == escape:
			c, w := utf8.DecodeRuneInString(next)
			if next == "" || c != escape && !strings.ContainsRune(similarSpecials, c) {
				return nil, bad
			}
			if strings.ContainsRune(javaSpecials, c) {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
			next = next[w:]
		case class && named && strings.HasPrefix(rest, "[:"):
			java, known := similarClasses[strings.ToLower(name)]
			if !known || name != strings.ToLower(name) && name != strings.ToUpper(name) {
				return nil, bad
			}
			b.WriteString(java)
			next = behind
		case r == ']' && !class, class && r != ']' && r != '-' && r != '^' && strings.ContainsRune(similarSpecials, r):
			return nil, bad
		case r == ']' || r == '[':
			class = r == '['
			b.WriteRune(r)
		case r == '_' && !class:
			b.WriteByte('.')
		case r == '%' && !class:
			b.WriteString("(?s:.*)")
		case r == '\\' || r == '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		rest = next
	}
	b.WriteString(`)\z`)
	re, err := javaregex.Compile(b.String())
	var unsupported *javaregex.UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		return nil, err
	case err != nil || class:
		return nil, bad
	}
	return re, nil
}
