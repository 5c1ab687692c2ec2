package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// CastKernel returns a kernel that converts values of type from to type to, as CAST
// (or TRY_CAST) does; ok is false if the cast is refused (CastHint may know a way).
// The kernel is never NULL-aware and belongs to one expression. canFail: it can fail
// on a value and wants only rows that are asked for and not NULL.
//
// A value that does not fit a DECIMAL becomes NULL. That is no failure, unless to is
// NOT NULL.
func CastKernel(from, to types.Type, try bool) (kernel expr.Kernel, canFail, ok bool) {
	c := caster{from: from, to: to, try: try}
	switch {
	case from.Kind == types.Null:
		kernel = func(_ *expr.Context, _ []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			for i := range rows.N {
				if out.Type.Layout() == types.Bytes {
					closeText(out)
				}
				out.SetNull(i, rows.N)
			}
			return nil
		}
	case from.Kind == types.Variant || to.Kind == types.Variant:
		if from.Kind == to.Kind {
			kernel = copyBytes
		}
	case to.IsText():
		kernel = c.toText()
	case from.IsNested() && to.IsNested():
		kernel, canFail = c.nested()
	case from.IsNested() || to.IsNested() || to.Kind == types.Null:
	case to.IsBytes():
		kernel = c.toBytes()
	case from.IsText():
		kernel, canFail = c.fromText(), !try
	case to.Kind == types.Boolean:
		kernel = c.toBoolean()
	case to.Kind == types.Decimal:
		kernel, canFail = c.toDecimal(), !try
	case to.IsNumeric():
		kernel = c.toNumber()
	case to.IsInterval():
		kernel = c.toInterval()
	case to.IsTemporal() && from.IsTemporal():
		kernel, canFail = c.temporal(), !try
	}
	return kernel, canFail && kernel != nil, kernel != nil
}

// CanCast reports whether CAST can convert between the types.
func CanCast(from, to types.Type) bool {
	_, _, ok := CastKernel(from, to, false)
	return ok
}

// CastHint returns a way around a cast that is refused, or "".
func CastHint(from, to types.Type) string {
	switch {
	case from.Kind == types.Variant && to.IsText():
		return "use JSON_STRING(variant), or JSON_VALUE(variant, '$') for a text without its quotes"
	case from.Kind == types.Variant:
		return "use JSON_VALUE(variant, '$' RETURNING type), or CAST(JSON_STRING(variant) AS type)"
	case to.Kind == types.Variant && from.IsText():
		return "use PARSE_JSON(text)"
	case to.Kind == types.Variant:
		return "use PARSE_JSON(JSON_STRING(value))"
	case from.IsNumeric() && to.Kind == types.TimestampLTZ:
		return "use TO_TIMESTAMP_LTZ(number, precision)"
	case from.IsNumeric() && to.Kind == types.Timestamp:
		return "use CAST(TO_TIMESTAMP_LTZ(number, precision) AS TIMESTAMP)"
	case from.IsTimestamp() && to.IsNumeric():
		return "use UNIX_TIMESTAMP(CAST(timestamp AS STRING))"
	case from.Kind == types.Bitmap && to.IsBytes():
		return "cast it to BYTES"
	case to.Kind == types.Bitmap && from.IsBytes():
		return "use BITMAP_FROM_BYTES(bytes)"
	case to.Kind == types.Bitmap && from.Kind == types.Array:
		return "use BITMAP_BUILD(array)"
	case from.Kind == types.Bitmap && to.Kind == types.Array:
		return "use BITMAP_TO_ARRAY(bitmap)"
	case from.Kind == types.IntervalDay && to.IsNumeric():
		return "use TIMESTAMPDIFF on the two times instead"
	}
	return ""
}

// ImplicitCast reports whether a value of type from may stand where to is expected
// without CAST, as in INSERT: the types differ in parameters only, or to holds
// every value of from (up to the accuracy of FLOAT and DOUBLE), or both are times. As in
// Flink any number may become a DECIMAL.
func ImplicitCast(from, to types.Type) bool {
	switch {
	case from.Kind == types.Null:
		return true
	case from.IsNested() || to.IsNested():
		return from.Alike(to) || implicitNested(from, to)
	case from.Kind == to.Kind:
		return true
	case from.IsNumeric() && to.IsNumeric():
		switch to.Kind {
		case types.Decimal, types.Double:
			return true
		case types.Float:
			return from.Kind != types.Double
		}
		return from.IsInteger() && from.Kind < to.Kind
	}
	switch to.Kind {
	case types.Varchar:
		return from.IsText()
	case types.Varbinary:
		return from.IsBytes()
	case types.Date, types.Time, types.TimestampLTZ:
		return from.Kind == types.Timestamp
	case types.Timestamp:
		return from.Kind == types.TimestampLTZ
	}
	return false
}

// implicitNested is ImplicitCast for nested types: part by part.
func implicitNested(from, to types.Type) bool {
	switch {
	case from.Kind != to.Kind || len(from.Fields()) != len(to.Fields()):
		return false
	case from.Kind == types.Row:
		for i, f := range from.Fields() {
			if !ImplicitCast(f.Type, to.Fields()[i].Type) {
				return false
			}
		}
		return true
	case from.Kind == types.Map && !ImplicitCast(from.Key(), to.Key()):
		return false
	}
	return from.Kind != types.Multiset && ImplicitCast(from.Elem(), to.Elem())
}

// caster makes the kernel of one cast.
type caster struct {
	from, to types.Type
	try      bool
}

// fail handles a value that cannot be converted: NULL for TRY_CAST, else an error
// that names value and type.
func (c *caster) fail(in, out *stream.Vec, i, n int, zone expr.Zone, fault types.Fault) error {
	if c.try {
		out.SetNull(i, n)
		return nil
	}
	return c.blame(in, i, zone, fault)
}

// lose is fail for a value that does not fit a DECIMAL.
func (c *caster) lose(in, out *stream.Vec, i, n int, zone expr.Zone) error {
	if c.try || !c.to.NotNull {
		out.SetNull(i, n)
		return nil
	}
	return c.blame(in, i, zone, types.OutOfRange)
}

// shown is the most bytes of a value that an error message shows.
const shown = 64

func (c *caster) blame(in *stream.Vec, i int, zone expr.Zone, fault types.Fault) error {
	msg := []byte("cannot cast ")
	quote := c.from.IsText() || c.from.IsTemporal()
	if quote {
		msg = append(msg, '\'')
	}
	start := len(msg)
	msg = appendText(msg, in, in.At(i), zone)
	if cut, _ := types.Cut(msg[start:], shown); start+len(cut) < len(msg) {
		msg = append(msg[:start+len(cut)], "..."...)
	}
	if quote {
		msg = append(msg, '\'')
	}
	msg = append(msg, " to "...)
	msg = append(msg, c.to.Name()...)
	e := &expr.RowError{Row: i}
	if fault != types.Malformed {
		msg = append(append(msg, ": "...), fault.String()...)
	}
	e.Msg = string(msg)
	if c.from.IsText() {
		e.Hint = "use TRY_CAST to get NULL instead"
	}
	return e
}

// toText writes any value as text and fits it to the length of the type.
func (c *caster) toText() expr.Kernel {
	to, numbers := c.to, c.numbersToText()
	return func(ctx *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		in := args[0]
		if numbers != nil && rows.Sel == nil && in.Enc == stream.Flat {
			return numbers(ctx, args, out, rows)
		}
		eachText(out, rows, func(i int) {
			start := len(out.Data)
			out.Data = appendText(out.Data, in, in.At(i), ctx.Zone)
			out.Data = types.FitText(out.Data, start, to)
		})
		return nil
	}
}

// toBytes takes text (its UTF-8) and bytes, and of a BITMAP all bytes.
func (c *caster) toBytes() expr.Kernel {
	if !c.from.IsText() && !c.from.IsBytes() && (c.from.Kind != types.Bitmap || !c.to.Same(bytesType)) {
		return nil
	}
	to := c.to
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		in := args[0]
		eachText(out, rows, func(i int) {
			start := len(out.Data)
			out.Data = append(out.Data, in.Bytes(i)...)
			out.Data = types.FitBytes(out.Data, start, to)
		})
		return nil
	}
}

// toBoolean is "not zero"; NaN is not zero.
func (c *caster) toBoolean() expr.Kernel {
	switch c.from.Layout() {
	case types.Bits:
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			in := args[0]
			setBools(out, rows, in.Bool)
			return nil
		}
	case types.Int128:
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			a := operand[types.Num128](args[0], rows.N)
			setBools(out, rows, func(i int) bool { return at(a, i) != types.Num128{} })
			return nil
		}
	}
	if !c.from.IsNumeric() {
		return nil
	}
	switch c.from.Layout() {
	case types.Int8:
		return notZero[int8]
	case types.Int16:
		return notZero[int16]
	case types.Int32:
		return notZero[int32]
	case types.Int64:
		return notZero[int64]
	case types.Float32:
		return notZero[float32]
	}
	return notZero[float64]
}

func notZero[A number](_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	a := operand[A](args[0], rows.N)
	setBools(out, rows, func(i int) bool { return at(a, i) != 0 })
	return nil
}
