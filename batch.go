package streamsql

import (
	"math"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/types"
)

// Batch is a piece of a result: rows in order, with their kinds. It owns its
// memory: it stays valid as long as somebody holds it, and Release is optional.
//
// Column types: BOOLEAN bool, integers int8 to int64, FLOAT and DOUBLE float32 and
// float64, DECIMAL decimal64 up to 18 digits, else decimal128, texts utf8, bytes
// binary, DATE date32, TIME time32[ms], TIMESTAMP(p) timestamp without zone in ms
// (p ≤ 3), µs (p ≤ 6) or ns, TIMESTAMP_LTZ(p) the same with zone UTC, day-time
// intervals duration[ms], year-month intervals month_interval, ARRAY list, ROW struct,
// MAP map, MULTISET the map of its elements to their counts (int32), VARIANT utf8 with
// its JSON text, BITMAP binary with the bytes of BITMAP_TO_BYTES.
type Batch struct {
	arrow.RecordBatch
	Kinds     []RowKind // one per row; nil: all Insert
	Watermark time.Time // event time reached with this batch; zero: no watermark yet
	vecs      []stream.Vec
	zone      expr.Zone
}

// Kind returns the kind of a row.
func (b Batch) Kind(row int) RowKind {
	if b.Kinds == nil {
		return Insert
	}
	return b.Kinds[row]
}

// IsNull reports whether a value is NULL.
func (b Batch) IsNull(row, col int) bool { return b.vecs[col].IsNull(row) }

// AppendText appends the text of a value, as CAST(value AS STRING) gives it. It
// appends nothing for NULL.
func (b Batch) AppendText(dst []byte, row, col int) []byte {
	v := &b.vecs[col]
	if v.IsNull(row) {
		return dst
	}
	return builtin.AppendText(dst, v, row, b.zone)
}

// newBatch copies the live rows of b into memory of their own: that of vecs, whose batch
// nobody uses any more, or new if it is nil. The Arrow form is made only if somebody asks
// for it.
func newBatch(b *stream.Batch, vecs []stream.Vec, schema *arrow.Schema, watermark stream.Timestamp, zone expr.Zone) Batch {
	n := b.Live()
	if vecs == nil {
		vecs = make([]stream.Vec, len(b.Cols))
	}
	out := Batch{vecs: vecs, zone: zone, Watermark: goTime(watermark)}
	for i := range b.Cols {
		gather(&out.vecs[i], &b.Cols[i], b.Sel, n)
	}
	switch {
	case b.Kinds == nil:
	case b.Sel == nil:
		out.Kinds = append([]RowKind(nil), b.Kinds[:n]...)
	default:
		out.Kinds = make([]RowKind, n)
		for i, r := range b.Sel {
			out.Kinds[i] = b.Kinds[r]
		}
	}
	out.RecordBatch = &record{schema: schema, vecs: out.vecs, rows: n}
	return out
}

// goTime returns a watermark as a time; the limits become the zero time and the far
// future.
func goTime(w stream.Timestamp) time.Time {
	switch w {
	case stream.MinWatermark:
		return time.Time{}
	case stream.MaxWatermark:
		return time.UnixMilli(math.MaxInt64 / 1_000_000).UTC()
	}
	return time.UnixMilli(int64(w)).UTC()
}

// arrowSchema returns the Arrow form of a result's schema.
func arrowSchema(s stream.Schema) *arrow.Schema {
	fields := make([]arrow.Field, len(s.Fields))
	for i, f := range s.Fields {
		fields[i] = arrow.Field{Name: f.Name, Type: arrowType(f.Type), Nullable: !f.Type.NotNull}
	}
	return arrow.NewSchema(fields, nil)
}

func arrowType(t types.Type) arrow.DataType {
	unit := arrow.Millisecond
	switch t.TimeUnit() {
	case 1e6:
		unit = arrow.Microsecond
	case 1e9:
		unit = arrow.Nanosecond
	}
	switch t.Kind {
	case types.Boolean:
		return arrow.FixedWidthTypes.Boolean
	case types.TinyInt:
		return arrow.PrimitiveTypes.Int8
	case types.SmallInt:
		return arrow.PrimitiveTypes.Int16
	case types.Int:
		return arrow.PrimitiveTypes.Int32
	case types.BigInt:
		return arrow.PrimitiveTypes.Int64
	case types.Float:
		return arrow.PrimitiveTypes.Float32
	case types.Double:
		return arrow.PrimitiveTypes.Float64
	case types.Decimal:
		if t.Layout() == types.Int64 {
			return &arrow.Decimal64Type{Precision: t.Precision, Scale: t.Scale}
		}
		return &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
	case types.Char, types.Varchar, types.Variant:
		return arrow.BinaryTypes.String
	case types.Binary, types.Varbinary, types.Bitmap:
		return arrow.BinaryTypes.Binary
	case types.Date:
		return arrow.FixedWidthTypes.Date32
	case types.Time:
		return arrow.FixedWidthTypes.Time32ms
	case types.Timestamp:
		return &arrow.TimestampType{Unit: unit}
	case types.TimestampLTZ:
		return &arrow.TimestampType{Unit: unit, TimeZone: "UTC"}
	case types.IntervalMonth:
		return arrow.FixedWidthTypes.MonthInterval
	case types.IntervalDay:
		return arrow.FixedWidthTypes.Duration_ms
	}
	if t.IsNested() {
		return nestedArrowType(t)
	}
	return arrow.Null
}
