package builtin

import (
	"strconv"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/types/bitmap"
)

// AppendText appends row i of v as results show it: like CAST to STRING, but bytes
// in hexadecimal (x'00ff'). It takes vectors of any encoding; NULL appends nothing.
// zone is the session time zone, nil for UTC.
func AppendText(dst []byte, v *stream.Vec, i int, zone expr.Zone) []byte {
	if v.IsNull(i) {
		return dst
	}
	if v.Enc == stream.Dict {
		v, i = v.Dict, int(v.IDs()[i])
	}
	if v.Type.IsBytes() {
		return types.AppendHex(dst, v.Bytes(i))
	}
	if v.Type.IsNested() {
		return types.AppendRawText(dst, v.Type, v.Bytes(i), zone, true)
	}
	return appendText(dst, v, v.At(i), zone)
}

// appendText appends stored value i of a Flat or Const vector as CAST to STRING
// does.
func appendText(dst []byte, v *stream.Vec, i int, zone expr.Zone) []byte {
	switch v.Type.Layout() {
	case types.Bits:
		return types.AppendBool(dst, v.Bool(i))
	case types.Int8:
		return strconv.AppendInt(dst, int64(stream.Values[int8](v)[i]), 10)
	case types.Int16:
		return strconv.AppendInt(dst, int64(stream.Values[int16](v)[i]), 10)
	case types.Int32:
		x := int64(stream.Values[int32](v)[i])
		if v.Type.Kind == types.Int {
			return strconv.AppendInt(dst, x, 10)
		}
		return types.AppendInt64(dst, v.Type, x, nil)
	case types.Int64:
		x := stream.Values[int64](v)[i]
		if v.Type.Kind == types.BigInt {
			return strconv.AppendInt(dst, x, 10)
		}
		return types.AppendInt64(dst, v.Type, x, zone)
	case types.Float32:
		return types.AppendFloat(dst, stream.Values[float32](v)[i])
	case types.Float64:
		return types.AppendDouble(dst, stream.Values[float64](v)[i])
	case types.Int128:
		return types.AppendDecimal(dst, stream.Values[types.Num128](v)[i], v.Type.Scale)
	case types.Bytes:
		switch {
		case v.Type.IsBytes():
			return types.AppendUTF8(dst, v.Bytes(i))
		case v.Type.IsNested():
			return types.AppendRawText(dst, v.Type, v.Bytes(i), zone, false)
		case v.Type.Kind == types.Variant:
			return types.AppendVariant(dst, v.Bytes(i))
		case v.Type.Kind == types.Bitmap:
			return bitmap.AppendText(dst, v.Bytes(i))
		}
		return append(dst, v.Bytes(i)...)
	}
	return dst
}
