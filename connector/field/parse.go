package field

import (
	"streamsql/stream"
	"streamsql/types"
)

// Rules are how a text format spells the values of those types that formats spell
// differently.
type Rules struct {
	Decimal      func(v []byte, precision, scale int32) (types.Num128, types.Fault)
	Decimal64    func(v []byte, precision, scale int32) (int64, types.Fault)
	Date         func(v []byte) (int64, types.Fault)
	Time         func(v []byte, precision int32) (int64, types.Fault)
	Timestamp    func(v []byte, unit int64, precision int32) (int64, types.Fault)
	TimestampLTZ func(v []byte, unit int64, precision int32) (int64, types.Fault)
}

// Parse reads a whole value, which is not NULL, of a type that is neither text nor
// nested.
func (c *Column) Parse(row int, v []byte, r *Rules) (fault types.Fault) {
	t := c.Type
	var x int64
	switch t.Kind {
	case types.Boolean:
		var b bool
		b, fault = types.ParseCSVBool(v)
		c.Vec.SetBool(row, b)
		return fault
	case types.TinyInt, types.SmallInt, types.Int, types.BigInt:
		x, fault = types.ParseCSVInt(v, t.Kind)
	case types.Float:
		c.F32[row], fault = types.ParseFloat(v)
		return fault
	case types.Double:
		c.F64[row], fault = types.ParseDouble(v)
		return fault
	case types.Decimal:
		if t.Layout() == types.Int128 {
			stream.Values[types.Num128](c.Vec)[row], fault = r.Decimal(v, t.Precision, t.Scale)
			return fault
		}
		x, fault = r.Decimal64(v, t.Precision, t.Scale)
	case types.Date:
		x, fault = r.Date(v)
	case types.Time:
		x, fault = r.Time(v, t.Precision)
	case types.Timestamp:
		x, fault = r.Timestamp(v, t.TimeUnit(), t.Precision)
	case types.TimestampLTZ:
		x, fault = r.TimestampLTZ(v, t.TimeUnit(), t.Precision)
	case types.Binary, types.Varbinary:
		if c.own, fault = types.ParseCSVBytes(c.own[:0], v); fault == types.OK {
			c.PutBytes(row, c.own)
		}
		return fault
	default:
		return types.Malformed
	}
	c.PutInt(row, x)
	return fault
}

// PutInt writes an integer of any width.
func (c *Column) PutInt(row int, x int64) {
	switch c.Type.Layout() {
	case types.Int8:
		c.I8[row] = int8(x)
	case types.Int16:
		c.I16[row] = int16(x)
	case types.Int32:
		c.I32[row] = int32(x)
	case types.Int64:
		c.I64[row] = x
	}
}
