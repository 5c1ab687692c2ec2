package builtin

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func formatFunctions() []*expr.Function {
	return []*expr.Function{{
		Name: "PRINTF", Class: "string", Usage: "PRINTF(format, value, ...)",
		Doc: "The values in a format of Java's Formatter: %d %x %o %s %c %b %e %f %g %n %% with flags, width and precision. " +
			"NULL if the format does not fit the values.",
		Examples: []expr.Example{ex("PRINTF('%s is %05.1f%%', 'it', 12.345E0)", "it is 012.3%"), ex("PRINTF('%d', 'x')", "")},
		Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
			if err := arity(args, 1, -1); err != nil {
				return expr.Resolution{}, err
			}
			if err := noNull(args); err != nil {
				return expr.Resolution{}, err
			}
			if !args[0].IsText() {
				return expr.Resolution{}, expects("a text as format", args[:1])
			}
			for _, t := range args[1:] {
				if t.IsBytes() || t.IsNested() {
					return expr.Resolution{}, expects("texts, numbers and times as values", args[1:])
				}
			}
			return expr.Resolution{Args: args, Result: stringType, NullAware: true, CanFail: true, New: func() expr.Kernel {
				var f formatter
				put := textOf(func(dst []byte, args []*stream.Vec, i int) ([]byte, bool) {
					if args[0].IsNull(i) {
						return dst, false
					}
					f.dst, f.args, f.row, f.next, f.last = dst, args[1:], i, 0, -1
					ok := f.run(args[0].Bytes(i))
					return f.dst, ok
				})
				return func(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
					f.failed = nil
					put(c, args, out, rows)
					return f.failed
				}
			}}, nil
		},
	}}
}

// formatter prints one row.
type formatter struct {
	dst        []byte
	args       []*stream.Vec
	row        int
	next, last int // arguments: the next ordinary one, the one used last
	scratch    []byte
	failed     error // a conversion that Java has and we do not
}

// spec is one conversion of a format.
type spec struct {
	left, plus, blank, zero, comma, paren, alternate bool
	width, precision                                 int // -1: none
	verb                                             byte
	upper                                            bool
}

// maxWidth bounds what one conversion may print.
const maxWidth = 1 << 16

func (f *formatter) run(format []byte) bool {
	for len(format) > 0 {
		k := bytes.IndexByte(format, '%')
		if k < 0 {
			k = len(format)
		}
		f.dst = append(f.dst, format[:k]...)
		if format = format[k:]; len(format) == 0 {
			break
		}
		s, arg, rest, ok := f.parse(format[1:])
		if !ok || !f.convert(&s, arg) {
			return false
		}
		format = rest
	}
	return true
}

// parse reads what stands behind a %; arg is the position of the argument, counted
// from 1, 0 for the next one, -1 for the last one.
func (f *formatter) parse(b []byte) (s spec, arg int, rest []byte, ok bool) {
	s.width, s.precision = -1, -1
	if n, w := digits(b, 5); w > 0 && w < len(b) && b[w] == '$' && b[0] != '0' {
		arg, b = int(n), b[w+1:]
	} else if len(b) > 0 && b[0] == '<' {
		arg, b = -1, b[1:]
	}
flags:
	for len(b) > 0 {
		flag := map[byte]*bool{'-': &s.left, '+': &s.plus, ' ': &s.blank, '0': &s.zero, ',': &s.comma, '(': &s.paren, '#': &s.alternate}[b[0]]
		switch {
		case flag == nil:
			break flags
		case *flag:
			return s, 0, nil, false
		}
		*flag, b = true, b[1:]
	}
	if n, w := digits(b, 6); w > 0 {
		s.width, b = int(n), b[w:]
	}
	if len(b) > 0 && b[0] == '.' {
		n, w := digits(b[1:], 6)
		if w == 0 {
			return s, 0, nil, false
		}
		s.precision, b = int(n), b[1+w:]
	}
	if len(b) == 0 || s.width > maxWidth || s.precision > maxWidth ||
		s.left && s.zero || s.plus && s.blank || (s.left || s.zero) && s.width < 0 {
		return s, 0, nil, false
	}
	s.verb = b[0]
	if s.verb == 'S' || s.verb == 'X' || s.verb == 'B' || s.verb == 'C' || s.verb == 'E' || s.verb == 'G' {
		s.verb, s.upper = s.verb+'a'-'A', true
	}
	return s, arg, b[1:], true
}

func (f *formatter) convert(s *spec, arg int) bool {
	switch s.verb {
	case '%':
		f.pad(s, []byte("%"))
		return s.precision < 0
	case 'n':
		f.dst = append(f.dst, '\n')
		return s.precision < 0 && s.width < 0
	}
	switch arg {
	case 0:
		arg, f.next = f.next, f.next+1
	case -1:
		arg = f.last
	default:
		arg--
	}
	if arg < 0 || arg >= len(f.args) {
		return false
	}
	f.last = arg
	v := f.args[arg]
	numeric := s.plus || s.blank || s.zero || s.comma || s.paren
	switch s.verb {
	case 's', 'b':
		if numeric || s.alternate {
			return false
		}
		f.general(s, v)
		return true
	case 'c':
		return !numeric && !s.alternate && s.precision < 0 && f.character(s, v)
	case 'd', 'x', 'o':
		return s.precision < 0 && f.integer(s, v)
	case 'e', 'f', 'g':
		return f.float(s, v)
	case 'a', 'h', 't', 'A', 'H', 'T':
		if f.failed == nil {
			f.failed = &expr.RowError{Row: f.row, Msg: fmt.Sprintf("PRINTF: %%%c is not supported", s.verb), Hint: "use %x, %s, or DATE_FORMAT"}
		}
	}
	return false
}

// general prints %s and %b.
func (f *formatter) general(s *spec, v *stream.Vec) {
	b := f.scratch[:0]
	null := v.IsNull(f.row)
	switch {
	case s.verb == 'b' && v.Type.Kind == types.Boolean && !null:
		b = strconv.AppendBool(b, v.Bool(f.row))
	case s.verb == 'b':
		b = strconv.AppendBool(b, !null)
	case null:
		b = append(b, "null"...)
	default:
		b = f.appendValue(b, v)
	}
	if s.precision >= 0 && units(b) > s.precision {
		b = appendUTF16(nil, appendUnits(nil, b)[:s.precision])
	}
	f.scratch = b
	f.pad(s, b)
}

// appendValue appends a value as Java prints what Flink hands it: dates and times of
// day as numbers, timestamps in ISO form.
func (f *formatter) appendValue(b []byte, v *stream.Vec) []byte {
	k := v.At(f.row)
	switch t := v.Type; {
	case t.Kind == types.Boolean:
		return strconv.AppendBool(b, v.Bool(f.row))
	case t.Kind == types.Date, t.Kind == types.Time, t.Kind == types.IntervalMonth:
		return strconv.AppendInt(b, int64(stream.Values[int32](v)[k]), 10)
	case t.Kind == types.IntervalDay:
		return strconv.AppendInt(b, stream.Values[int64](v)[k], 10)
	case t.IsTimestamp():
		return appendISO(b, stream.Values[int64](v)[k], t.TimeUnit())
	}
	return appendText(b, v, k, nil)
}

// appendISO appends a time as Java's LocalDateTime does: without seconds if they
// are zero, the fraction in groups of three digits.
func appendISO(b []byte, v, unit int64) []byte {
	start := len(b)
	b = types.AppendTimestamp(b, v, unit, 9)
	b[bytes.IndexByte(b[start:], ' ')+start] = 'T'
	n := len(b)
	switch {
	case string(b[n-13:]) == ":00.000000000":
		return b[:n-13]
	case string(b[n-10:]) == ".000000000":
		return b[:n-10]
	case string(b[n-6:]) == "000000":
		return b[:n-6]
	case string(b[n-3:]) == "000":
		return b[:n-3]
	}
	return b
}

func (f *formatter) character(s *spec, v *stream.Vec) bool {
	if v.IsNull(f.row) {
		f.pad(s, []byte("null"))
		return true
	}
	x, ok := wholeAt(v, f.row)
	if !ok || v.Type.Kind == types.BigInt || x < 0 || x > utf8.MaxRune {
		return false
	}
	f.pad(s, utf8.AppendRune(nil, rune(x)))
	return true
}

// wholeAt returns an integer of any width; Flink hands dates on as integers, too.
func wholeAt(v *stream.Vec, i int) (int64, bool) {
	k := v.At(i)
	switch v.Type.Kind {
	case types.TinyInt:
		return int64(stream.Values[int8](v)[k]), true
	case types.SmallInt:
		return int64(stream.Values[int16](v)[k]), true
	case types.Int, types.Date, types.Time, types.IntervalMonth:
		return int64(stream.Values[int32](v)[k]), true
	case types.BigInt, types.IntervalDay:
		return stream.Values[int64](v)[k], true
	}
	return 0, false
}

func (f *formatter) integer(s *spec, v *stream.Vec) bool {
	if s.verb == 'd' && s.alternate || s.verb != 'd' && (s.comma || s.plus || s.blank || s.paren) {
		return false
	}
	if v.IsNull(f.row) {
		f.pad(&spec{width: s.width, left: s.left, upper: s.upper}, []byte("null"))
		return true
	}
	x, ok := wholeAt(v, f.row)
	if !ok {
		return false
	}
	if s.verb == 'd' {
		f.number(s, strconv.AppendUint(nil, magnitude64(x), 10), x < 0)
		return true
	}
	base, prefix := 16, "0x"
	if s.verb == 'o' {
		base, prefix = 8, "0"
	}
	u := uint64(x)
	if w := v.Type.Layout().Width(); w < 8 {
		u &= 1<<(8*w) - 1
	}
	b := strconv.AppendUint(nil, u, base)
	if s.alternate {
		b = append([]byte(prefix), b...)
	}
	f.number(s, b, false)
	return true
}

func magnitude64(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func (f *formatter) float(s *spec, v *stream.Vec) bool {
	if s.alternate || s.verb == 'e' && s.comma {
		return false
	}
	if v.IsNull(f.row) {
		null := "null"
		if s.precision >= 0 {
			null = null[:min(s.precision, len(null))]
		}
		f.pad(&spec{width: s.width, left: s.left, upper: s.upper}, []byte(null))
		return true
	}
	var x float64
	switch k := v.At(f.row); v.Type.Kind {
	case types.Float:
		x = float64(stream.Values[float32](v)[k])
	case types.Double:
		x = stream.Values[float64](v)[k]
	default:
		return false
	}
	if x-x != 0 {
		text := []byte("NaN")
		if x == x {
			text = []byte("Infinity")
		}
		plain := *s
		plain.zero, plain.comma = false, false
		f.number(&plain, text, x < 0)
		return true
	}
	// Java rounds the shortest text of the number, halves up.
	text := types.AppendDouble(nil, math.Abs(x))
	exact, _ := new(big.Rat).SetString(string(text))
	precision := s.precision
	if precision < 0 {
		precision = 6
	}
	f.number(s, appendRounded(exact, s.verb, precision), math.Signbit(x))
	return true
}

// appendRounded prints a number that is not negative for %e, %f and %g.
func appendRounded(x *big.Rat, verb byte, precision int) []byte {
	if verb == 'g' {
		precision = max(precision, 1)
		if x.Sign() == 0 || x.Cmp(big.NewRat(1, 10000)) >= 0 && len(roundHalfUp(x, 0)) <= precision {
			digits := wholeDigits(x)
			if len(roundHalfUp(x, precision-digits)) > precision {
				digits++ // 9.9999999 becomes 10.0000
			}
			return withPoint(roundHalfUp(x, precision-digits), precision-digits)
		}
		verb, precision = 'e', precision-1
	}
	if verb == 'f' {
		return withPoint(roundHalfUp(x, precision), precision)
	}
	exp := 0
	if x.Sign() != 0 {
		f, _ := x.Float64()
		exp = int(math.Floor(math.Log10(f)))
		for len(roundHalfUp(x, precision-exp)) > precision+1 {
			exp++
		}
		for len(roundHalfUp(x, precision-exp)) < precision+1 {
			exp--
		}
	}
	b := withPoint(roundHalfUp(x, precision-exp), precision)
	b = append(b, 'e')
	if exp < 0 {
		b, exp = append(b, '-'), -exp
	} else {
		b = append(b, '+')
	}
	if exp < 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(exp), 10)
}

// wholeDigits counts the digits before the point; below 1 the zeros behind it count
// negative.
func wholeDigits(x *big.Rat) int {
	one, ten := big.NewRat(1, 1), big.NewRat(10, 1)
	if x.Sign() == 0 {
		return 1
	}
	if x.Cmp(one) >= 0 {
		return len(new(big.Int).Quo(x.Num(), x.Denom()).Text(10))
	}
	n := 0
	for y := new(big.Rat).Mul(x, ten); y.Cmp(one) < 0; n-- {
		y.Mul(y, ten)
	}
	return n
}

// roundHalfUp returns the digits of x·10^scale, rounded.
func roundHalfUp(x *big.Rat, scale int) []byte {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
	y := new(big.Rat).SetInt(p)
	if scale < 0 {
		y.Inv(y)
	}
	y.Mul(y, x).Add(y, big.NewRat(1, 2))
	return new(big.Int).Quo(y.Num(), y.Denom()).Append(nil, 10)
}

// withPoint sets a point before the last digits.
func withPoint(b []byte, scale int) []byte {
	if scale <= 0 {
		return b
	}
	for len(b) <= scale {
		b = append([]byte("0"), b...)
	}
	n := len(b) - scale
	return append(append(append([]byte{}, b[:n]...), '.'), b[n:]...)
}

// number prints digits with sign, groups and zeros.
func (f *formatter) number(s *spec, b []byte, negative bool) {
	if s.comma {
		b = grouped(b)
	}
	before, behind := "", ""
	switch {
	case negative && s.paren:
		before, behind = "(", ")"
	case negative:
		before = "-"
	case s.plus:
		before = "+"
	case s.blank:
		before = " "
	}
	if s.zero {
		for len(before)+len(b)+len(behind) < s.width {
			b = append([]byte("0"), b...)
		}
	}
	f.pad(s, append(append([]byte(before), b...), behind...))
}

// grouped sets commas between the thousands.
func grouped(b []byte) []byte {
	end := bytes.IndexByte(b, '.')
	if end < 0 {
		end = len(b)
	}
	var out []byte
	for i, c := range b {
		if i > 0 && i < end && (end-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, c)
	}
	return out
}

// pad appends b, filled up to the width.
func (f *formatter) pad(s *spec, b []byte) {
	if s.upper {
		b = appendUpper(nil, b)
	}
	fill := s.width - units(b)
	if s.left {
		f.dst = append(f.dst, b...)
	}
	for ; fill > 0; fill-- {
		f.dst = append(f.dst, ' ')
	}
	if !s.left {
		f.dst = append(f.dst, b...)
	}
}
