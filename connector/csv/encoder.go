package csv

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"streamsql/connector/field"
	"streamsql/stream"
	"streamsql/types"
)

// longText is the number of UTF-16 units from which Flink's writer does not look
// at a text any more, but quotes it.
const longText = 24

// Encoder writes rows as Flink's csv format does.
type Encoder struct {
	opts   Options
	fields []stream.Field
	safe   rune // characters above it need no quotes,
	escape rune // but this one
	text   []byte
	nested []byte
	one    stream.Vec // of a part of a nested value
}

// NewEncoder returns an encoder for rows of the schema.
func NewEncoder(schema stream.Schema, o Options) (*Encoder, error) {
	if err := Check(schema); err != nil {
		return nil, err
	}
	e := &Encoder{opts: o, fields: schema.Fields}
	delim, _ := utf8.DecodeRune(o.Delimiter)
	e.safe = max(delim, rune(o.Quote), '\r')
	if e.escape = rune(o.Escape); e.escape == 0 {
		e.escape = '\\'
	}
	return e, nil
}

// AppendHeader appends a line with the names of the columns, if the options ask
// for a header.
func (e *Encoder) AppendHeader(dst []byte) []byte {
	if !e.opts.Header {
		return dst
	}
	for i, f := range e.fields {
		if i > 0 {
			dst = append(dst, e.opts.Delimiter...)
		}
		dst = e.quoted(dst, []byte(f.Name))
	}
	return append(dst, '\n')
}

// AppendRow appends row i of the batch, whose columns are those of the schema,
// with a line feed.
func (e *Encoder) AppendRow(dst []byte, b *stream.Batch, i int) ([]byte, error) {
	for k := range b.Cols {
		if k > 0 {
			dst = append(dst, e.opts.Delimiter...)
		}
		dst = e.AppendValue(dst, &b.Cols[k], i)
	}
	return append(dst, '\n'), nil
}

// AppendValue appends row i of a vector as a field.
func (e *Encoder) AppendValue(dst []byte, v *stream.Vec, i int) []byte {
	if v.IsNull(i) {
		return append(dst, e.opts.NullLiteral...)
	}
	if v.Enc == stream.Dict && v.Type.Layout() != types.Bytes {
		i = int(v.IDs()[i])
		v = v.Dict
	}
	p := v.At(i)
	t := v.Type
	if t.IsNested() {
		return e.appendNested(dst, t, v.Bytes(i))
	}
	e.text = e.text[:0]
	switch t.Kind {
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
		return types.AppendFloat(dst, stream.Values[float32](v)[p])
	case types.Double:
		return types.AppendDouble(dst, stream.Values[float64](v)[p])
	case types.Decimal:
		return e.decimal(dst, v, p)
	case types.Date:
		e.text = types.AppendDate(e.text, int64(stream.Values[int32](v)[p]))
	case types.Time:
		e.text = types.AppendTime(e.text, int64(stream.Values[int32](v)[p]), 3)
		e.text = field.CutZeros(e.text)
	case types.Timestamp, types.TimestampLTZ:
		unit := t.TimeUnit()
		e.text = types.AppendTimestamp(e.text, stream.Values[int64](v)[p], unit, 9)
		e.text = field.CutZeros(e.text)
		if t.Kind == types.TimestampLTZ {
			e.text = append(e.text, 'Z')
		}
	case types.Binary, types.Varbinary:
		e.text = base64.StdEncoding.AppendEncode(e.text, v.Bytes(i))
	default:
		return e.quoted(dst, v.Bytes(i))
	}
	return e.quoted(dst, e.text)
}

// decimal appends a DECIMAL without zeros at the end of its digits, in scientific
// notation where Java's BigDecimal would use it.
func (e *Encoder) decimal(dst []byte, v *stream.Vec, p int) []byte {
	scale := int(v.Type.Scale)
	if v.Type.Layout() == types.Int64 {
		e.text = strconv.AppendInt(e.text, stream.Values[int64](v)[p], 10)
	} else {
		e.text = types.AppendDecimal(e.text, stream.Values[types.Num128](v)[p], 0)
	}
	return field.AppendDecimal(dst, e.text, scale)
}

// quoted appends a text, in quotes if Flink would quote it: where it is long or
// has a character that could have a meaning, or whose code is not above theirs.
func (e *Encoder) quoted(dst, text []byte) []byte {
	q := e.opts.Quote
	if q == 0 || !e.needsQuotes(text) {
		return append(dst, text...)
	}
	dst = append(dst, q)
	for _, c := range text {
		if c == q {
			dst = append(dst, q)
		} else if c == e.opts.Escape && c != 0 {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, q)
}

func (e *Encoder) needsQuotes(text []byte) bool {
	if len(text) > 4*longText {
		return true
	}
	units := 0
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:])
		}
		if r <= e.safe || r == e.escape {
			return true
		}
		i += n
		if units++; r > math.MaxUint16 {
			units++
		}
	}
	return units > longText
}
