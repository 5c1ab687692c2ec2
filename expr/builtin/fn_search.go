package builtin

import (
	"bytes"
	"errors"
	"unicode"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func searchFunctions() []*expr.Function {
	return []*expr.Function{
		text("POSITION", "POSITION(part IN text [FROM start])", "Place of the first occurrence in characters from 1; 0 if there is none.", asInt,
			intOf(locate), 2, []param{textParam, textParam, intParam}, ex("POSITION('lo' IN 'hello')", "4")),
		text("LOCATE", "LOCATE(part, text [, start])", "Place of the first occurrence in characters from 1; 0 if there is none.", asInt,
			intOf(locate), 2, []param{textParam, textParam, intParam}, ex("LOCATE('b', 'abcabc', 3)", "5")),
		{Name: "INSTR", Class: "string", Usage: "INSTR(text, part [, start [, nth]])",
			Doc:      "Place of the nth occurrence; a negative start searches backwards.",
			Examples: []expr.Example{ex("INSTR('abcabc', 'b', 1, 2)", "5"), ex("INSTR('abcabc', 'b', -1)", "5")}, Resolve: resolveInstr},
		{Name: "REPLACE", Class: "string", Usage: "REPLACE(text, from, to)", Doc: "Each occurrence of from replaced by to.",
			Examples: []expr.Example{ex("REPLACE('hello', 'l', 'L')", "heLLo")}, Resolve: resolveReplace},
		{Name: "SPLIT_INDEX", Class: "string", Usage: "SPLIT_INDEX(text, separator, index)",
			Doc:      "The part with that number, from 0, of the text split at a separator; NULL if there is none.",
			Examples: []expr.Example{ex("SPLIT_INDEX('a,b,c', ',', 1)", "b")}, Resolve: resolveSplitIndex},
		{Name: "TRANSLATE", Aliases: []string{"TRANSLATE3"}, Class: "string", Usage: "TRANSLATE(text, from, to)", Doc: "Each character of from replaced by that at the same place of to, or removed.",
			Examples: []expr.Example{ex("TRANSLATE('abcabc', 'abc', 'x')", "xx")}, Resolve: resolveTranslate},
		{Name: "OVERLAY", Class: "string", Usage: "OVERLAY(text PLACING part FROM start [FOR length])", Doc: "Part of the text replaced by another.",
			Examples: []expr.Example{ex("OVERLAY('abcdef' PLACING 'XX' FROM 2)", "aXXdef")}, Resolve: resolveOverlay},
		{Name: "ELT", Class: "string", Usage: "ELT(index, text, ...)", Doc: "The text with that number, from 1; NULL if there is none.",
			Examples: []expr.Example{ex("ELT(2, 'a', 'b')", "b")}, Resolve: resolveElt},
	}
}

// locate finds args[0] in args[1], from character args[2] on.
func locate(args []*stream.Vec, i int) int32 {
	part, s := args[0].Bytes(i), args[1].Bytes(i)
	if len(part) == 0 {
		return 1
	}
	skip := 0
	if len(args) == 3 {
		skip = runeOffset(s, integerAt(args[2], i)-1)
	}
	at := bytes.Index(s[skip:], part)
	if at < 0 {
		return 0
	}
	return int32(utf8.RuneCount(s[:skip+at])) + 1
}

func resolveInstr(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, textParam, textParam, intParam, intParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: to, Result: like(intType, args), CanFail: len(args) == 4}
	res.New = plain(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		o := operand[int32](out, rows.N)
		return each(rows, func(i int) error {
			if !isValid(out, i) {
				return nil
			}
			start, nth := int64(1), int64(1)
			if len(args) > 2 {
				start = integerAt(args[2], i)
			}
			if len(args) > 3 {
				nth = integerAt(args[3], i)
			}
			if nth <= 0 {
				return &expr.RowError{Row: i, Msg: "the occurrence that INSTR looks for must be at least 1"}
			}
			o[i] = instr(args[0].Bytes(i), args[1].Bytes(i), start, nth)
			return nil
		})
	})
	return res, nil
}

// instr finds the nth occurrence of part in s from character start on; a negative
// start is counted from the end and searches toward the beginning.
func instr(s, part []byte, start, nth int64) int32 {
	switch {
	case start == 0:
		return 0
	case len(part) == 0 && start > 0:
		return 1
	case len(part) == 0: // found in the reversed text at its start
		return int32(utf8.RuneCount(s)) + 1
	}
	if start > 0 {
		at := runeOffset(s, start-1)
		for ; nth > 0; nth-- {
			k := bytes.Index(s[at:], part)
			if k < 0 {
				return 0
			}
			at += k
			if nth > 1 {
				_, w := utf8.DecodeRune(s[at:])
				at += w
			}
		}
		return int32(utf8.RuneCount(s[:at])) + 1
	}
	// The match may begin at the character counted from the end, or before it.
	last := int64(utf8.RuneCount(s)) + start
	if last < 0 {
		return 0
	}
	end := min(runeOffset(s, last)+len(part), len(s))
	for ; nth > 0; nth-- {
		k := bytes.LastIndex(s[:end], part)
		if k < 0 {
			return 0
		}
		if nth == 1 {
			return int32(utf8.RuneCount(s[:k])) + 1
		}
		end = k + len(part) - 1
	}
	return 0
}

func resolveReplace(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 3, textParam, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: to, Result: like(stringType, args), CanFail: true}
	res.New = func() expr.Kernel { return bounded("REPLACE", new(replacer).append) }
	return res, nil
}

// replacer is REPLACE with the buffers of its odd case.
type replacer struct{ s, o []uint16 }

func (r *replacer) append(dst []byte, args []*stream.Vec, i int) []byte {
	s, from, to := args[0].Bytes(i), args[1].Bytes(i), args[2].Bytes(i)
	if len(from) == 0 {
		return r.around(dst, s, to)
	}
	for start := len(dst); ; {
		k := bytes.Index(s, from)
		if k < 0 || isTooLong(dst, start) {
			return append(dst, s...)
		}
		dst = append(append(dst, s[:k]...), to...)
		s = s[k+len(from):]
	}
}

// around puts to before, between and behind all UTF-16 units of s, as replacing an
// empty text does in Java.
func (r *replacer) around(dst, s, to []byte) []byte {
	r.s = appendUnits(r.s[:0], s)
	r.o = r.o[:0]
	start := len(dst)
	dst = append(dst, to...)
	for _, u := range r.s {
		if isTooLong(dst, start) {
			break
		}
		if len(to) == 0 {
			r.o = append(r.o, u)
			continue
		}
		r.o = append(r.o[:0], u)
		dst = append(appendUTF16(dst, r.o), to...)
	}
	if len(to) > 0 {
		return dst
	}
	return appendUTF16(dst, r.o)
}

func resolveSplitIndex(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	separator := param{"a text or a character code", func(t types.Type) bool { return t.IsText() || t.IsInteger() }, types.Type{}}
	to, err := take(args, 3, textParam, separator, intParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	code := args[1].IsInteger()
	if code {
		to[1] = bigintType
	}
	res := expr.Resolution{Args: to, Result: stringType}
	res.New = safe(textOf(func(dst []byte, args []*stream.Vec, i int) ([]byte, bool) {
		if !code {
			return splitIndex(dst, args[0].Bytes(i), args[1].Bytes(i), integerAt(args[2], i))
		}
		n := integerAt(args[1], i)
		if n < 0 || n > 0x10FFFF {
			return dst, false
		}
		var buf [utf8.UTFMax]byte
		return splitIndex(dst, args[0].Bytes(i), utf8.AppendRune(buf[:0], rune(n)), integerAt(args[2], i))
	}))
	return res, nil
}

func splitIndex(dst, s, separator []byte, index int64) ([]byte, bool) {
	if index < 0 || len(s) == 0 {
		return dst, false
	}
	for ; ; index-- {
		k, w := bytes.Index(s, separator), len(separator)
		if w == 0 {
			k, w = nextSpace(s)
		}
		if index == 0 {
			if k >= 0 {
				s = s[:k]
			}
			return append(dst, s...), true
		}
		if k < 0 {
			return dst, false
		}
		s = s[k+w:]
	}
}

// nextSpace finds the first character that Java takes for white space, which is where
// SPLIT_INDEX without a separator splits, and its length; -1 if there is none.
func nextSpace(s []byte) (at, length int) {
	at = bytes.IndexFunc(s, func(r rune) bool {
		return r >= '\t' && r <= '\r' || r >= 0x1C && r <= 0x1F ||
			unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp) && r != 0xA0 && r != 0x2007 && r != 0x202F
	})
	if at < 0 {
		return -1, 0
	}
	_, length = utf8.DecodeRune(s[at:])
	return at, length
}

// resolveTranslate binds TRANSLATE: a NULL or empty from leaves the text as it is, a NULL
// to is empty.
func resolveTranslate(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 3, textParam, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: to, Result: like(stringType, args[:1]), NullAware: true}
	res.New = safe(textOf(func(dst []byte, args []*stream.Vec, i int) ([]byte, bool) {
		if args[0].IsNull(i) {
			return dst, false
		}
		s := args[0].Bytes(i)
		if args[1].IsNull(i) {
			return append(dst, s...), true
		}
		var to []byte
		if !args[2].IsNull(i) {
			to = args[2].Bytes(i)
		}
		return translate(dst, s, args[1].Bytes(i), to), true
	}))
	return res, nil
}

func translate(dst, s, from, to []byte) []byte {
	for len(s) > 0 {
		_, w := utf8.DecodeRune(s)
		c := s[:w]
		s = s[w:]
		place, found := int64(0), false
		for f := from; len(f) > 0; place++ {
			_, fw := utf8.DecodeRune(f)
			if found = string(f[:fw]) == string(c); found {
				break
			}
			f = f[fw:]
		}
		if !found {
			dst = append(dst, c...)
			continue
		}
		t := to[runeOffset(to, place):]
		dst = append(dst, t[:runeOffset(t, 1)]...)
	}
	return dst
}

func resolveOverlay(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 3, textParam, textParam, intParam, intParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	longest := min(int64(args[0].Length)+int64(args[1].Length), types.MaxLength)
	res := expr.Resolution{Args: to, Result: like(types.NewVarchar(int(longest)), args)}
	res.New = func() expr.Kernel {
		o := new(overlay)
		return safe(sure(o.append))()
	}
	return res, nil
}

// overlay counts in UTF-16 units, as Flink does.
type overlay struct{ s, part []uint16 }

func (o *overlay) append(dst []byte, args []*stream.Vec, i int) []byte {
	o.s, o.part = appendUnits(o.s[:0], args[0].Bytes(i)), appendUnits(o.part[:0], args[1].Bytes(i))
	s, start, length := o.s, integerAt(args[2], i), int64(len(o.part))
	if len(args) == 4 {
		length = integerAt(args[3], i)
	}
	if start <= 0 || start > int64(len(s)) {
		return append(dst, args[0].Bytes(i)...)
	}
	rest := len(s)
	if length > 0 {
		rest = int(min(start-1+length, int64(len(s))))
	}
	// A pair that the cut parts is two question marks: each side is written alone.
	dst = appendUTF16(dst, s[:start-1])
	dst = appendUTF16(dst, o.part)
	return appendUTF16(dst, s[rest:])
}

func resolveElt(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 2, -1); err != nil {
		return expr.Resolution{}, err
	}
	if !args[0].IsInteger() {
		return expr.Resolution{}, errors.New("expects an integer as argument 1, not " + args[0].Name())
	}
	texts, bytes := true, true // one of the two
	for _, t := range args[1:] {
		texts, bytes = texts && t.IsText(), bytes && t.IsBytes()
	}
	if !texts && !bytes {
		return expr.Resolution{}, expects("texts, or bytes", args[1:])
	}
	if lits[0] != nil && lits[0].Value.I < 0 {
		return expr.Resolution{}, errors.New("expects an index that is not negative")
	}
	t, err := common(args[1:], false)
	if err != nil {
		return expr.Resolution{}, err
	}
	to := append([]types.Type{bigintType}, args[1:]...)
	res := expr.Resolution{Args: to, Result: t.Nullable(), NullAware: true}
	res.New = safe(textOf(func(dst []byte, args []*stream.Vec, i int) ([]byte, bool) {
		if args[0].IsNull(i) {
			return dst, false
		}
		n := integerAt(args[0], i)
		if n < 1 || n >= int64(len(args)) || args[n].IsNull(i) {
			return dst, false
		}
		return append(dst, args[n].Bytes(i)...), true
	}))
	return res, nil
}
