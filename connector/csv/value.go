package csv

import (
	"streamsql/stream"
	"streamsql/types"
)

// valueParser converts single fields by the rules of the csv format.
type valueParser struct {
	bytes []byte // of BYTES
}

// parse writes the value of a field that is neither text nor NULL.
func (p *valueParser) parse(c *column, row int, v []byte) (fault types.Fault) {
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
		c.F32[row], fault = types.ParseCSVFloat(v)
		return fault
	case types.Double:
		c.F64[row], fault = types.ParseCSVDouble(v)
		return fault
	case types.Decimal:
		if t.Layout() == types.Int128 {
			stream.Values[types.Num128](c.Vec)[row], fault = types.ParseCSVDecimal(v, t.Precision, t.Scale)
			return fault
		}
		x, fault = types.ParseCSVDecimal64(v, t.Precision, t.Scale)
	case types.Date:
		x, fault = types.ParseCSVDate(v)
	case types.Time:
		x, fault = types.ParseCSVTime(v, t.Precision)
	case types.Timestamp:
		x, fault = types.ParseCSVTimestamp(v, t.TimeUnit(), t.Precision)
	case types.TimestampLTZ:
		x, fault = types.ParseCSVTimestampLTZ(v, t.TimeUnit(), t.Precision)
	case types.Binary, types.Varbinary:
		if p.bytes, fault = types.ParseCSVBytes(p.bytes[:0], v); fault == types.OK {
			c.PutBytes(row, p.bytes)
		}
		return fault
	default:
		return types.Malformed
	}
	switch t.Layout() {
	case types.Int8:
		c.I8[row] = int8(x)
	case types.Int16:
		c.I16[row] = int16(x)
	case types.Int32:
		c.I32[row] = int32(x)
	case types.Int64:
		c.I64[row] = x
	}
	return fault
}
