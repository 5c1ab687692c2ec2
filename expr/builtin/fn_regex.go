package builtin

import (
	"bytes"
	"errors"
	"unicode/utf16"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/expr/javaregex"
	"streamsql/stream"
	"streamsql/types"
)

func regexFunctions() []*expr.Function {
	return []*expr.Function{
		{Name: "SIMILAR TO", Class: "comparison", Operator: true, Usage: "text SIMILAR TO pattern [ESCAPE character]",
			Doc:      "Matches the whole text with an SQL regular expression: % any characters, _ one, and | * + ? {} () [].",
			Examples: []expr.Example{ex("'abc' SIMILAR TO '(a|x)%'", "TRUE")}, Resolve: resolveSimilar},
		{Name: "REGEXP", Class: "string", Usage: "REGEXP(text, regex)", Doc: "Whether the regular expression, in Java's syntax, matches somewhere; FALSE for a bad one.",
			Examples: []expr.Example{ex("REGEXP('foobar', 'o+b')", "TRUE")}, Resolve: resolveRegexp},
		{Name: "REGEXP_EXTRACT", Class: "string", Usage: "REGEXP_EXTRACT(text, regex [, group])", Doc: "The group (0, the default, is all) of the first match; NULL if there is none, or for a bad regular expression.",
			Examples: []expr.Example{ex("REGEXP_EXTRACT('foothebar', 'foo(.*?)(bar)', 2)", "bar")}, Resolve: resolveRegexpExtract},
		{Name: "REGEXP_REPLACE", Class: "string", Usage: "REGEXP_REPLACE(text, regex, replacement)", Doc: "Each match replaced by a text, which is taken as it is.",
			Examples: []expr.Example{ex("REGEXP_REPLACE('foobar', 'oo|ar', '')", "fb")}, Resolve: resolveRegexpReplace},
		{Name: "REGEXP_COUNT", Class: "string", Usage: "REGEXP_COUNT(text, regex)", Doc: "Number of matches; NULL for a bad regular expression.",
			Examples: []expr.Example{ex("REGEXP_COUNT('banana', 'an')", "2")}, Resolve: resolveRegexpInt(regexCount)},
		{Name: "REGEXP_INSTR", Class: "string", Usage: "REGEXP_INSTR(text, regex)", Doc: "Place of the first match from 1, in UTF-16 units; 0 if there is none.",
			Examples: []expr.Example{ex("REGEXP_INSTR('foobar', 'b')", "4")}, Resolve: resolveRegexpInt(regexPlace)},
		{Name: "REGEXP_SUBSTR", Class: "string", Usage: "REGEXP_SUBSTR(text, regex)", Doc: "The first match, or NULL.",
			Examples: []expr.Example{ex("REGEXP_SUBSTR('foobar', 'o+')", "oo")}, Resolve: resolveRegexpSubstr},
	}
}

// regexCache keeps the expression compiled last and finds matches of it.
type regexCache struct {
	javaregex.Matcher
	text  []byte
	known bool
	re    *javaregex.Regexp // nil: bad
	err   error             // it uses what we do not support
}

func (c *regexCache) get(b []byte) (*javaregex.Regexp, error) {
	if !c.known || !bytes.Equal(b, c.text) {
		c.text, c.known = append(c.text[:0], b...), true
		c.re, c.err = compileRegex(string(b))
	}
	return c.re, c.err
}

// compileRegex compiles a regular expression. A bad one is nil; what is not supported is
// an error, so that it is never taken for a miss.
func compileRegex(s string) (*javaregex.Regexp, error) {
	re, err := javaregex.Compile(s)
	var bad *javaregex.SyntaxError
	if errors.As(err, &bad) {
		return nil, nil
	}
	return re, err
}

// checkRegex compiles a constant expression at planning, to report what is not
// supported there.
func checkRegex(lits []*expr.Literal, i int) error {
	if s, ok := constText(lits, i); ok {
		_, err := compileRegex(s)
		return err
	}
	return nil
}

// regexRow handles one row of a function of a regular expression, which is nil if it is
// bad.
type regexRow func(m *regexCache, re *javaregex.Regexp, args []*stream.Vec, out *stream.Vec, i, n int) error

// matcher makes the kernel of a function of a text (argument 0) and a regular
// expression (argument 1).
func matcher(f regexRow) func() expr.Kernel {
	return func() expr.Kernel {
		var cache regexCache
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			var failed error
			one := func(i int) error {
				if !isValid(out, i) {
					return nil
				}
				re, err := cache.get(args[1].Bytes(i))
				if err == nil {
					err = f(&cache, re, args, out, i, rows.N)
				}
				if err != nil {
					return rowFault(i, err.Error())
				}
				return nil
			}
			if out.Type.Layout() != types.Bytes {
				return each(rows, one)
			}
			eachText(out, rows, func(i int) {
				if failed != nil {
					return
				}
				failed = one(i)
			})
			return failed
		}
	}
}

func resolveRegexp(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, textParam, textParam)
	if err == nil {
		err = checkRegex(lits, 1)
	}
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: like(boolType, args), CanFail: true,
		New: matcher(func(m *regexCache, re *javaregex.Regexp, args []*stream.Vec, out *stream.Vec, i, _ int) error {
			// An empty expression matches nothing, as in Flink.
			if re == nil || len(args[1].Bytes(i)) == 0 {
				out.SetBool(i, false)
				return nil
			}
			found, err := m.Match(re, args[0].Bytes(i))
			out.SetBool(i, found)
			return err
		})}, nil
}

func resolveRegexpExtract(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 2, textParam, textParam, intParam)
	if err == nil {
		err = checkRegex(lits, 1)
	}
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: stringType, CanFail: true,
		New: matcher(func(m *regexCache, re *javaregex.Regexp, args []*stream.Vec, out *stream.Vec, i, n int) error {
			group := int64(0)
			if len(args) == 3 {
				group = integerAt(args[2], i)
			}
			if re == nil || group < 0 || group > int64(re.Groups()) {
				out.SetNull(i, n)
				return nil
			}
			found, err := m.First(re, args[0].Bytes(i))
			if found && m.Has(int(group)) {
				out.Data = m.AppendGroup(out.Data, int(group))
			} else {
				out.SetNull(i, n)
			}
			return err
		})}, nil
}

func resolveRegexpSubstr(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 2, 2); err != nil {
		return expr.Resolution{}, err
	}
	return resolveRegexpExtract(args, lits)
}

func resolveRegexpReplace(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 3, textParam, textParam, textParam)
	if err == nil {
		err = checkRegex(lits, 1)
	}
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: like(stringType, args), CanFail: true,
		New: matcher(func(m *regexCache, re *javaregex.Regexp, args []*stream.Vec, out *stream.Vec, i, n int) error {
			if re == nil {
				out.SetNull(i, n)
				return nil
			}
			to := args[2].Bytes(i)
			last, start := 0, len(out.Data)
			m.All(re, args[0].Bytes(i))
			for {
				found, err := m.Next()
				if err != nil {
					return err
				}
				if !found {
					break
				}
				out.Data = append(m.AppendSpan(out.Data, last, m.Start()), to...)
				last = m.End()
				if isTooLong(out.Data, start) {
					return tooLong("REGEXP_REPLACE", i)
				}
			}
			out.Data = m.AppendSpan(out.Data, last, m.Size())
			return nil
		})}, nil
}

// resolveRegexpInt binds a function that gives an INT; f is not asked about bad
// expressions, which give NULL.
func resolveRegexpInt(f func(m *regexCache, re *javaregex.Regexp, s []byte) (int32, error)) resolve {
	return func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
		to, err := take(args, 2, textParam, textParam)
		if err == nil {
			err = checkRegex(lits, 1)
		}
		if err != nil {
			return expr.Resolution{}, err
		}
		return expr.Resolution{Args: to, Result: intType, CanFail: true,
			New: matcher(func(m *regexCache, re *javaregex.Regexp, args []*stream.Vec, out *stream.Vec, i, n int) (err error) {
				if re == nil {
					out.SetNull(i, n)
					return nil
				}
				stream.Values[int32](out)[i], err = f(m, re, args[0].Bytes(i))
				return err
			})}, nil
	}
}

func regexCount(m *regexCache, re *javaregex.Regexp, s []byte) (n int32, err error) {
	m.All(re, s)
	for {
		found, err := m.Next()
		if !found {
			return n, err
		}
		n++
	}
}

func regexPlace(m *regexCache, re *javaregex.Regexp, s []byte) (int32, error) {
	found, err := m.First(re, s)
	if !found {
		return 0, err
	}
	return int32(m.UnitsBefore()) + 1, nil
}

// units counts the UTF-16 units of a text.
func units(b []byte) int {
	n := 0
	for len(b) > 0 {
		r, w := utf8.DecodeRune(b)
		n += utf16.RuneLen(r)
		b = b[w:]
	}
	return n
}
