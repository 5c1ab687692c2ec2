package builtin

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// textOf makes the loop of a function that gives a text: f appends the result of
// row i to dst; false makes the row NULL.
func textOf(f func(dst []byte, args []*stream.Vec, i int) ([]byte, bool)) loop {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		eachText(out, rows, func(i int) {
			n := len(out.Data)
			dst, ok := f(out.Data, args, i)
			if !ok {
				dst = dst[:n]
				out.SetNull(i, rows.N)
			}
			out.Data = dst
		})
	}
}

// sure is textOf for functions that never give NULL.
func sure(f func(dst []byte, args []*stream.Vec, i int) []byte) loop {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		eachText(out, rows, func(i int) { out.Data = f(out.Data, args, i) })
	}
}

// What one text, and the texts of one batch, may grow to.
const (
	maxText  = 1 << 26
	maxBatch = 1 << 30
)

// growing is textOf for functions that make a text of any length of a short one: unit
// is the length of what argument 1 counts.
func growing(name string, unit func(args []*stream.Vec, i int) int64, f func(dst []byte, args []*stream.Vec, i int) ([]byte, bool)) expr.Kernel {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
		eachText(out, rows, func(i int) {
			if n, u := integerAt(args[1], i), unit(args, i); n > 0 && u > 0 && (n > maxText/u || len(out.Data) > maxBatch) {
				if failed == nil {
					failed = &expr.RowError{Row: i, Msg: fmt.Sprintf("%s: a text of %d times %d bytes is too long", name, n, u)}
				}
				return
			}
			n := len(out.Data)
			dst, ok := f(out.Data, args, i)
			if !ok {
				dst = dst[:n]
				out.SetNull(i, rows.N)
			}
			out.Data = dst
		})
		return failed
	}
}

// bounded is sure for functions that can make a long text of short ones, in many steps: f
// ends with a text that isTooLong.
func bounded(name string, f func(dst []byte, args []*stream.Vec, i int) []byte) expr.Kernel {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
		eachText(out, rows, func(i int) {
			if failed != nil {
				return
			}
			n := len(out.Data)
			if out.Data = f(out.Data, args, i); isTooLong(out.Data, n) {
				failed = tooLong(name, i)
			}
		})
		return failed
	}
}

// isTooLong reports whether what stands in dst behind from is more than a text may have.
func isTooLong(dst []byte, from int) bool { return len(dst)-from > maxText }

func tooLong(name string, row int) error {
	return &expr.RowError{Row: row, Msg: fmt.Sprintf("%s: a text of more than %d bytes is too long", name, maxText)}
}

// intOf makes the loop of a function that gives an INT.
func intOf(f func(args []*stream.Vec, i int) int32) loop {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		o := operand[int32](out, rows.N)
		_ = each(rows, func(i int) error {
			if isValid(out, i) {
				o[i] = f(args, i)
			}
			return nil
		})
	}
}

// boolOf makes the loop of a function that gives a BOOLEAN.
func boolOf(f func(args []*stream.Vec, i int) bool) loop {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		setBools(out, rows, func(i int) bool { return isValid(out, i) && f(args, i) })
	}
}

// integerAt returns row i of a BIGINT argument.
func integerAt(v *stream.Vec, i int) int64 { return stream.Values[int64](v)[v.At(i)] }

// text makes a function of texts and integers whose result type is made by result.
func text(name, usage, doc string, result func(types.Type) types.Type, k loop, least int, params []param, examples ...expr.Example) *expr.Function {
	return &expr.Function{Name: name, Class: "string", Usage: usage, Doc: doc, Examples: examples,
		Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
			to, err := take(args, least, params...)
			if err != nil {
				return expr.Resolution{}, err
			}
			return expr.Resolution{Args: to, Result: like(result(args[0]), args), New: safe(k)}, nil
		}}
}

func asString(types.Type) types.Type { return stringType }
func asInt(types.Type) types.Type    { return intType }
func asGiven(t types.Type) types.Type {
	return t
}

// asVarchar is the type of a part of a text: VARCHAR of the same length.
func asVarchar(t types.Type) types.Type {
	return types.NewVarchar(int(t.Length))
}

func ex(sql, result string) expr.Example { return expr.Example{SQL: sql, Result: result} }

func stringFunctions() []*expr.Function {
	one := []param{textParam}
	withInt := []param{textParam, intParam}
	return []*expr.Function{
		text("UPPER", "UPPER(text)", "All letters in upper case.", asGiven,
			sure(func(dst []byte, a []*stream.Vec, i int) []byte { return appendUpper(dst, a[0].Bytes(i)) }), 1, one, ex("UPPER('abc')", "ABC")),
		text("LOWER", "LOWER(text)", "All letters in lower case.", asGiven,
			sure(func(dst []byte, a []*stream.Vec, i int) []byte { return appendLower(dst, a[0].Bytes(i)) }), 1, one, ex("LOWER('ABC')", "abc")),
		text("INITCAP", "INITCAP(text)", "Words with a capital and small letters; only ASCII letters change.", asGiven,
			sure(func(dst []byte, a []*stream.Vec, i int) []byte { return appendInitcap(dst, a[0].Bytes(i)) }), 1, one, ex("INITCAP('hello wORLD')", "Hello World")),
		alias(text("CHAR_LENGTH", "CHAR_LENGTH(text)", "Number of characters.", asInt,
			charLength, 1, one, ex("CHAR_LENGTH('héllo')", "5")), "CHARACTER_LENGTH"),
		text("ASCII", "ASCII(text)", "The first byte as a signed number; 0 for the empty text.", asInt,
			intOf(func(a []*stream.Vec, i int) int32 {
				if b := a[0].Bytes(i); len(b) > 0 {
					return int32(int8(b[0]))
				}
				return 0
			}), 1, one, ex("ASCII('A')", "65")),
		nullable(text("CHR", "CHR(integer)", "The Latin-1 character of the number modulo 256; '' for a negative one.", asString,
			sure(func(dst []byte, a []*stream.Vec, i int) []byte {
				if n := integerAt(a[0], i); n >= 0 {
					return utf8.AppendRune(dst, rune(n&255))
				}
				return dst
			}), 1, []param{intParam}, ex("CHR(65)", "A"))),
		nullable(text("REVERSE", "REVERSE(text)", "The characters in reverse order.", asString,
			sure(func(dst []byte, a []*stream.Vec, i int) []byte { return appendReverse(dst, a[0].Bytes(i)) }), 1, one, ex("REVERSE('abc')", "cba"))),
		{Name: "REPEAT", Class: "string", Usage: "REPEAT(text, n)", Doc: "The text n times.",
			Examples: []expr.Example{ex("REPEAT('ab', 3)", "ababab")},
			Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
				to, err := take(args, 2, withInt...)
				return expr.Resolution{Args: to, Result: like(stringType, args), CanFail: true, New: plain(growing("REPEAT",
					func(a []*stream.Vec, i int) int64 { return int64(len(a[0].Bytes(i))) },
					func(dst []byte, a []*stream.Vec, i int) ([]byte, bool) {
						b := a[0].Bytes(i)
						for n := integerAt(a[1], i); n > 0 && len(b) > 0; n-- {
							dst = append(dst, b...)
						}
						return dst, true
					}))}, err
			}},
		nullable(text("LEFT", "LEFT(text, n)", "The first n characters.", asVarchar,
			sure(func(dst []byte, a []*stream.Vec, i int) []byte {
				b := a[0].Bytes(i)
				return append(dst, b[:runeOffset(b, integerAt(a[1], i))]...)
			}), 2, withInt, ex("LEFT('abc', 2)", "ab"))),
		nullable(text("RIGHT", "RIGHT(text, n)", "The last n characters.", asVarchar,
			sure(func(dst []byte, a []*stream.Vec, i int) []byte {
				b := a[0].Bytes(i)
				n := integerAt(a[1], i)
				if n <= 0 {
					return dst
				}
				return append(dst, b[runeOffset(b, int64(utf8.RuneCount(b))-n):]...)
			}), 2, withInt, ex("RIGHT('abc', 2)", "bc"))),
		endFunction("STARTSWITH", "STARTSWITH(text, start)", "Whether the text, or BYTES, begin so.", hasPrefix, ex("STARTSWITH('abc', 'ab')", "TRUE"), ex("STARTSWITH(x'0102', x'02')", "FALSE")),
		endFunction("ENDSWITH", "ENDSWITH(text, end)", "Whether the text, or BYTES, end so.", hasSuffix, ex("ENDSWITH('abc', 'bc')", "TRUE"), ex("ENDSWITH(x'0102', x'02')", "TRUE")),
		{Name: "SUBSTRING", Aliases: []string{"SUBSTR"}, Class: "string", Usage: "SUBSTRING(text, start [, length]); SUBSTRING(text FROM start [FOR length])",
			Doc:      "Part of a text. Characters count from 1; a negative start counts from the end; a negative length gives NULL.",
			Examples: []expr.Example{ex("SUBSTRING('Hello', 2, 3)", "ell"), ex("SUBSTRING('Hello' FROM -3)", "llo")},
			Resolve:  resolveSubstring},
		{Name: "CONCAT", Class: "string", Usage: "CONCAT(text, ...)", Doc: "The texts joined.",
			Examples: []expr.Example{ex("CONCAT('a', 'bc')", "abc")}, Resolve: resolveConcat},
		{Name: "CONCAT_WS", Class: "string", Usage: "CONCAT_WS(separator, text, ...)", Doc: "The texts that are not NULL joined with a separator.",
			Examples: []expr.Example{ex("CONCAT_WS('-', 'a', CAST(NULL AS STRING), 'b')", "a-b")}, Resolve: resolveConcatWs},
		{Name: "TRIM", Class: "string", Usage: "TRIM([BOTH | LEADING | TRAILING] [characters] [FROM] text)",
			Doc:      "The text without these characters (blanks if not given) at its ends.",
			Examples: []expr.Example{ex("TRIM('  a ')", "a"), ex("TRIM(LEADING 'x' FROM 'xxax')", "ax")}, Resolve: resolveTrim},
		trimFunction("LTRIM", "at its start", asVarchar, true, false, "LTRIM('xxaxx', 'x')", "axx"),
		trimFunction("RTRIM", "at its end", asVarchar, false, true, "RTRIM('xxaxx', 'x')", "xxa"),
		trimFunction("BTRIM", "at both ends", asString, true, true, "BTRIM('xxaxx', 'x')", "a"),
		padFunction("LPAD", "left", true, "LPAD('7', 3, '0')", "007"),
		padFunction("RPAD", "right", false, "RPAD('a', 3, '.')", "a.."),
	}
}

// charLength is the loop of CHAR_LENGTH.
func charLength(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	o, in := operand[int32](out, rows.N), textRowsOf(args[0])
	if rows.Sel != nil {
		for _, i := range rows.Sel {
			if isValid(out, int(i)) {
				o[i] = int32(characters(in.at(int(i))))
			}
		}
		return
	}
	for i := range o {
		if isValid(out, i) {
			o[i] = int32(characters(in.at(i)))
		}
	}
}

// nullable makes the result of a function nullable, whatever its arguments are.
func nullable(f *expr.Function) *expr.Function {
	resolve := f.Resolve
	f.Resolve = func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
		res, err := resolve(args, lits)
		res.Result = res.Result.Nullable()
		return res, err
	}
	return f
}

// alias gives a function further names.
func alias(f *expr.Function, names ...string) *expr.Function {
	f.Aliases = append(f.Aliases, names...)
	return f
}

// runeOffset returns the offset behind the first n characters, or the end.
func runeOffset(b []byte, n int64) int {
	if n <= 0 {
		return 0
	}
	if n >= int64(len(b)) {
		return len(b)
	}
	for i := 0; i < len(b); n-- {
		if n == 0 {
			return i
		}
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, w := utf8.DecodeRune(b[i:])
		i += w
	}
	return len(b)
}

func hasPrefix(b, p []byte) bool { return len(b) >= len(p) && string(b[:len(p)]) == string(p) }
func hasSuffix(b, p []byte) bool { return len(b) >= len(p) && string(b[len(b)-len(p):]) == string(p) }

func appendReverse(dst, b []byte) []byte {
	for len(b) > 0 {
		_, w := utf8.DecodeLastRune(b)
		dst = append(dst, b[len(b)-w:]...)
		b = b[:len(b)-w]
	}
	return dst
}

func resolveSubstring(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, textParam, intParam, intParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: asVarchar(args[0]).Nullable(), New: safe(textOf(substring))}, nil
}

func substring(dst []byte, args []*stream.Vec, i int) ([]byte, bool) {
	b, start := args[0].Bytes(i), integerAt(args[1], i)
	length := int64(len(b))
	if len(args) == 3 {
		length = integerAt(args[2], i)
	}
	if length < 0 {
		return dst, false
	}
	switch {
	case start > 0:
		start--
	case start < 0:
		if start += int64(utf8.RuneCount(b)); start < 0 {
			return dst, true
		}
	}
	b = b[runeOffset(b, start):]
	return appendShort(dst, b[:runeOffset(b, length)]), true
}

func allTexts(args []types.Type, least int) error {
	if err := arity(args, least, -1); err != nil {
		return err
	}
	if err := noNull(args); err != nil {
		return err
	}
	for _, t := range args {
		if !t.IsText() {
			return expects("texts", args)
		}
	}
	return nil
}

func resolveConcat(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := allTexts(args, 1); err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: args, Result: like(stringType, args), New: safe(join)}, nil
}

func resolveConcatWs(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := allTexts(args, 1); err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: args, Result: like(stringType, args), NullAware: true}
	res.New = safe(textOf(func(dst []byte, args []*stream.Vec, i int) ([]byte, bool) {
		if args[0].IsNull(i) {
			return dst, false
		}
		first := true
		for _, v := range args[1:] {
			if v.IsNull(i) {
				continue
			}
			if !first {
				dst = append(dst, args[0].Bytes(i)...)
			}
			dst = append(dst, v.Bytes(i)...)
			first = false
		}
		return dst, true
	}))
	return res, nil
}

// resolveTrim binds TRIM: its side comes as a text constant in front.
func resolveTrim(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	left, right := true, true
	skip := 0
	if side, ok := constText(lits, 0); ok && len(args) > 1 && slices.Contains([]string{"BOTH", "LEADING", "TRAILING"}, side) {
		left, right = side != "TRAILING", side != "LEADING"
		skip = 1
	}
	rest := args[skip:]
	to, err := take(rest, 1, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	s := rest[len(rest)-1]
	res := expr.Resolution{Args: append(append([]types.Type{}, args[:skip]...), to...), Result: like(asVarchar(s), rest)}
	res.New = safe(sure(func(dst []byte, args []*stream.Vec, i int) []byte {
		args = args[skip:]
		if len(args) == 1 {
			return appendShort(dst, trim(args[0].Bytes(i), blank, left, right))
		}
		return appendShort(dst, trim(args[1].Bytes(i), args[0].Bytes(i), left, right))
	}))
	return res, nil
}

// endFunction makes a test of one end of a text or of bytes.
func endFunction(name, usage, doc string, has func(b, end []byte) bool, examples ...expr.Example) *expr.Function {
	bytes := param{"bytes", types.Type.IsBytes, types.Type{}}
	k := safe(boolOf(func(a []*stream.Vec, i int) bool { return has(a[0].Bytes(i), a[1].Bytes(i)) }))
	texts, binaries := fixed(boolType, k, 2, textParam, textParam), fixed(boolType, k, 2, bytes, bytes)
	return &expr.Function{Name: name, Class: "string", Usage: usage, Doc: doc, Examples: examples,
		Resolve: func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
			if len(args) > 0 && args[0].IsBytes() {
				return binaries(args, lits)
			}
			return texts(args, lits)
		}}
}

var blank = []byte{' '}

func trimFunction(name, where string, result func(types.Type) types.Type, left, right bool, example, shown string) *expr.Function {
	return text(name, name+"(text [, characters])", "The text without these characters (blanks if not given) "+where+".", result,
		sure(func(dst []byte, a []*stream.Vec, i int) []byte {
			set := blank
			if len(a) == 2 {
				set = a[1].Bytes(i)
			}
			return appendShort(dst, trim(a[0].Bytes(i), set, left, right))
		}), 1, []param{textParam, textParam}, ex(example, shown))
}

// trim cuts the characters of set from the ends of b.
func trim(b, set []byte, left, right bool) []byte {
	if len(set) == 1 && set[0] < utf8.RuneSelf {
		c := set[0]
		for left && len(b) > 0 && b[0] == c {
			b = b[1:]
		}
		for right && len(b) > 0 && b[len(b)-1] == c {
			b = b[:len(b)-1]
		}
		return b
	}
	for left && len(b) > 0 {
		_, w := utf8.DecodeRune(b)
		if !hasRune(set, b[:w]) {
			break
		}
		b = b[w:]
	}
	for right && len(b) > 0 {
		_, w := utf8.DecodeLastRune(b)
		if !hasRune(set, b[len(b)-w:]) {
			break
		}
		b = b[:len(b)-w]
	}
	return b
}

// hasRune reports whether set holds the character c.
func hasRune(set, c []byte) bool {
	for len(set) > 0 {
		w := 1
		if set[0] >= utf8.RuneSelf {
			_, w = utf8.DecodeRune(set)
		}
		if string(set[:w]) == string(c) {
			return true
		}
		set = set[w:]
	}
	return false
}

func padFunction(name, side string, left bool, example, result string) *expr.Function {
	return &expr.Function{
		Name: name, Class: "string", Usage: name + "(text, length, pad)",
		Doc:      "The text cut or filled up with pad on the " + side + " to a length in UTF-16 units; NULL for a negative length or an empty pad.",
		Examples: []expr.Example{ex(example, result)},
		Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
			if len(args) == 2 {
				return expr.Resolution{}, errors.New("takes 3 arguments; the third one is what to fill up with")
			}
			to, err := take(args, 3, textParam, intParam, textParam)
			if err != nil {
				return expr.Resolution{}, err
			}
			p := func() expr.Kernel {
				pad := padder{left: left}
				return growing(name, func([]*stream.Vec, int) int64 { return 1 }, pad.append)
			}
			return expr.Resolution{Args: to, Result: like(stringType, args), CanFail: true, New: p}, nil
		}}
}
