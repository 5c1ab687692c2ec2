package streamsql

import (
	"encoding/json"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"streamsql/stream"
	"streamsql/types"
)

// record is the Arrow form of a batch, whose arrays are made when they are first
// asked for: wrapping a column costs ten allocations, which a reader of single rows
// or of text need not pay.
type record struct {
	schema *arrow.Schema
	vecs   []stream.Vec
	rows   int
	once   sync.Once
	whole  arrow.RecordBatch
}

func (r *record) arrays() arrow.RecordBatch {
	r.once.Do(func() {
		cols := make([]arrow.Array, len(r.vecs))
		for i := range r.vecs {
			cols[i] = wrap(&r.vecs[i], r.schema.Field(i).Type, r.rows)
		}
		r.whole = array.NewRecordBatch(r.schema, cols, int64(r.rows))
	})
	return r.whole
}

// Retain and Release do nothing: the memory is the garbage collector's.
func (r *record) Retain()  {}
func (r *record) Release() {}

func (r *record) Schema() *arrow.Schema        { return r.schema }
func (r *record) NumRows() int64               { return int64(r.rows) }
func (r *record) NumCols() int64               { return int64(len(r.vecs)) }
func (r *record) ColumnName(i int) string      { return r.schema.Field(i).Name }
func (r *record) Columns() []arrow.Array       { return r.arrays().Columns() }
func (r *record) Column(i int) arrow.Array     { return r.arrays().Column(i) }
func (r *record) MarshalJSON() ([]byte, error) { return json.Marshal(r.arrays()) }

func (r *record) NewSlice(i, j int64) arrow.RecordBatch { return r.arrays().NewSlice(i, j) }

func (r *record) SetColumn(i int, col arrow.Array) (arrow.RecordBatch, error) {
	return r.arrays().SetColumn(i, col)
}

// wrap makes an Arrow array over the buffers of a Flat vector, without copying.
func wrap(v *stream.Vec, dt arrow.DataType, n int) arrow.Array {
	if v.Type.Kind == types.Null {
		return array.NewNull(n)
	}
	if v.Type.IsNested() {
		return wrapNested(v, dt, n)
	}
	if v.Type.Kind == types.Variant {
		v = jsonTexts(v, n)
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(v.Data)}
	nulls := v.CountNulls(n)
	if nulls > 0 {
		buffers[0] = memory.NewBufferBytes(arrow.Uint64Traits.CastToBytes(v.Valid))
	}
	if v.Type.Layout() == types.Bytes {
		buffers = []*memory.Buffer{buffers[0], memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(v.Off)), buffers[1]}
	}
	data := array.NewData(dt, n, buffers, nil, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// jsonTexts returns VARIANTs as the JSON texts that Arrow has of them.
func jsonTexts(v *stream.Vec, n int) *stream.Vec {
	texts := new(stream.Vec)
	texts.Reset(types.Of(types.Varchar).WithNullability(!v.Type.NotNull), n)
	for i := range n {
		if v.IsNull(i) {
			texts.AppendBytes(nil)
			texts.SetNull(i, n)
			continue
		}
		texts.Data = types.AppendVariantJSON(texts.Data, v.Bytes(i))
		texts.AppendBytes(nil)
	}
	return texts
}
