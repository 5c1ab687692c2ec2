package builtin

import (
	"math/bits"
	"unsafe"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// Integers are divided by a constant without dividing: the quotient is the upper part of
// a product with a scaled reciprocal of the divisor.

// divisor is a constant that divides, not zero.
type divisor struct {
	size   uint64 // without its sign, at least 2
	factor uint64 // the reciprocal, scaled so that it fits
	shift  uint   // by how much the product is
}

// newDivisor prepares a constant for values of the given number of bits, 32 or 64, with
// their sign. The product is exact enough because factor exceeds the true reciprocal by
// less than one part in 2^(width-1).
func newDivisor(y int64, width int) divisor {
	d := divisor{size: uint64(y)}
	if y < 0 {
		d.size = -d.size
	}
	log := bits.Len64(d.size - 1) // 2^log is not below size
	if width == 32 {
		d.shift = uint(31 + log)
		d.factor = (1<<d.shift)/d.size + 1
		return d
	}
	d.shift = uint(log - 1)
	quotient, rest := bits.Div64(1<<d.shift, 0, d.size)
	if rest > 0 {
		quotient++
	}
	d.factor = quotient
	return d
}

// narrow returns x / size for x of 32 bits at most.
func (d divisor) narrow(x int64) int64 {
	return x*int64(d.factor)>>(d.shift&63) - x>>63
}

// wide returns x / size.
func (d divisor) wide(x int64) int64 {
	sign := x >> 63
	high, _ := bits.Mul64(uint64((x^sign)-sign), d.factor)
	return (int64(high>>(d.shift&63)) ^ sign) - sign
}

// isUnit reports whether y is 1 or -1, for which there is no divisor.
func isUnit[T integer](y T) bool { return y == 1 || y == -1 }

// divideConst divides by a constant that is not zero.
func divideConst[T integer](o, a []T, y T) {
	o = o[:len(a)]
	switch {
	case len(a) < 8 || isUnit(y):
		for i, x := range a {
			o[i] = x / y
		}
		return
	case unsafe.Sizeof(y) == 8:
		d := newDivisor(int64(y), 64)
		for i, x := range a {
			o[i] = T(d.wide(int64(x)))
		}
	default:
		d := newDivisor(int64(y), 32)
		for i, x := range a {
			o[i] = T(d.narrow(int64(x)))
		}
	}
	if y < 0 {
		for i, q := range o {
			o[i] = -q
		}
	}
}

// remainderConst is divideConst for the remainder; it has the sign of the dividend.
func remainderConst[T, R integer](o []R, a []T, y T) {
	o = o[:len(a)]
	switch {
	case len(a) < 8 || isUnit(y):
		for i, x := range a {
			o[i] = R(x % y)
		}
	case unsafe.Sizeof(y) == 8:
		d := newDivisor(int64(y), 64)
		for i, x := range a {
			o[i] = R(int64(x) - d.wide(int64(x))*int64(d.size))
		}
	default:
		d := newDivisor(int64(y), 32)
		for i, x := range a {
			o[i] = R(int64(x) - d.narrow(int64(x))*int64(d.size))
		}
	}
}

// divideIntegers is the kernel of / for integers. A zero is an error where the row is
// asked for.
func divideIntegers[T integer](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	o := operand[T](out, rows.N)
	a, b := operand[T](args[0], rows.N), operand[T](args[1], rows.N)
	switch {
	case len(b) == 1 && b[0] != 0 && len(a) == rows.N:
		divideConst(o, a, b[0])
		return nil
	case rows.Sel == nil && len(a) == len(b):
		o = o[:len(b)]
		a = a[:len(b)]
		for i, y := range b {
			if y == 0 {
				return divisionByZero(i)
			}
			o[i] = a[i] / y
		}
		return nil
	}
	return each(rows, func(i int) error {
		y := at(b, i)
		if y == 0 {
			return divisionByZero(i)
		}
		o[i] = at(a, i) / y
		return nil
	})
}

// remainder is the kernel of % for integers.
func remainder[T, R integer](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	o := operand[R](out, rows.N)
	a, b := operand[T](args[0], rows.N), operand[T](args[1], rows.N)
	switch {
	case len(b) == 1 && b[0] != 0 && len(a) == rows.N:
		remainderConst(o, a, b[0])
		return nil
	case rows.Sel == nil && len(a) == len(b):
		o = o[:len(b)]
		a = a[:len(b)]
		for i, y := range b {
			if y == 0 {
				return divisionByZero(i)
			}
			o[i] = R(a[i] % y)
		}
		return nil
	}
	return each(rows, func(i int) error {
		y := at(b, i)
		if y == 0 {
			return divisionByZero(i)
		}
		o[i] = R(at(a, i) % y)
		return nil
	})
}

func divisionByZero(row int) error { return &expr.RowError{Row: row, Msg: "division by zero"} }

// moduloKernel computes in the wider type and gives the type of the divisor.
func moduloKernel(wide, result types.Kind) expr.Kernel {
	switch wide {
	case types.TinyInt:
		return remainder[int8, int8]
	case types.SmallInt:
		if result == types.TinyInt {
			return remainder[int16, int8]
		}
		return remainder[int16, int16]
	case types.Int:
		switch result {
		case types.TinyInt:
			return remainder[int32, int8]
		case types.SmallInt:
			return remainder[int32, int16]
		}
		return remainder[int32, int32]
	}
	switch result {
	case types.TinyInt:
		return remainder[int64, int8]
	case types.SmallInt:
		return remainder[int64, int16]
	case types.Int:
		return remainder[int64, int32]
	}
	return remainder[int64, int64]
}
