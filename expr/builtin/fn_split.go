package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/expr/javaregex"
	"streamsql/stream"
	"streamsql/types"
)

func splitFunctions() []*expr.Function {
	return []*expr.Function{
		{Name: "SPLIT", Class: "collection", Usage: "SPLIT(text, separator)", Doc: "The parts of a text between separators, which stand for themselves; an empty separator gives the characters.",
			Examples: []expr.Example{ex("SPLIT('a,b,,c', ',')", "[a, b, , c]"), ex("SPLIT('abc', '')", "[a, b, c]")}, Resolve: resolveSplit},
		{Name: "STR_TO_MAP", Class: "collection", Usage: "STR_TO_MAP(text [, pair separator, key separator])",
			Doc:      "A map of a text such as 'k1=v1,k2=v2'. The separators are regular expressions, ',' and '=' if they are left out.",
			Examples: []expr.Example{ex("STR_TO_MAP('a=1,b=2')", "{a=1, b=2}"), ex("STR_TO_MAP('a:1;b', ';', ':')", "{a=1, b=NULL}")}, Resolve: resolveStrToMap},
		{Name: "REGEXP_EXTRACT_ALL", Class: "collection", Usage: "REGEXP_EXTRACT_ALL(text, regex [, group])", Doc: "The group (1 if it is left out, 0 is all) of each match as an array; NULL for a bad regular expression or group.",
			Examples: []expr.Example{ex("REGEXP_EXTRACT_ALL('a1 b2', '([a-z])[0-9]')", "[a, b]")}, Resolve: resolveRegexpExtractAll},
	}
}

// textArray is the result of functions that take a text apart.
var textArray = types.NewArray(stringType)

func resolveSplit(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, textParam, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: like(textArray, args), New: func() expr.Kernel {
		var b types.ArrayBuilder
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			eachText(out, rows, func(i int) {
				b.Reset(stringType)
				s, sep := args[0].Bytes(i), args[1].Bytes(i)
				for len(s) > 0 && len(sep) == 0 {
					_, w := utf8.DecodeRune(s)
					b.AppendRaw(s[:w])
					s = s[w:]
				}
				for more := len(s) > 0; more; {
					var part []byte
					part, s, more = bytes.Cut(s, sep)
					b.AppendRaw(part)
				}
				out.Data = b.AppendTo(out.Data)
			})
			return nil
		}
	}}, nil
}

func resolveStrToMap(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if len(args) == 2 {
		return expr.Resolution{}, errors.New("takes 1 or 3 arguments, not 2")
	}
	to, err := take(args, 1, textParam, textParam, textParam)
	for i := 1; i < len(args) && err == nil; i++ {
		if text, ok := constText(lits, i); ok {
			err = new(splitter).load([]byte(text))
		}
	}
	if err != nil {
		return expr.Resolution{}, err
	}
	t := types.NewMap(stringType, stringType)
	return expr.Resolution{Args: to, Result: t, CanFail: true, New: func() expr.Kernel {
		s := &textMap{separators: [2]splitter{{plain: []byte(",")}, {plain: []byte("=")}}}
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			var failed error
			eachText(out, rows, func(i int) {
				s.made.Reset(t)
				if failed == nil {
					failed = s.read(args, i)
				}
				out.Data = s.made.AppendTo(out.Data)
			})
			return failed
		}
	}}, nil
}

// textMap is one compiled STR_TO_MAP.
type textMap struct {
	separators [2]splitter
	made       types.MapBuilder
	pairs      [][]byte
	parts      [][]byte
}

// read puts the entries of the text of row i into the map.
func (m *textMap) read(args []*stream.Vec, i int) error {
	for k := 1; k < len(args); k++ {
		if err := m.separators[k-1].load(args[k].Bytes(i)); err != nil {
			return &expr.RowError{Row: i, Msg: "STR_TO_MAP: " + err.Error()}
		}
	}
	s := args[0].Bytes(i)
	if len(s) == 0 {
		return nil
	}
	var err error
	if m.pairs, err = m.separators[0].split(m.pairs[:0], s, 0); err != nil {
		return &expr.RowError{Row: i, Msg: "STR_TO_MAP: " + err.Error()}
	}
	for _, pair := range m.pairs {
		if m.parts, err = m.separators[1].split(m.parts[:0], pair, 2); err != nil {
			return &expr.RowError{Row: i, Msg: "STR_TO_MAP: " + err.Error()}
		}
		var value []byte
		if len(m.parts) == 2 {
			value = m.parts[1]
		}
		m.made.PutRaw(m.parts[0], value)
	}
	return nil
}

// splitter cuts texts at a regular expression.
type splitter struct {
	cache regexCache
	re    *javaregex.Regexp
	plain []byte // what the expression stands for, if it is a text
	buf   []byte
}

// load takes the expression of a row.
func (p *splitter) load(text []byte) error {
	re, err := p.cache.get(text)
	if err != nil {
		return err
	}
	if re == nil {
		return fmt.Errorf("regular expression '%s' is not valid", text)
	}
	if re == p.re {
		return nil
	}
	p.re, p.plain = re, nil
	if text, ok := re.Literal(); ok {
		p.plain = []byte(text)
	}
	return nil
}

// split appends the parts of s as Java's String.split does: with limit 0 empty parts at
// the end are left out; else there are no more parts than limit. A match of nothing at
// the start gives no part.
func (p *splitter) split(parts [][]byte, s []byte, limit int) ([][]byte, error) {
	first, last := len(parts), 0
	if p.plain != nil {
		for limit == 0 || len(parts)-first < limit-1 {
			k := bytes.Index(s[last:], p.plain)
			if k < 0 {
				break
			}
			parts = append(parts, s[last:last+k:last+k])
			last += k + len(p.plain)
		}
		parts = append(parts, s[last:])
	} else {
		m := &p.cache
		if p.buf = p.buf[:0]; p.buf == nil {
			p.buf = make([]byte, 0, 64) // a part is never nil, which is NULL
		}
		part := func(to int) {
			from := len(p.buf)
			p.buf = m.AppendSpan(p.buf, last, to)
			parts = append(parts, p.buf[from:len(p.buf):len(p.buf)])
		}
		m.All(p.re, s)
		for limit == 0 || len(parts)-first < limit-1 {
			found, err := m.Next()
			if err != nil {
				return parts, err
			}
			if !found {
				break
			}
			if m.End() > 0 {
				part(m.Start())
				last = m.End()
			}
		}
		part(m.Size())
	}
	if limit == 0 && last > 0 {
		for len(parts) > first && len(parts[len(parts)-1]) == 0 {
			parts = parts[:len(parts)-1]
		}
	}
	return parts, nil
}

func resolveRegexpExtractAll(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, textParam, textParam, intParam)
	if err == nil {
		err = checkRegex(lits, 1)
	}
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: textArray, CanFail: true, New: func() expr.Kernel {
		var b types.ArrayBuilder
		return matcher(func(m *regexCache, re *javaregex.Regexp, args []*stream.Vec, out *stream.Vec, i, n int) error {
			group := int64(1)
			if len(args) == 3 {
				group = integerAt(args[2], i)
			}
			if re == nil || group < 0 || group > int64(re.Groups()) {
				out.SetNull(i, n)
				return nil
			}
			b.Reset(stringType)
			m.All(re, args[0].Bytes(i))
			for {
				found, err := m.Next()
				if err != nil {
					return err
				}
				if !found {
					break
				}
				if m.Has(int(group)) {
					b.Close(m.AppendGroup(b.Open(), int(group)))
				} else {
					b.AppendNull()
				}
			}
			out.Data = b.AppendTo(out.Data)
			return nil
		})()
	}}, nil
}
