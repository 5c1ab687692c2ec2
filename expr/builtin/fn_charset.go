package builtin

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// charset is an encoding of text as bytes.
type charset struct {
	limit  rune // of the encodings with one byte a character
	width  int  // 2: UTF-16, 4: UTF-32
	little bool
	mark   bool      // a byte order mark is written and read
	table  *[32]rune // the characters of 0x80 to 0x9F, where they are not those of Latin-1; 0: none
}

var windows1252 = [32]rune{
	'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
	0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ',
}

// charsets are the encodings by their names in lower case.
var charsets = map[string]charset{
	"utf-8": {}, "utf8": {},
	"us-ascii": {limit: 0x80}, "ascii": {limit: 0x80},
	"iso-8859-1": {limit: 0x100}, "latin1": {limit: 0x100}, "iso_8859-1": {limit: 0x100},
	"windows-1252": {limit: 0x100, table: &windows1252}, "cp1252": {limit: 0x100, table: &windows1252},
	"utf-16": {width: 2, mark: true}, "utf16": {width: 2, mark: true}, "utf-16be": {width: 2}, "utf-16le": {width: 2, little: true},
	"utf-32": {width: 4}, "utf32": {width: 4}, "utf-32be": {width: 4}, "utf-32le": {width: 4, little: true},
}

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
			Hint: "use UTF-8, US-ASCII, ISO-8859-1, windows-1252, UTF-16, UTF-16BE, UTF-16LE, UTF-32, UTF-32BE or UTF-32LE"}
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
	case s.limit > 0:
		for _, r := range string(b) {
			if s.table != nil && r >= 0x80 && (r < 0xA0 || r >= s.limit) {
				if r = rune(0x80 + slices.Index(s.table[:], r)); r < 0x80 {
					r = '?'
				}
			}
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
	case s.limit > 0:
		for _, c := range b {
			r := rune(c)
			if s.table != nil && r >= 0x80 && r < 0xA0 {
				r = s.table[r-0x80]
			}
			if r >= s.limit && s.table == nil || r == 0 && c != 0 {
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
