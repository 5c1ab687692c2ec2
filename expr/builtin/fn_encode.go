package builtin

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
	"unicode"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func encodingFunctions() []*expr.Function {
	null := func(name, usage, doc string, f func(dst, s []byte) ([]byte, bool), examples ...expr.Example) *expr.Function {
		return &expr.Function{Name: name, Class: "encoding", Usage: usage, Doc: doc, Examples: examples,
			Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
				to, err := take(args, 1, textParam)
				if err != nil {
					return expr.Resolution{}, err
				}
				return expr.Resolution{Args: to, Result: stringType, New: safe(textOf(func(dst []byte, a []*stream.Vec, i int) ([]byte, bool) {
					return f(dst, a[0].Bytes(i))
				}))}, nil
			}}
	}
	return []*expr.Function{
		digest("MD5", 32, func() hash.Hash { return md5.New() }, "900150983cd24fb0d6963f7d28e17f72"),
		digest("SHA1", 40, func() hash.Hash { return sha1.New() }, "a9993e364706816aba3e25717850c26c9cd0d89d"),
		digest("SHA224", 56, sha256.New224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
		digest("SHA256", 64, sha256.New, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
		digest("SHA384", 96, sha512.New384, "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
		digest("SHA512", 128, sha512.New, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
		{Name: "SHA2", Class: "encoding", Usage: "SHA2(text, bits)", Doc: "SHA-224, 256, 384 or 512 of the UTF-8 bytes, in lower-case hexadecimal.",
			Examples: []expr.Example{ex("SHA2('abc', 224)", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7")}, Resolve: resolveSHA2},
		text("TO_BASE64", "TO_BASE64(text)", "BYTES, or the UTF-8 bytes of a text, in base 64.", asString,
			sure(func(dst []byte, a []*stream.Vec, i int) []byte {
				return base64.StdEncoding.AppendEncode(dst, a[0].Bytes(i))
			}), 1, []param{{"a text or bytes", func(t types.Type) bool { return t.IsText() || t.IsBytes() }, types.Type{}}}, ex("TO_BASE64('hello world')", "aGVsbG8gd29ybGQ=")),
		{Name: "FROM_BASE64", Class: "encoding", Usage: "FROM_BASE64(text)", Doc: "The text that base 64 stands for; padding may be left out.",
			Examples: []expr.Example{ex("FROM_BASE64('aGVsbG8')", "hello")}, Resolve: resolveFromBase64},
		null("URL_ENCODE", "URL_ENCODE(text)", "Encoded as in a form: a blank becomes +.", appendURLEncoded, ex("URL_ENCODE('a b&c')", "a+b%26c")),
		null("URL_DECODE", "URL_DECODE(text)", "Decoded from a form; NULL for a bad escape.", appendURLDecoded, ex("URL_DECODE('a+b%26c')", "a b&c")),
		{Name: "PARSE_URL", Class: "encoding", Usage: "PARSE_URL(url, part [, key])",
			Doc:      "HOST, PATH, QUERY, REF, PROTOCOL, AUTHORITY, FILE or USERINFO of a URL, or one value of its query.",
			Examples: []expr.Example{ex("PARSE_URL('http://h.com/p?a=1&b=2', 'QUERY', 'b')", "2")}, Resolve: resolveParseURL},
		{Name: "INET_ATON", Class: "encoding", Usage: "INET_ATON(text)", Doc: "The number of an IPv4 address; short forms are allowed.",
			Examples: []expr.Example{ex("INET_ATON('192.168.0.1')", "3232235521")}, Resolve: resolveInetAton},
		{Name: "INET_NTOA", Class: "encoding", Usage: "INET_NTOA(number)", Doc: "The IPv4 address of a number.",
			Examples: []expr.Example{ex("INET_NTOA(3232235521)", "192.168.0.1")}, Resolve: resolveInetNtoa},
		isFunction("IS_ALPHA", "Whether the text has letters only; FALSE for '' and NULL, and for any number.", ex("IS_ALPHA('abc')", "TRUE"), func(types.Type) bool { return false }, func(b []byte) bool { return allRunes(b, unicode.IsLetter) }),
		isFunction("IS_DIGIT", "Whether the text has digits only; FALSE for '' and NULL. TRUE for any integer, FALSE for other numbers.", ex("IS_DIGIT('123')", "TRUE"), types.Type.IsInteger, func(b []byte) bool { return allRunes(b, unicode.IsDigit) }),
		isFunction("IS_DECIMAL", "Whether the text is a number; FALSE for '' and NULL. TRUE for any number but a DECIMAL.", ex("IS_DECIMAL('1.5')", "TRUE"),
			func(t types.Type) bool { return t.Kind != types.Decimal }, isDecimal),
	}
}

// digest makes a hash function of that many hexadecimal digits.
func digest(name string, length int, newHash func() hash.Hash, abc string) *expr.Function {
	return &expr.Function{Name: name, Class: "encoding", Usage: name + "(text)", Doc: "Hash of the UTF-8 bytes, in lower-case hexadecimal.",
		Examples: []expr.Example{ex(name+"('abc')", abc)},
		Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
			to, err := take(args, 1, stringParam)
			if err != nil {
				return expr.Resolution{}, err
			}
			return expr.Resolution{Args: to, Result: like(types.NewChar(length), args), New: func() expr.Kernel {
				h := &hasher{hash: newHash()}
				return safe(sure(func(dst []byte, a []*stream.Vec, i int) []byte { return h.append(dst, a[0].Bytes(i)) }))()
			}}, nil
		}}
}

type hasher struct {
	hash hash.Hash
	sum  []byte
}

func (h *hasher) append(dst, b []byte) []byte {
	h.hash.Reset()
	h.hash.Write(b)
	h.sum = h.hash.Sum(h.sum[:0])
	return hex.AppendEncode(dst, h.sum)
}

func resolveSHA2(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, stringParam, intParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: like(types.NewVarchar(128), args), CanFail: true, New: func() expr.Kernel {
		hashers := map[int64]*hasher{
			224: {hash: sha256.New224()}, 256: {hash: sha256.New()}, 384: {hash: sha512.New384()}, 512: {hash: sha512.New()},
		}
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
			eachText(out, rows, func(i int) {
				n := integerAt(args[1], i)
				if h := hashers[n]; h != nil {
					out.Data = h.append(out.Data, args[0].Bytes(i))
				} else if failed == nil {
					failed = &expr.RowError{Row: i, Msg: fmt.Sprintf("there is no SHA-2 of %d bits", n), Hint: "use 224, 256, 384 or 512"}
				}
			})
			return failed
		}
	}}, nil
}

func resolveFromBase64(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 1, stringParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: like(stringType, args), CanFail: true, New: func() expr.Kernel {
		var decoded []byte // repairing UTF-8 in place would write over what is still to be read
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
			eachText(out, rows, func(i int) {
				b := args[0].Bytes(i)
				for len(b) > 0 && b[len(b)-1] == '=' {
					b = b[:len(b)-1]
				}
				var err error
				if decoded, err = base64.RawStdEncoding.AppendDecode(decoded[:0], b); err == nil {
					out.Data = types.AppendUTF8(out.Data, decoded)
				} else if failed == nil {
					failed = &expr.RowError{Row: i, Msg: fmt.Sprintf("'%s' is no base 64", args[0].Bytes(i))}
				}
			})
			return failed
		}
	}}, nil
}

func appendURLEncoded(dst, s []byte) ([]byte, bool) {
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '-', c == '*', c == '_':
			dst = append(dst, c)
		case c == ' ':
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst, true
}

func appendURLDecoded(dst, s []byte) ([]byte, bool) {
	start := len(dst)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '+':
			dst = append(dst, ' ')
		case '%':
			if i+2 >= len(s) {
				return dst, false
			}
			hi, lo := hexDigit(s[i+1]), hexDigit(s[i+2])
			if hi < 0 || lo < 0 {
				return dst, false
			}
			dst = append(dst, byte(hi<<4|lo))
			i += 2
		default:
			dst = append(dst, c)
		}
	}
	if !utf8.Valid(dst[start:]) {
		dst = append(dst[:start], []byte(string([]rune(string(dst[start:]))))...)
	}
	return dst, true
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func resolveInetAton(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if isBareNull(args) {
		args = []types.Type{stringType}
	}
	to, err := take(args, 1, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: bigintType, New: safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		o := operand[int64](out, rows.N)
		_ = each(rows, func(i int) error {
			if !isValid(out, i) {
				return nil
			}
			v, ok := inetAton(args[0].Bytes(i))
			if o[i] = v; !ok {
				out.SetNull(i, rows.N)
			}
			return nil
		})
	})}, nil
}

// inetAton reads up to four numbers below 256; the last one is the last byte, and those
// before it are the first ones.
func inetAton(b []byte) (int64, bool) {
	v, n, parts, digits := int64(0), int64(0), 0, 0
	for i := 0; i <= len(b); i++ {
		if i < len(b) && b[i] != '.' {
			if b[i] < '0' || b[i] > '9' {
				return 0, false
			}
			if n, digits = n*10+int64(b[i]-'0'), digits+1; n > 255 {
				return 0, false
			}
			continue
		}
		if digits == 0 || parts == 4 {
			return 0, false
		}
		if i == len(b) {
			return v | n, true
		}
		v |= n << (24 - 8*parts)
		parts++
		n, digits = 0, 0
	}
	return 0, false
}

func resolveInetNtoa(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if isBareNull(args) {
		args = []types.Type{bigintType}
	}
	to, err := take(args, 1, intParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: stringType, New: safe(textOf(func(dst []byte, args []*stream.Vec, i int) ([]byte, bool) {
		n := integerAt(args[0], i)
		if n < 0 || n > 0xFFFFFFFF {
			return dst, false
		}
		for k := 24; k >= 0; k -= 8 {
			dst = strconv.AppendInt(dst, n>>k&255, 10)
			if k > 0 {
				dst = append(dst, '.')
			}
		}
		return dst, true
	}))}, nil
}

// isFunction makes a test of a text; that of a number depends on the type only, and NULL
// passes it too.
func isFunction(name, doc string, example expr.Example, number func(types.Type) bool, f func(b []byte) bool) *expr.Function {
	return &expr.Function{Name: name, Class: "conditional", Usage: name + "(text); " + name + "(number)",
		Doc: doc, Examples: []expr.Example{example},
		Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
			if len(args) == 1 && args[0].IsNumeric() {
				is := number(args[0])
				return expr.Resolution{Args: args, Result: boolType.Required(), NullAware: true,
					New: safe(func(_ *expr.Context, _ []*stream.Vec, out *stream.Vec, rows expr.Rows) {
						setBools(out, rows, func(int) bool { return is })
					})}, nil
			}
			to, err := take(args, 1, textParam)
			if err != nil {
				return expr.Resolution{}, err
			}
			return expr.Resolution{Args: to, Result: boolType.Required(), NullAware: true,
				New: safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
					setBools(out, rows, func(i int) bool { return !args[0].IsNull(i) && f(args[0].Bytes(i)) })
				})}, nil
		}}
}

func allRunes(b []byte, is func(rune) bool) bool {
	if len(b) == 0 {
		return false
	}
	for len(b) > 0 {
		r, w := utf8.DecodeRune(b)
		if !is(r) {
			return false
		}
		b = b[w:]
	}
	return true
}

// isDecimal accepts what Java reads as a DOUBLE, and digits of any script.
func isDecimal(b []byte) bool {
	if allRunes(b, unicode.IsDigit) {
		return true
	}
	_, fault := types.ParseDouble(b)
	return fault == types.OK
}
