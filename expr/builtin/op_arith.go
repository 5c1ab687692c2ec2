package builtin

import (
	"fmt"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// arith names an arithmetic operator.
type arith uint8

const (
	plus arith = iota
	minus
	times
	divide
	modulo
)

func (op arith) String() string { return [...]string{"+", "-", "*", "/", "%"}[op] }

// number is what arithmetic works on without thinking of scales.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~float32 | ~float64
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64
}

func arithmeticOperators() []*expr.Function {
	f := func(op arith, usage, doc string, examples ...expr.Example) *expr.Function {
		return &expr.Function{
			Name: op.String(), Class: "arithmetic", Operator: true, Usage: usage, Doc: doc, Examples: examples,
			Resolve: func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
				if len(args) == 1 && op == minus {
					return resolveNegate(args, lits)
				}
				return resolveArith(op, args, lits)
			},
		}
	}
	fs := []*expr.Function{
		f(plus, "number + number; time + interval; interval + interval", "Sum. Integers wrap around, a DECIMAL that does not fit is NULL.",
			expr.Example{SQL: "1 + 2.5", Result: "3.5"}, expr.Example{SQL: "2147483647 + 1", Result: "-2147483648"},
			expr.Example{SQL: "DATE '2024-01-31' + INTERVAL '1' MONTH", Result: "2024-02-29"}),
		f(minus, "number - number; time - interval; interval - interval", "Difference.",
			expr.Example{SQL: "5 - 7", Result: "-2"}, expr.Example{SQL: "TIME '00:30:00' - INTERVAL '1' HOUR", Result: "23:30:00"}),
		f(times, "number * number; interval * integer", "Product.",
			expr.Example{SQL: "1.5 * 2", Result: "3.0"}, expr.Example{SQL: "1000000 * 1000000", Result: "-727379968"}),
		f(divide, "number / number", "Quotient; of integers truncated toward zero. Dividing an exact number by zero is an error.",
			expr.Example{SQL: "7 / 2", Result: "3"}, expr.Example{SQL: "10 / 4.0", Result: "2.500000"}),
		f(modulo, "number % number", "Remainder with the sign of the dividend, of exact numbers.",
			expr.Example{SQL: "5 % -3", Result: "2"}, expr.Example{SQL: "-5.5 % 2", Result: "-1.5"}),
		{Name: "NEGATE", Class: "arithmetic", Operator: true, Usage: "- number", Doc: "Negation of a number or interval.",
			Examples: []expr.Example{{SQL: "-(1.5)", Result: "-1.5"}}, Resolve: resolveNegate},
		{Name: "MOD", Class: "numeric", Usage: "MOD(number, number)", Doc: "Remainder with the sign of the dividend, of exact numbers.",
			Examples: []expr.Example{{SQL: "MOD(7, -3)", Result: "1"}, {SQL: "MOD(7.5, 2)", Result: "1.5"}},
			Resolve: func(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
				return resolveArith(modulo, args, lits)
			}},
	}
	return append(fs, differences()...)
}

func resolveArith(op arith, args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 2, 2); err != nil {
		return expr.Resolution{}, err
	}
	if err := noNull(args); err != nil {
		return expr.Resolution{}, err
	}
	a, b := args[0], args[1]
	if !a.IsNumeric() || !b.IsNumeric() {
		return resolveTemporalArith(op, a, b)
	}
	switch {
	case op == modulo && (a.IsApproximate() || b.IsApproximate()):
		return expr.Resolution{}, expects("exact numbers", args)
	case a.Kind == types.Decimal && b.Kind == types.Decimal,
		a.Kind == types.Decimal && b.IsInteger(), a.IsInteger() && b.Kind == types.Decimal:
		return resolveDecimalArith(op, a, b)
	}
	t := commonNumber(a, b)
	if op == divide && t.IsApproximate() && len(lits) == 2 && lits[0] != nil && isZero(lits[1]) {
		// Of two literals this is an error for every type.
		return expr.Resolution{}, diag.New(diag.InvalidArgument, diag.Span{}, "division by zero")
	}
	res := expr.Resolution{Args: []types.Type{t, t}, Result: like(t, args)}
	if t.IsInteger() && (op == divide || op == modulo) {
		res.CanFail = true
	}
	if op == modulo {
		res.Result = like(types.Of(b.Kind), args)
		res.New = plain(moduloKernel(t.Kind, b.Kind))
		return res, nil
	}
	res.New = plain(arithKernel(op, t.Kind))
	return res, nil
}

// isZero reports whether l is a zero of any number type.
func isZero(l *expr.Literal) bool {
	return l != nil && !l.Value.Null && l.Value.I == 0 && l.Value.F == 0 && l.Value.D == (types.Num128{})
}

// commonNumber returns the type in which two numbers meet: the wider integer; FLOAT
// with integers FLOAT; among FLOAT and DOUBLE the left one; DOUBLE with DECIMAL.
func commonNumber(a, b types.Type) types.Type {
	switch {
	case a.IsApproximate() && b.IsApproximate():
		return types.Of(a.Kind)
	case a.Kind == types.Decimal || b.Kind == types.Decimal:
		return doubleType
	case a.IsApproximate():
		return types.Of(a.Kind)
	case b.IsApproximate():
		return types.Of(b.Kind)
	}
	return types.Of(max(a.Kind, b.Kind))
}

func arithKernel(op arith, k types.Kind) expr.Kernel {
	switch k {
	case types.TinyInt:
		return integerKernel[int8](op)
	case types.SmallInt:
		return integerKernel[int16](op)
	case types.Int:
		return integerKernel[int32](op)
	case types.BigInt:
		return integerKernel[int64](op)
	case types.Float:
		return numberKernel[float32](op)
	}
	return numberKernel[float64](op)
}

// integerKernel is numberKernel but for division, which may meet a zero.
func integerKernel[T integer](op arith) expr.Kernel {
	if op == divide {
		return divideIntegers[T]
	}
	return numberKernel[T](op)
}

// numberKernel computes all rows, asked for or not: that is cheaper than choosing.
func numberKernel[T number](op arith) expr.Kernel {
	run := [...]func(o, a, b []T){plusLoop[T], minusLoop[T], timesLoop[T], divideLoop[T]}[op]
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		run(operand[T](out, rows.N), operand[T](args[0], rows.N), operand[T](args[1], rows.N))
		return nil
	}
}

func plusLoop[T number](o, a, b []T) {
	switch {
	case len(b) == 1:
		y, o := b[0], o[:len(a)]
		for i := inBlocksConst(o, a, y, plusConstBlock[T]); i < len(a); i++ {
			o[i] = a[i] + y
		}
	case len(a) == 1:
		plusLoop(o, b, a)
	default:
		b, o = b[:len(a)], o[:len(a)]
		for i := inBlocks(o, a, b, plusBlock[T]); i < len(a); i++ {
			o[i] = a[i] + b[i]
		}
	}
}

func minusLoop[T number](o, a, b []T) {
	switch {
	case len(b) == 1:
		y, o := b[0], o[:len(a)]
		for i, x := range a {
			o[i] = x - y
		}
	case len(a) == 1:
		x, o := a[0], o[:len(b)]
		for i, y := range b {
			o[i] = x - y
		}
	default:
		b, o = b[:len(a)], o[:len(a)]
		for i := inBlocks(o, a, b, minusBlock[T]); i < len(a); i++ {
			o[i] = a[i] - b[i]
		}
	}
}

func timesLoop[T number](o, a, b []T) {
	switch {
	case len(b) == 1:
		y, o := b[0], o[:len(a)]
		for i := inBlocksConst(o, a, y, timesConstBlock[T]); i < len(a); i++ {
			o[i] = a[i] * y
		}
	case len(a) == 1:
		timesLoop(o, b, a)
	default:
		b, o = b[:len(a)], o[:len(a)]
		for i := inBlocks(o, a, b, timesBlock[T]); i < len(a); i++ {
			o[i] = a[i] * b[i]
		}
	}
}

// divideLoop divides floats.
func divideLoop[T number](o, a, b []T) {
	switch {
	case len(b) == 1:
		y, o := b[0], o[:len(a)]
		for i, x := range a {
			o[i] = x / y
		}
	case len(a) == 1:
		x, o := a[0], o[:len(b)]
		for i, y := range b {
			o[i] = x / y
		}
	default:
		b, o = b[:len(a)], o[:len(a)]
		for i, x := range a {
			o[i] = x / b[i]
		}
	}
}

func resolveNegate(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, 1); err != nil {
		return expr.Resolution{}, err
	}
	if err := noNull(args); err != nil {
		return expr.Resolution{}, err
	}
	t := args[0]
	if !t.IsNumeric() && !t.IsInterval() {
		return expr.Resolution{}, fmt.Errorf("expects a number or an interval, not %s", t.Name())
	}
	res := expr.Resolution{Args: args, Result: t}
	switch t.Layout() {
	case types.Int8:
		res.New = safe(negate[int8])
	case types.Int16:
		res.New = safe(negate[int16])
	case types.Int32:
		res.New = safe(negate[int32])
	case types.Int64:
		res.New = safe(negate[int64])
	case types.Float32:
		res.New = safe(negate[float32])
	case types.Float64:
		res.New = safe(negate[float64])
	default:
		res.New = safe(negateWide)
	}
	return res, nil
}

func negate[T number](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	a := operand[T](args[0], rows.N)
	o := operand[T](out, rows.N)[:len(a)]
	for i, x := range a {
		o[i] = -x
	}
}

func negateWide(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	o := operand[types.Num128](out, rows.N)
	for i, x := range operand[types.Num128](args[0], rows.N) {
		o[i] = x.Negate()
	}
}
