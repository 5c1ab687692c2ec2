package json

import (
	"encoding/base64"
	"math"
	"strconv"

	"streamsql/connector/field"
	"streamsql/stream"
	"streamsql/types"
)

// Encoder writes rows as Flink's json format does: one object per line.
type Encoder struct {
	opts Options
	keys [][]byte // with their colons
	text []byte
}

// NewEncoder returns an encoder for rows of the schema.
func NewEncoder(schema stream.Schema, o Options) (*Encoder, error) {
	if err := Check(schema); err != nil {
		return nil, err
	}
	e := &Encoder{opts: o}
	for _, f := range schema.Fields {
		e.keys = append(e.keys, append(appendString(nil, []byte(f.Name)), ':'))
	}
	return e, nil
}

// AppendRow appends row i of the batch, whose columns are those of the schema,
// with a line feed.
func (e *Encoder) AppendRow(dst []byte, b *stream.Batch, i int) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	for k := range b.Cols {
		v := &b.Cols[k]
		null := v.IsNull(i)
		if null && e.opts.SkipNulls {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, e.keys[k]...)
		switch {
		case null:
			dst = append(dst, "null"...)
		case v.Type.IsNested():
			var err error
			if dst, err = e.appendNested(dst, v.Type, v.Bytes(i)); err != nil {
				return dst, err
			}
		default:
			dst = e.appendValue(dst, v, i)
		}
	}
	return append(dst, '}', '\n'), nil
}

// appendValue appends row i of a vector, which is not NULL.
func (e *Encoder) appendValue(dst []byte, v *stream.Vec, i int) []byte {
	if v.Enc == stream.Dict && v.Type.Layout() != types.Bytes {
		i = int(v.IDs()[i])
		v = v.Dict
	}
	p := v.At(i)
	switch v.Type.Kind {
	case types.Boolean:
		return strconv.AppendBool(dst, v.Bool(i))
	case types.TinyInt:
		return strconv.AppendInt(dst, int64(stream.Values[int8](v)[p]), 10)
	case types.SmallInt:
		return strconv.AppendInt(dst, int64(stream.Values[int16](v)[p]), 10)
	case types.Int:
		return strconv.AppendInt(dst, int64(stream.Values[int32](v)[p]), 10)
	case types.BigInt:
		return strconv.AppendInt(dst, stream.Values[int64](v)[p], 10)
	case types.Float:
		f := stream.Values[float32](v)[p]
		if isFinite(float64(f)) {
			return types.AppendFloat(dst, f)
		}
		return append(types.AppendFloat(append(dst, '"'), f), '"')
	case types.Double:
		f := stream.Values[float64](v)[p]
		if isFinite(f) {
			return types.AppendDouble(dst, f)
		}
		return append(types.AppendDouble(append(dst, '"'), f), '"')
	case types.Decimal:
		return e.decimal(dst, v, p)
	case types.Char, types.Varchar:
		return appendString(dst, v.Bytes(i))
	}
	return append(e.quoted(append(dst, '"'), v, i), '"')
}

func isFinite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }

// quoted appends times and bytes, which are strings without escapes.
func (e *Encoder) quoted(dst []byte, v *stream.Vec, i int) []byte {
	p := v.At(i)
	switch t := v.Type; t.Kind {
	case types.Date:
		return types.AppendDate(dst, int64(stream.Values[int32](v)[p]))
	case types.Time:
		return field.CutZeros(types.AppendTime(dst, int64(stream.Values[int32](v)[p]), 3))
	case types.Timestamp, types.TimestampLTZ:
		start := len(dst)
		dst = field.CutZeros(types.AppendTimestamp(dst, stream.Values[int64](v)[p], t.TimeUnit(), 9))
		if e.opts.ISO {
			for k := start; ; k++ {
				if dst[k] == ' ' {
					dst[k] = 'T'
					break
				}
			}
		}
		if t.Kind == types.TimestampLTZ {
			dst = append(dst, 'Z')
		}
		return dst
	}
	return base64.StdEncoding.AppendEncode(dst, v.Bytes(i))
}

func (e *Encoder) decimal(dst []byte, v *stream.Vec, p int) []byte {
	t := v.Type
	if t.Layout() == types.Int64 {
		x := stream.Values[int64](v)[p]
		if e.opts.PlainDecimals {
			return types.AppendDecimal64(dst, x, t.Scale)
		}
		e.text = strconv.AppendInt(e.text[:0], x, 10)
	} else {
		x := stream.Values[types.Num128](v)[p]
		if e.opts.PlainDecimals {
			return types.AppendDecimal(dst, x, t.Scale)
		}
		e.text = types.AppendDecimal(e.text[:0], x, 0)
	}
	return field.AppendDecimal(dst, e.text, int(t.Scale))
}
