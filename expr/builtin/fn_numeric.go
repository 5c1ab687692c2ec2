package builtin

import (
	"math"
	"strconv"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// double makes a function of DOUBLEs.
func double(name, usage, doc string, f func(x float64) float64, examples ...expr.Example) *expr.Function {
	k := func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		o, x := operand[float64](out, rows.N), operand[float64](args[0], rows.N)
		_ = each(rows, func(i int) error {
			o[i] = f(at(x, i))
			return nil
		})
	}
	return &expr.Function{Name: name, Class: "numeric", Usage: usage, Doc: doc, Examples: examples,
		Resolve: fixed(doubleType, safe(k), 1, numberParam)}
}

// double2 makes a function of two DOUBLEs.
func double2(name, usage, doc string, f func(x, y float64) float64, examples ...expr.Example) *expr.Function {
	k := func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		o, x, y := operand[float64](out, rows.N), operand[float64](args[0], rows.N), operand[float64](args[1], rows.N)
		_ = each(rows, func(i int) error {
			o[i] = f(at(x, i), at(y, i))
			return nil
		})
	}
	return &expr.Function{Name: name, Class: "numeric", Usage: usage, Doc: doc, Examples: examples,
		Resolve: fixed(doubleType, safe(k), 2, numberParam, numberParam)}
}

// number0 makes a constant function.
func number0(name string, v float64, doc, result string) *expr.Function {
	return &expr.Function{Name: name, Class: "numeric", Usage: name + "()", Doc: doc, Examples: []expr.Example{ex(name+"()", result)},
		Resolve: fixed(doubleType, safe(func(_ *expr.Context, _ []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			for i := range operand[float64](out, rows.N) {
				stream.Values[float64](out)[i] = v
			}
		}), 0)}
}

func numericFunctions() []*expr.Function {
	return []*expr.Function{
		sameNumber("ABS", "ABS(number)", "The number without its sign; the least integer stays as it is.", absKernel, ex("ABS(-5)", "5")),
		sameNumber("SIGN", "SIGN(number)", "-1, 0 or 1, in the type of the number.", signKernel, ex("SIGN(-2.50)", "-1.00")),
		floorFunction("FLOOR", nil, "The greatest whole number that is not greater; or the start of a time unit: FLOOR(time TO unit).", -1, ex("FLOOR(-1.5)", "-2"), ex("FLOOR(TIME '12:44:31' TO MINUTE)", "12:44:00")),
		floorFunction("CEIL", []string{"CEILING"}, "The least whole number that is not less; or the end of a time unit: CEIL(time TO unit).", 1, ex("CEIL(1.2)", "2"), ex("CEIL(DATE '2024-02-10' TO MONTH)", "2024-03-01")),
		{Name: "ROUND", Class: "numeric", Usage: "ROUND(number [, digits])", Doc: "Rounded to digits behind the point, halves away from zero; negative digits round before the point.",
			Examples: []expr.Example{ex("ROUND(2.5)", "3"), ex("ROUND(1234.567, -2)", "1200"), ex("ROUND(1.005E0, 2)", "1.01")},
			Resolve: func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
				return resolveRound(args, lits, true)
			}},
		{Name: "TRUNCATE", Class: "numeric", Usage: "TRUNCATE(number [, digits])", Doc: "Cut to digits behind the point, toward zero.",
			Examples: []expr.Example{ex("TRUNCATE(42.324, 2)", "42.32"), ex("TRUNCATE(-99, -1)", "-90")},
			Resolve: func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
				return resolveRound(args, lits, false)
			}},
		double2("POWER", "POWER(base, exponent)", "base raised to exponent.", powerOf, ex("POWER(2, -1)", "0.5")),
		double("SQRT", "SQRT(number)", "Square root; NaN below zero.", func(x float64) float64 {
			if math.IsInf(x, -1) || x == 0 {
				return math.Abs(x) // Flink computes x to the power of 0.5
			}
			return math.Sqrt(x)
		}, ex("SQRT(16)", "4.0")),
		double("EXP", "EXP(number)", "e raised to the number.", expOf, ex("EXP(0)", "1.0")),
		double("LN", "LN(number)", "Natural logarithm.", logOf, ex("LN(1)", "0.0")),
		double("LOG10", "LOG10(number)", "Logarithm to base 10.", log10Of, ex("LOG10(100)", "2.0")),
		double("LOG2", "LOG2(number)", "Logarithm to base 2.", func(x float64) float64 { return logOf(x) / math.Ln2 }, ex("LOG2(8)", "3.0")),
		{Name: "LOG", Class: "numeric", Usage: "LOG([base,] number)", Doc: "Logarithm to a base, or the natural one.",
			Examples: []expr.Example{ex("LOG(2, 8)", "3.0")}, Resolve: resolveLog},
		double("SIN", "SIN(number)", "Sine.", sinOf, ex("SIN(0)", "0.0")),
		double("COS", "COS(number)", "Cosine.", cosOf, ex("COS(0)", "1.0")),
		double("TAN", "TAN(number)", "Tangent.", tanOf, ex("TAN(0)", "0.0")),
		double("COT", "COT(number)", "Cotangent.", func(x float64) float64 { return 1 / tanOf(x) }, ex("COT(0)", "Infinity")),
		double("ASIN", "ASIN(number)", "Arc sine.", asinOf, ex("ASIN(0)", "0.0")),
		double("ACOS", "ACOS(number)", "Arc cosine.", acosOf, ex("ACOS(1)", "0.0")),
		double("ATAN", "ATAN(number)", "Arc tangent.", atanOf, ex("ATAN(0)", "0.0")),
		double2("ATAN2", "ATAN2(y, x)", "Angle of the point (x, y).", atan2Of, ex("ATAN2(0, 1)", "0.0")),
		double("SINH", "SINH(number)", "Hyperbolic sine.", sinhOf, ex("SINH(0)", "0.0")),
		double("COSH", "COSH(number)", "Hyperbolic cosine.", coshOf, ex("COSH(0)", "1.0")),
		double("TANH", "TANH(number)", "Hyperbolic tangent.", tanhOf, ex("TANH(0)", "0.0")),
		double("DEGREES", "DEGREES(number)", "Radians as degrees.", func(x float64) float64 { return x * (180 / math.Pi) }, ex("DEGREES(PI())", "180.0")),
		double("RADIANS", "RADIANS(number)", "Degrees as radians.", func(x float64) float64 { return x * (math.Pi / 180) }, ex("RADIANS(180)", "3.141592653589793")),
		number0("PI", math.Pi, "The number pi.", "3.141592653589793"),
		number0("E", math.E, "The number e.", "2.718281828459045"),
		text("BIN", "BIN(integer)", "The number in base 2, as 64 bits.", asString,
			sure(func(dst []byte, a []*stream.Vec, i int) []byte {
				return strconv.AppendUint(dst, uint64(integerAt(a[0], i)), 2)
			}),
			1, []param{intParam}, ex("BIN(5)", "101")),
		{Name: "HEX", Class: "numeric", Usage: "HEX(integer); HEX(text)", Doc: "The number as 64 bits, or the bytes of the text, in base 16.",
			Examples: []expr.Example{ex("HEX(20)", "14"), ex("HEX('é')", "C3A9")}, Resolve: resolveHex},
	}
}

func resolveLog(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 1, numberParam, numberParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: like(doubleType, args), New: safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		o := operand[float64](out, rows.N)
		x := operand[float64](args[len(args)-1], rows.N)
		if len(args) == 1 {
			for i := range o {
				o[i] = logOf(at(x, i))
			}
			return
		}
		base := operand[float64](args[0], rows.N)
		for i := range o {
			o[i] = logOf(at(x, i)) / logOf(at(base, i))
		}
	})}, nil
}

const upperHex = "0123456789ABCDEF"

func resolveHex(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	p := param{"an integer or a text", func(t types.Type) bool { return t.IsInteger() || t.IsText() }, types.Type{}}
	to, err := take(args, 1, p)
	if err != nil {
		return expr.Resolution{}, err
	}
	res := expr.Resolution{Args: to, Result: like(stringType, args)}
	if args[0].IsInteger() {
		to[0] = bigintType
		res.New = safe(sure(func(dst []byte, a []*stream.Vec, i int) []byte {
			n := len(dst)
			dst = strconv.AppendUint(dst, uint64(integerAt(a[0], i)), 16)
			for k, c := range dst[n:] {
				if c >= 'a' {
					dst[n+k] = c - 'a' + 'A'
				}
			}
			return dst
		}))
		return res, nil
	}
	res.New = safe(sure(func(dst []byte, a []*stream.Vec, i int) []byte {
		for _, c := range a[0].Bytes(i) {
			dst = append(dst, upperHex[c>>4], upperHex[c&15])
		}
		return dst
	}))
	return res, nil
}

// sameNumber makes a function of one number whose result has its type.
func sameNumber(name, usage, doc string, kernel func(types.Type) loop, examples ...expr.Example) *expr.Function {
	return &expr.Function{Name: name, Class: "numeric", Usage: usage, Doc: doc, Examples: examples,
		Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
			if _, err := take(args, 1, param{"a number", types.Type.IsNumeric, types.Type{}}); err != nil {
				return expr.Resolution{}, err
			}
			return expr.Resolution{Args: args, Result: args[0], New: safe(kernel(args[0]))}, nil
		}}
}

func absKernel(t types.Type) loop {
	switch t.Layout() {
	case types.Int8:
		return absLoop[int8]
	case types.Int16:
		return absLoop[int16]
	case types.Int32:
		return absLoop[int32]
	case types.Int64:
		return absLoop[int64]
	case types.Float32:
		return absLoop[float32]
	case types.Float64:
		return absLoop[float64]
	}
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		o := operand[types.Num128](out, rows.N)
		for i, x := range operand[types.Num128](args[0], rows.N) {
			o[i] = x.Abs()
		}
	}
}

func absLoop[T number](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	a := operand[T](args[0], rows.N)
	o := operand[T](out, rows.N)[:len(a)]
	for i, x := range a {
		if x <= 0 {
			x = 0 - x // also makes -0.0 into 0.0
		}
		o[i] = x
	}
}

func signKernel(t types.Type) loop {
	if t.Kind == types.Decimal {
		unit := int64(0)
		if t.Layout() == types.Int64 {
			unit = types.Pow10(t.Scale)
		}
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			x, o := decimalsOf(args[0], rows.N), decimalsOf(out, rows.N)
			for i := range rows.N {
				s := int64(x.at(i).Sign())
				if unit != 0 {
					o.set(i, types.Widen(s*unit))
				} else {
					v, _ := types.Rescale(types.Widen(s), 0, t.Scale, t.Precision)
					o.set(i, v)
				}
			}
		}
	}
	switch t.Layout() {
	case types.Int8:
		return signLoop[int8]
	case types.Int16:
		return signLoop[int16]
	case types.Int32:
		return signLoop[int32]
	case types.Int64:
		return signLoop[int64]
	case types.Float32:
		return signLoop[float32]
	}
	return signLoop[float64]
}

func signLoop[T number](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	o := operand[T](out, rows.N)
	for i, x := range operand[T](args[0], rows.N) {
		switch {
		case x > 0:
			x = 1
		case x < 0:
			x = -1
		}
		o[i] = x // zeros of both signs and NaN stay
	}
}

// floorFunction makes FLOOR (direction -1) or CEIL (1), of numbers and of times.
func floorFunction(name string, aliases []string, doc string, direction int, examples ...expr.Example) *expr.Function {
	return &expr.Function{Name: name, Aliases: aliases, Class: "numeric", Usage: name + "(number); " + name + "(time TO unit)", Doc: doc, Examples: examples,
		Resolve: func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
			if len(args) == 2 {
				return resolveFloorTime(args, lits, direction)
			}
			if _, err := take(args, 1, param{"a number", types.Type.IsNumeric, types.Type{}}); err != nil {
				return expr.Resolution{}, err
			}
			return resolveFloorNumber(args[0], direction), nil
		}}
}

func resolveFloorNumber(t types.Type, direction int) expr.Resolution {
	res := expr.Resolution{Args: []types.Type{t}, Result: t}
	switch {
	case t.IsInteger():
		res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			w := t.Layout().Width()
			copy(out.Data[:rows.N*w], args[0].Data[:rows.N*w])
		})
	case t.Kind == types.Float:
		res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			roundFloats(operand[float32](out, rows.N), operand[float32](args[0], rows.N), direction)
		})
	case t.Kind == types.Double:
		res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			roundFloats(operand[float64](out, rows.N), operand[float64](args[0], rows.N), direction)
		})
	default:
		to := types.NewDecimal(int(t.Precision), 0)
		res.Result = to.WithNullability(!t.NotNull)
		res.New = safe(roundDecimals(t, to, 0, direction))
	}
	return res
}

// roundFloats rounds up or down; the functions are named in the loops, since there they
// are one instruction.
func roundFloats[T float32 | float64](o, a []T, direction int) {
	o = o[:len(a)]
	if direction > 0 {
		for i, x := range a {
			o[i] = T(math.Ceil(float64(x)))
		}
		return
	}
	for i, x := range a {
		o[i] = T(math.Floor(float64(x)))
	}
}

// roundDecimals rounds to digits behind the point, which may be negative: direction
// -1 down, 1 up, 0 half away from zero, 2 toward zero.
func roundDecimals(t, to types.Type, digits int32, direction int) loop {
	if k := roundSmall(t, to, digits, direction); k != nil {
		return k
	}
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		x, o := decimalsOf(args[0], rows.N), decimalsOf(out, rows.N)
		for i := range rows.N {
			v, ok := roundDecimal(x.at(i), t.Scale, digits, to, direction)
			if !ok {
				out.SetNull(i, rows.N)
			}
			o.set(i, v)
		}
	}
}

// roundDecimal rounds an unscaled value of scale s to digits behind the point and
// gives it in the type to.
func roundDecimal(x types.Num128, s, digits int32, to types.Type, direction int) (types.Num128, bool) {
	drop := s - digits
	if drop <= 0 {
		return types.Rescale(x, s, to.Scale, to.Precision)
	}
	if drop > types.MaxPrecision {
		return types.Num128{}, true
	}
	q, _ := types.Rescale(x, s, digits, types.MaxPrecision)
	if direction != 0 {
		// Correct the half-up rounding where it went the other way.
		c := types.CompareDecimal(q, digits, x, s)
		down := direction == -1 || direction == 2 && x.Sign() > 0
		switch {
		case down && c > 0:
			q = q.Sub(types.Widen(1))
		case !down && c < 0:
			q = q.Add(types.Widen(1))
		}
	}
	return types.Rescale(q, digits, to.Scale, to.Precision)
}

// resolveRound binds ROUND (half away from zero) and TRUNCATE (toward zero).
func resolveRound(args []types.Type, lits []*expr.Literal, half bool) (expr.Resolution, error) {
	to, err := take(args, 1, param{"a number", types.Type.IsNumeric, types.Type{}}, intParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	res := expr.Resolution{Args: to, Result: like(t, args)}
	digits, constant := int64(0), true
	if len(args) == 2 {
		constant = len(lits) > 1 && lits[1] != nil && !lits[1].Value.Null
		if constant {
			digits = lits[1].Value.I
		}
	}
	digitsAt := func(args []*stream.Vec, i int) int64 {
		if len(args) == 1 {
			return 0
		}
		return max(-400, min(400, integerAt(args[1], i)))
	}
	switch {
	case t.IsInteger():
		res.New = safe(roundIntegers(t, digitsAt, half))
	case t.Kind == types.Decimal:
		direction := 2
		if half {
			direction = 0
		}
		u := t
		if constant && digits < int64(t.Scale) {
			u = roundType(t, digits)
		}
		res.Result = like(u, args)
		if constant {
			if k := roundSmall(t, u, int32(max(-400, min(400, digits))), direction); k != nil {
				res.New = safe(k)
				break
			}
		}
		res.New = safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
			x, o := decimalsOf(args[0], rows.N), decimalsOf(out, rows.N)
			_ = each(rows, func(i int) error {
				v, ok := roundDecimal(x.at(i), t.Scale, int32(digitsAt(args, i)), u, direction)
				if !ok {
					out.SetNull(i, rows.N)
				}
				o.set(i, v)
				return nil
			})
		})
	default:
		res.New = func() expr.Kernel {
			r := new(floatRounder)
			return safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
				r.run(args, out, rows, digitsAt, half)
			})()
		}
	}
	return res, nil
}

// roundType is the type of a DECIMAL rounded to a known number of digits: one more
// digit may be needed before the point.
func roundType(t types.Type, digits int64) types.Type {
	if digits <= 0 {
		return types.NewDecimal(int(min(types.MaxPrecision, 1+t.Precision-t.Scale)), 0)
	}
	s := int32(digits)
	return types.NewDecimal(int(min(types.MaxPrecision, 1+t.Precision-t.Scale+s)), int(s))
}

func roundIntegers(t types.Type, digitsAt func([]*stream.Vec, int) int64, half bool) loop {
	switch t.Layout() {
	case types.Int8:
		return roundIntegersLoop[int8](digitsAt, half)
	case types.Int16:
		return roundIntegersLoop[int16](digitsAt, half)
	case types.Int32:
		return roundIntegersLoop[int32](digitsAt, half)
	}
	return roundIntegersLoop[int64](digitsAt, half)
}

func roundIntegersLoop[T integer](digitsAt func([]*stream.Vec, int) int64, half bool) loop {
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
		o, x := operand[T](out, rows.N), operand[T](args[0], rows.N)
		_ = each(rows, func(i int) error {
			o[i] = T(roundInteger(int64(at(x, i)), digitsAt(args, i), half))
			return nil
		})
	}
}

// roundInteger rounds left of the point; a result that is too large wraps.
func roundInteger(x, digits int64, half bool) int64 {
	switch {
	case digits >= 0:
		return x
	case digits == -19 && half:
		if x >= 5e18 || x <= -5e18 {
			unit := uint64(1e19)
			if x < 0 {
				return -int64(unit)
			}
			return int64(unit)
		}
		return 0
	case digits <= -19:
		return 0
	}
	unit := types.Pow10(int32(-digits))
	q, r := x/unit, x%unit
	if half {
		if r >= unit-r && r > 0 {
			q++
		} else if -r >= unit+r && r < 0 {
			q--
		}
	}
	return q * unit
}

// exponent reads [+-]digits.
func exponent(b []byte) int {
	e := 0
	for _, c := range b[1:] {
		e = e*10 + int(c-'0')
	}
	if b[0] == '-' {
		return -e
	}
	return e
}

// floatRounder rounds FLOAT and DOUBLE by their shortest decimal text, so that
// 1.005 rounds up.
type floatRounder struct {
	buf  []byte // the number as text
	text []byte // the rounded one
}

func (r *floatRounder) run(args []*stream.Vec, out *stream.Vec, rows expr.Rows, digitsAt func([]*stream.Vec, int) int64, half bool) {
	if out.Type.Kind == types.Float {
		o, x := operand[float32](out, rows.N), operand[float32](args[0], rows.N)
		_ = each(rows, func(i int) error {
			if isValid(out, i) {
				o[i] = float32(r.round(float64(at(x, i)), digitsAt(args, i), half))
			}
			return nil
		})
		return
	}
	o, x := operand[float64](out, rows.N), operand[float64](args[0], rows.N)
	_ = each(rows, func(i int) error {
		if isValid(out, i) {
			o[i] = r.round(at(x, i), digitsAt(args, i), half)
		}
		return nil
	})
}

// round takes the digits of x as a DOUBLE, of a FLOAT too: as in Flink 0.35 is
// 0.3499999940395355 as such.
func (r *floatRounder) round(x float64, digits int64, half bool) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return x
	case x == 0:
		return 0 // Java's BigDecimal has no -0.0
	}
	// d.ddddde±dd: the digits and where the point stands in them.
	r.buf = strconv.AppendFloat(r.buf[:0], x, 'e', -1, 64)
	b := r.buf
	negative := b[0] == '-'
	if negative {
		b = b[1:]
	}
	e := 0
	for i, c := range b {
		if c == 'e' {
			e = exponent(b[i+1:])
			b = b[:i]
			break
		}
	}
	if len(b) > 1 {
		b = append(b[:1], b[2:]...) // without the point
	}
	keep := e + 1 + int(digits)
	switch {
	case keep >= len(b):
		return x
	case keep < 0:
		return 0
	}
	up := half && b[keep] >= '5'
	b = b[:keep]
	i := keep - 1
	for ; up && i >= 0; i-- {
		if b[i] != '9' {
			b[i]++
			up = false
			break
		}
		b[i] = '0'
	}
	text := r.text[:0]
	if negative {
		text = append(text, '-')
	}
	if up {
		text = append(text, '1')
	}
	text = append(text, b...)
	if len(b) == 0 && !up {
		return 0
	}
	r.text = strconv.AppendInt(append(text, 'e'), -digits, 10)
	y, _ := types.ParseDouble(r.text)
	if y == 0 {
		return 0 // never -0.0
	}
	return y
}
