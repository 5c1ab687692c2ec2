package builtin

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"streamsql/stream"
)

// appendUpper appends b in upper case, with the full mappings of Unicode: ß
// becomes SS.
func appendUpper(dst, b []byte) []byte {
	dst, i := appendCase(dst, b, 'a')
	for i < len(b) {
		c := b[i]
		if c < utf8.RuneSelf {
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, w := utf8.DecodeRune(b[i:])
		switch special := upperSpecial(r); {
		case special != "":
			dst = append(dst, special...)
		case r == utf8.RuneError && w == 1:
			dst = append(dst, c)
		default:
			dst = utf8.AppendRune(dst, unicode.ToUpper(r))
		}
		i += w
	}
	return dst
}

// upperSpecial returns the upper case of characters that become several.
func upperSpecial(r rune) string {
	if r >= 0x1F80 && r <= 0x1FAF {
		base := [...]rune{0x1F08, 0x1F28, 0x1F68}[(r-0x1F80)>>4]
		return string([]rune{base + r&7, 0x399})
	}
	return upperSequences[r]
}

// upperSequences are the unconditional mappings to several characters.
var upperSequences = map[rune]string{
	'ß': "SS", 'ŉ': "ʼN", 'ǰ': "J̌", 'ΐ': "Ϊ́", 'ΰ': "Ϋ́", 'և': "ԵՒ", 'ẖ': "H̱", 'ẗ': "T̈", 'ẘ': "W̊", 'ẙ': "Y̊", 'ẚ': "Aʾ",
	'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL", 'ﬅ': "ST", 'ﬆ': "ST",
	'ﬓ': "ՄՆ", 'ﬔ': "ՄԵ", 'ﬕ': "ՄԻ", 'ﬖ': "ՎՆ", 'ﬗ': "ՄԽ",
	0x1F50: "\u03A5\u0313", 0x1F52: "\u03A5\u0313\u0300", 0x1F54: "\u03A5\u0313\u0301", 0x1F56: "\u03A5\u0313\u0342",
	0x1FB2: "\u1FBA\u0399", 0x1FB3: "\u0391\u0399", 0x1FB4: "\u0386\u0399", 0x1FB6: "\u0391\u0342", 0x1FB7: "\u0391\u0342\u0399", 0x1FBC: "\u0391\u0399",
	0x1FC2: "\u1FCA\u0399", 0x1FC3: "\u0397\u0399", 0x1FC4: "\u0389\u0399", 0x1FC6: "\u0397\u0342", 0x1FC7: "\u0397\u0342\u0399", 0x1FCC: "\u0397\u0399",
	0x1FD2: "\u0399\u0308\u0300", 0x1FD3: "\u0399\u0308\u0301", 0x1FD6: "\u0399\u0342", 0x1FD7: "\u0399\u0308\u0342",
	0x1FE2: "\u03A5\u0308\u0300", 0x1FE3: "\u03A5\u0308\u0301", 0x1FE4: "\u03A1\u0313", 0x1FE6: "\u03A5\u0342", 0x1FE7: "\u03A5\u0308\u0342",
	0x1FF2: "\u1FFA\u0399", 0x1FF3: "\u03A9\u0399", 0x1FF4: "\u038F\u0399", 0x1FF6: "\u03A9\u0342", 0x1FF7: "\u03A9\u0342\u0399", 0x1FFC: "\u03A9\u0399",
}

// appendLower appends b in lower case: İ becomes i with a dot above, Σ at the end of
// a word ς.
func appendLower(dst, b []byte) []byte {
	dst, i := appendCase(dst, b, 'A')
	for i < len(b) {
		c := b[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, w := utf8.DecodeRune(b[i:])
		switch {
		case r == 'İ':
			dst = append(dst, "i\u0307"...)
		case r == 'Σ' && isFinal(b[:i], b[i+w:]):
			dst = append(dst, "ς"...)
		case r == utf8.RuneError && w == 1:
			dst = append(dst, c)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
		i += w
	}
	return dst
}

// isFinal reports whether a sigma between two texts ends a word: a letter with case
// stands before it and none behind.
func isFinal(before, behind []byte) bool {
	for len(before) > 0 {
		r, w := utf8.DecodeLastRune(before)
		before = before[:len(before)-w]
		if ignoresCase(r) {
			continue
		}
		if !hasCase(r) {
			return false
		}
		for len(behind) > 0 {
			r, w := utf8.DecodeRune(behind)
			behind = behind[w:]
			if !ignoresCase(r) {
				return !hasCase(r)
			}
		}
		return true
	}
	return false
}

func hasCase(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r)
}

func ignoresCase(r rune) bool {
	return r == '\'' || r == '.' || r == ':' || r == '^' || r == '`' || r == '\u00B7' || r == '\u2019' ||
		unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// appendInitcap capitalises words of ASCII letters and digits; every other byte
// ends a word.
func appendInitcap(dst, b []byte) []byte {
	start := true
	for _, c := range b {
		lower, upper := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z'
		switch {
		case start && lower:
			dst = append(dst, c-'a'+'A')
		case !start && upper:
			dst = append(dst, c-'A'+'a')
		default:
			dst = append(dst, c)
		}
		start = !lower && !upper && (c < '0' || c > '9')
	}
	return dst
}

// appendUnits appends UTF-16 units to dst as u.
func appendUnits(u []uint16, b []byte) []uint16 {
	for len(b) > 0 {
		r, w := utf8.DecodeRune(b)
		u = utf16.AppendRune(u, r)
		b = b[w:]
	}
	return u
}

// appendUTF16 appends UTF-16 units as text; half of a pair becomes a question mark,
// as when Java writes it.
func appendUTF16(dst []byte, u []uint16) []byte {
	for i := 0; i < len(u); i++ {
		r := rune(u[i])
		if !utf16.IsSurrogate(r) {
			dst = utf8.AppendRune(dst, r)
			continue
		}
		if i+1 < len(u) {
			if p := utf16.DecodeRune(r, rune(u[i+1])); p != unicode.ReplacementChar {
				dst = utf8.AppendRune(dst, p)
				i++
				continue
			}
		}
		dst = append(dst, '?')
	}
	return dst
}

// padder is LPAD or RPAD; it keeps buffers for texts that are not ASCII.
type padder struct {
	left      bool
	s, pad, o []uint16
}

func (p *padder) append(dst []byte, args []*stream.Vec, i int) ([]byte, bool) {
	s, n, pad := args[0].Bytes(i), integerAt(args[1], i), args[2].Bytes(i)
	if n < 0 || len(pad) == 0 {
		return dst, false
	}
	if isASCII(s) && isASCII(pad) {
		return appendPadded(dst, s, int(n), pad, p.left), true
	}
	p.s, p.pad = appendUnits(p.s[:0], s), appendUnits(p.pad[:0], pad)
	p.o = appendPadded(p.o[:0], p.s, int(n), p.pad, p.left)
	return appendUTF16(dst, p.o), true
}

func appendPadded[T byte | uint16](dst, s []T, n int, pad []T, left bool) []T {
	fill := n - len(s)
	if fill <= 0 {
		return append(dst, s[:n]...)
	}
	if !left {
		dst = append(dst, s...)
	}
	for ; fill > 0; fill -= len(pad) {
		dst = append(dst, pad[:min(fill, len(pad))]...)
	}
	if left {
		dst = append(dst, s...)
	}
	return dst
}
