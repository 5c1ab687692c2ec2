package builtin

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// charset is an encoding of text as bytes.
type charset struct {
	limit    rune // of the encodings with one byte a character
	width    int  // 2: UTF-16, 4: UTF-32
	little   bool
	mark     bool             // a byte order mark is written and read
	page     *charmap.Charmap // the characters of an encoding with one byte a character
	controls bool             // what page has no characters for are control characters
}

// charsets are the encodings by their names in lower case.
var charsets = withPages(map[string]charset{
	"utf-8": {}, "utf8": {},
	"us-ascii": {limit: 0x80}, "ascii": {limit: 0x80}, "iso646-us": {limit: 0x80}, "646": {limit: 0x80},
	"iso-8859-1": {limit: 0x100}, "latin1": {limit: 0x100}, "iso_8859-1": {limit: 0x100}, "iso8859_1": {limit: 0x100}, "iso8859-1": {limit: 0x100}, "8859_1": {limit: 0x100}, "l1": {limit: 0x100}, "cp819": {limit: 0x100},
	"utf-16": {width: 2, mark: true}, "utf16": {width: 2, mark: true}, "utf-16be": {width: 2}, "utf-16le": {width: 2, little: true},
	"utf-32": {width: 4}, "utf32": {width: 4}, "utf-32be": {width: 4}, "utf-32le": {width: 4, little: true},
})

// charsetCache finds the charset of each row; the last one is kept.
type charsetCache struct {
	name string
	set  charset
	ok   bool
}

func (c *charsetCache) at(v *stream.Vec, i int) (charset, error) {
	if name := v.Bytes(i); !c.ok || string(name) != c.name {
		c.name = string(name)
		c.set, c.ok = charsets[strings.ToLower(c.name)]
	}
	if !c.ok {
		return charset{}, &expr.RowError{Row: i, Msg: fmt.Sprintf("character set '%s' is not known", c.name),
			Hint: "use UTF-8, US-ASCII, an ISO-8859, windows-125x or IBM code page, UTF-16 or UTF-32"}
	}
	return c.set, nil
}

func charsetFunctions() []*expr.Function {
	bytesParam := param{"bytes", types.Type.IsBytes, types.Type{}}
	coder := func(result types.Type, first param, f func(s charset, dst, b []byte) []byte) resolve {
		return func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
			to, err := take(args, 2, first, textParam)
			if err != nil {
				return expr.Resolution{}, err
			}
			return expr.Resolution{Args: to, Result: like(result, args), CanFail: true, New: func() expr.Kernel {
				var cache charsetCache
				return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
					eachText(out, rows, func(i int) {
						set, err := cache.at(args[1], i)
						if err != nil {
							if failed == nil {
								failed = err
							}
							return
						}
						out.Data = f(set, out.Data, args[0].Bytes(i))
					})
					return failed
				}
			}}, nil
		}
	}
	return []*expr.Function{
		{Name: "ENCODE", Class: "encoding", Usage: "ENCODE(text, charset)", Doc: "The bytes of the text in a character set; a character that has none becomes ?.",
			Examples: []expr.Example{ex("ENCODE('é', 'UTF-16BE')", "x'00e9'")}, Resolve: coder(types.Of(types.Varbinary), textParam, charset.encode)},
		{Name: "DECODE", Class: "encoding", Usage: "DECODE(bytes, charset)", Doc: "The text of bytes in a character set.",
			Examples: []expr.Example{ex("DECODE(x'c3a9', 'UTF-8')", "é")}, Resolve: coder(stringType, bytesParam, charset.decode)},
		{Name: "UNHEX", Class: "encoding", Usage: "UNHEX(text)",
			Doc:      "The bytes of a text in base 16. Of an odd number of digits the first one is left out and a zero byte put in its place; NULL for other characters.",
			Examples: []expr.Example{ex("UNHEX('48656c6c6f')", "x'48656c6c6f'"), ex("UNHEX('abc')", "x'00bc'")},
			Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
				to, err := take(args, 1, textParam)
				if err != nil {
					return expr.Resolution{}, err
				}
				return expr.Resolution{Args: to, Result: types.Of(types.Varbinary), New: safe(textOf(appendUnhex))}, nil
			}},
	}
}

func appendUnhex(dst []byte, a []*stream.Vec, i int) ([]byte, bool) {
	b := a[0].Bytes(i)
	if len(b)%2 == 1 {
		if hexDigit(b[0]) < 0 {
			return dst, false
		}
		dst, b = append(dst, 0), b[1:]
	}
	for k := 0; k < len(b); k += 2 {
		hi, lo := hexDigit(b[k]), hexDigit(b[k+1])
		if hi < 0 || lo < 0 {
			return dst, false
		}
		dst = append(dst, byte(hi<<4|lo))
	}
	return dst, true
}

func (s charset) encode(dst, b []byte) []byte {
	switch {
	case s.page != nil:
		for _, r := range string(b) {
			dst = append(dst, s.pageByte(r))
		}
	case s.limit > 0:
		for _, r := range string(b) {
			if r >= s.limit {
				r = '?'
			}
			dst = append(dst, byte(r))
		}
	case s.width == 0:
		return append(dst, b...)
	default:
		if s.mark && len(b) > 0 {
			dst = s.appendUnit(dst, 0xFEFF)
		}
		for _, r := range string(b) {
			if s.width == 2 && r > 0xFFFF {
				hi, lo := utf16.EncodeRune(r)
				dst = s.appendUnit(s.appendUnit(dst, hi), lo)
			} else {
				dst = s.appendUnit(dst, r)
			}
		}
	}
	return dst
}

// pageRune returns the character of a byte. Where a page leaves 0x80 to 0x9F to none, they
// are the control characters with these numbers.
func (s charset) pageRune(c byte) rune {
	r := s.page.DecodeByte(c)
	if r == utf8.RuneError && c >= 0x80 && c < 0xA0 && s.controls {
		return rune(c)
	}
	return r
}

// pageByte is the inverse of pageRune.
func (s charset) pageByte(r rune) byte {
	if c, ok := s.page.EncodeRune(r); ok {
		return c
	}
	if r >= 0x80 && r < 0xA0 && s.controls {
		return byte(r)
	}
	return '?'
}

// appendUnit appends one unit in the byte order of s.
func (s charset) appendUnit(dst []byte, u rune) []byte {
	for k := range s.width {
		shift := 8 * (s.width - 1 - k)
		if s.little {
			shift = 8 * k
		}
		dst = append(dst, byte(u>>shift))
	}
	return dst
}

func (s charset) decode(dst, b []byte) []byte {
	switch {
	case s.page != nil:
		for _, c := range b {
			dst = utf8.AppendRune(dst, s.pageRune(c))
		}
		return dst
	case s.limit > 0:
		for _, c := range b {
			r := rune(c)
			if r >= s.limit {
				r = utf8.RuneError
			}
			dst = utf8.AppendRune(dst, r)
		}
		return dst
	case s.width == 0:
		return types.AppendUTF8(dst, b)
	}
	if s.mark && len(b) >= 2 && b[0]^b[1] == 1 && b[0]|b[1] == 0xFF {
		s.little, b = b[0] == 0xFF, b[2:]
	}
	for len(b) >= s.width {
		r := s.unit(b)
		b = b[s.width:]
		if s.width == 2 && utf16.IsSurrogate(r) {
			if len(b) >= 2 {
				if pair := utf16.DecodeRune(r, s.unit(b)); pair != utf8.RuneError {
					r, b = pair, b[2:]
				}
			}
		}
		dst = utf8.AppendRune(dst, r) // half a character becomes U+FFFD
	}
	if len(b) > 0 {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	return dst
}

func (s charset) unit(b []byte) rune {
	u := uint32(0)
	for k := range s.width {
		c := b[k]
		if s.little {
			c = b[s.width-1-k]
		}
		u = u<<8 | uint32(c)
	}
	return rune(min(u, 0x110000))
}
