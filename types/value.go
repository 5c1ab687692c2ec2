package types

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// Num128 is a 128-bit integer in Arrow's layout: the unscaled value of a DECIMAL
// with more than 18 digits.
type Num128 = decimal128.Num

// Value is one SQL value without its type: literals, option defaults, folded
// constants. Cold paths only; rows live in vectors. Which field holds the value
// follows from the type's Layout: Bits and the integers use I (TRUE is 1), Float32
// and Float64 use F, Int128 uses D, Bytes uses S.
type Value struct {
	Null bool
	I    int64
	F    float64
	S    string
	D    Num128
}

// NullValue is the NULL.
var NullValue = Value{Null: true}

// IntValue returns the value of an integer, temporal or boolean type.
func IntValue(i int64) Value { return Value{I: i} }

// BoolValue returns the value of a BOOLEAN.
func BoolValue(b bool) Value {
	if b {
		return Value{I: 1}
	}
	return Value{}
}

// FloatValue returns the value of a FLOAT or DOUBLE.
func FloatValue(f float64) Value { return Value{F: f} }

// TextValue returns the value of a text or bytes type.
func TextValue(s string) Value { return Value{S: s} }

// Equal reports whether v and w are the same value of one type; NaN equals NaN.
func (v Value) Equal(w Value) bool {
	if v.Null || w.Null {
		return v.Null == w.Null
	}
	return v.I == w.I && v.S == w.S && v.D == w.D && (v.F == w.F || math.IsNaN(v.F) && math.IsNaN(w.F))
}
