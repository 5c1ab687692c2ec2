package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func regexFunctions() []*expr.Function {
	return []*expr.Function{
		{Name: "SIMILAR TO", Class: "comparison", Operator: true, Usage: "text SIMILAR TO pattern [ESCAPE character]",
			Doc:      "Matches the whole text with an SQL regular expression: % any characters, _ one, and | * + ? {} () [].",
			Examples: []expr.Example{ex("'abc' SIMILAR TO '(a|x)%'", "TRUE")}, Resolve: resolveSimilar},
		{Name: "REGEXP", Class: "string", Usage: "REGEXP(text, regex)", Doc: "Whether the regular expression matches somewhere; FALSE for a bad one.",
			Examples: []expr.Example{ex("REGEXP('foobar', 'o+b')", "TRUE")}, Resolve: resolveRegexp},
		{Name: "REGEXP_EXTRACT", Class: "string", Usage: "REGEXP_EXTRACT(text, regex [, group])", Doc: "The group (0, the default, is all) of the first match, or NULL.",
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

// regexCache keeps the expression compiled last.
type regexCache struct {
	text  []byte
	known bool
	re    *regexp.Regexp // nil: bad
	err   error          // it uses what we do not support
}

func (c *regexCache) get(b []byte) (*regexp.Regexp, error) {
	if !c.known || !bytes.Equal(b, c.text) {
		c.text, c.known = append(c.text[:0], b...), true
		c.re, c.err = compileRegex(string(b))
	}
	return c.re, c.err
}

// compileRegex compiles a regular expression in Java's syntax. A bad one is nil; a
// feature that Go's engine lacks is an error, so that it is never taken for a miss.
func compileRegex(s string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(s)
	if err == nil {
		return re, nil
	}
	for _, f := range [...]string{"(?=", "(?!", "(?<=", "(?<!", "(?>", "++", "*+", "?+", "&&"} {
		if strings.Contains(s, f) {
			return nil, fmt.Errorf("regular expression '%s' uses %s, which is not supported", s, f)
		}
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\\' {
			if s[i+1] >= '1' && s[i+1] <= '9' {
				return nil, fmt.Errorf("regular expression '%s' uses back references, which are not supported", s)
			}
			i++
		}
	}
	return nil, nil
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

// matcher makes the kernel of a function of a text (argument 0) and a regular
// expression (argument 1): f handles one row.
func matcher(f func(re *regexp.Regexp, args []*stream.Vec, out *stream.Vec, i, n int)) func() expr.Kernel {
	return func() expr.Kernel {
		var cache regexCache
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			var failed error
			one := func(i int) error {
				if !isValid(out, i) {
					return nil
				}
				re, err := cache.get(args[1].Bytes(i))
				if err != nil {
					return &expr.RowError{Row: i, Msg: err.Error()}
				}
				f(re, args, out, i, rows.N)
				return nil
			}
			if out.Type.Layout() != types.Bytes {
				return each(rows, one)
			}
			eachText(out, rows, func(i int) {
				if err := one(i); err != nil && failed == nil {
					failed = err
				}
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
		New: matcher(func(re *regexp.Regexp, args []*stream.Vec, out *stream.Vec, i, _ int) {
			// An empty expression matches nothing, as in Flink.
			out.SetBool(i, re != nil && len(args[1].Bytes(i)) > 0 && re.Match(args[0].Bytes(i)))
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
		New: matcher(func(re *regexp.Regexp, args []*stream.Vec, out *stream.Vec, i, n int) {
			group := int64(0)
			if len(args) == 3 {
				group = integerAt(args[2], i)
			}
			s := args[0].Bytes(i)
			if re == nil || group < 0 || group > int64(re.NumSubexp()) {
				out.SetNull(i, n)
				return
			}
			m := re.FindSubmatchIndex(s)
			if m == nil || m[2*group] < 0 {
				out.SetNull(i, n)
				return
			}
			out.Data = append(out.Data, s[m[2*group]:m[2*group+1]]...)
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
		New: matcher(func(re *regexp.Regexp, args []*stream.Vec, out *stream.Vec, i, n int) {
			if re == nil {
				out.SetNull(i, n)
				return
			}
			s, to := args[0].Bytes(i), args[2].Bytes(i)
			if len(args[1].Bytes(i)) == 0 {
				out.Data = appendBetween(out.Data, s, to)
				return
			}
			last := 0
			for _, m := range javaMatches(re, s) {
				out.Data = append(append(out.Data, s[last:m[0]]...), to...)
				last = m[1]
			}
			out.Data = append(out.Data, s[last:]...)
		})}, nil
}

// appendBetween puts to around every UTF-16 unit of s, which is where an empty
// expression matches.
func appendBetween(dst, s, to []byte) []byte {
	dst = append(dst, to...)
	for _, u := range appendUnits(nil, s) {
		dst = append(appendUTF16(dst, []uint16{u}), to...)
	}
	return dst
}

// javaMatches finds all matches as Java does: unlike in Go, an empty match may
// follow a match directly.
func javaMatches(re *regexp.Regexp, s []byte) [][]int {
	return withEmptyMatches(re, s, re.FindAllIndex(s, -1), re.FindIndex)
}

// withEmptyMatches adds to all matches of s the empty ones that directly follow another
// one; first finds the first match of a text.
func withEmptyMatches(re *regexp.Regexp, s []byte, all [][]int, first func([]byte) []int) [][]int {
	if !re.Match(nil) {
		return all
	}
	var out [][]int
	for k, m := range all {
		out = append(out, m)
		if m[1] > m[0] && (k+1 == len(all) || all[k+1][0] > m[1]) {
			if e := first(s[m[1]:]); e != nil && e[0] == 0 && e[1] == 0 {
				for j := range e {
					if e[j] >= 0 {
						e[j] += m[1]
					}
				}
				out = append(out, e)
			}
		}
	}
	return out
}

// resolveRegexpInt binds a function that gives an INT; f is not asked about bad
// expressions, which give NULL.
func resolveRegexpInt(f func(re *regexp.Regexp, s []byte) int32) resolve {
	return func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
		to, err := take(args, 2, textParam, textParam)
		if err == nil {
			err = checkRegex(lits, 1)
		}
		if err != nil {
			return expr.Resolution{}, err
		}
		return expr.Resolution{Args: to, Result: intType, CanFail: true,
			New: matcher(func(re *regexp.Regexp, args []*stream.Vec, out *stream.Vec, i, n int) {
				if re == nil {
					out.SetNull(i, n)
					return
				}
				stream.Values[int32](out)[i] = f(re, args[0].Bytes(i))
			})}, nil
	}
}

func regexCount(re *regexp.Regexp, s []byte) int32 {
	if re.String() == "" {
		return int32(units(s)) + 1
	}
	return int32(len(javaMatches(re, s)))
}

func regexPlace(re *regexp.Regexp, s []byte) int32 {
	m := re.FindIndex(s)
	if m == nil {
		return 0
	}
	return int32(units(s[:m[0]])) + 1
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
		var re *regexp.Regexp
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
				if bad != nil {
					return &expr.RowError{Row: i, Msg: bad.Error()}
				}
				out.SetBool(i, re.Match(args[0].Bytes(i)))
				return nil
			})
		}
	}}, nil
}

// compileSimilar translates an SQL regular expression. A backslash and a dollar sign
// stand for themselves; a point matches any character, as in Flink.
func compileSimilar(s string, escape rune) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("(?s)^(?:")
	class, escaped := 0, false
	for i, r := range s {
		switch {
		case escaped:
			b.WriteString(regexp.QuoteMeta(string(r)))
			escaped = false
		case r == escape:
			escaped = true
		case r == '\\' || r == '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		case class > 0:
			if r == '[' {
				class++
			} else if r == ']' {
				class--
			}
			if class > 1 || strings.HasSuffix(s[:i], ":") && r == ']' {
				b.WriteString(strings.ToLower(string(r))) // [:DIGIT:]
				continue
			}
			b.WriteRune(r)
		case r == '[':
			class = 1
			b.WriteRune(r)
		case r == '_':
			b.WriteByte('.')
		case r == '%':
			b.WriteString(".*")
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString(")$")
	re, err := regexp.Compile(b.String())
	if err != nil || escaped || class > 0 {
		return nil, fmt.Errorf("'%s' is no regular expression", s)
	}
	return re, nil
}
