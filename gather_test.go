package streamsql

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"streamsql/stream"
	"streamsql/types"
)

// testColumn returns a column of n rows of type t, about one in five of them NULL if
// nulls is set.
func testColumn(r *rand.Rand, t types.Type, n int, nulls bool) stream.Vec {
	var v stream.Vec
	v.Reset(t, n)
	for i := range n {
		x := types.Value{I: r.Int64N(100) - 50, F: float64(r.IntN(1000)) / 8, S: fmt.Sprint("v", r.IntN(1000)), D: types.Widen(r.Int64())}
		if t.Kind == types.Boolean {
			x.I &= 1
		}
		x.Null = nulls && r.IntN(5) == 0
		v.Put(i, n, x)
	}
	return v
}

var gatherTypes = []types.Type{
	types.Of(types.Boolean), types.Of(types.TinyInt), types.Of(types.SmallInt), types.Of(types.Int), types.Of(types.BigInt),
	types.Of(types.Float), types.Of(types.Double), types.NewDecimal(10, 2), types.NewDecimal(30, 2), types.Of(types.Varchar), types.Of(types.Varbinary),
	types.NewTimestamp(3), types.NewTimestamp(9), types.Of(types.Date),
}

// A result batch holds the selected rows, and its text columns what AppendText gives.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range gatherTypes {
		for _, n := range []int{0, 1, 63, 64, 65, 200} {
			for variant := range 8 {
				nulls, selected, constant := variant&1 > 0, variant&2 > 0, variant&4 > 0
				v := testColumn(r, typ, max(n, 1), nulls)
				if constant {
					v = testColumn(r, typ, 1, nulls)
					v.Enc = stream.Const
				}
				in := stream.Batch{N: n, Cols: []stream.Vec{v}}
				if selected {
					in.Sel = []int32{}
					for i := range n {
						if r.IntN(3) > 0 {
							in.Sel = append(in.Sel, int32(i))
						}
					}
				}
				var memory []stream.Vec // half of the batches use that of another one
				if r.IntN(2) == 0 {
					memory = []stream.Vec{testColumn(r, typ, 100, true)}
				}
				b := newBatch(&in, memory, arrowSchema(stream.Schema{Fields: []stream.Field{{Name: "c", Type: typ}}}), 0, nil)
				if got := int(b.NumRows()); got != in.Live() {
					t.Fatalf("%s: %d rows, want %d", typ, got, in.Live())
				}
				var text TextColumn
				b.Text(0, &text)
				for i := range in.Live() {
					row := i
					if selected {
						row = int(in.Sel[i])
					}
					want, got := v.Value(row), b.vecs[0].Value(i)
					if got != want {
						t.Fatalf("%s, %d rows, variant %d, row %d: %v, want %v", typ, n, variant, i, got, want)
					}
					if b.IsNull(i, 0) != want.Null || text.IsNull(i) != want.Null || b.Column(0).IsNull(i) != want.Null {
						t.Fatalf("%s, row %d: NULL differs", typ, i)
					}
					if got, want := string(text.Bytes(i)), string(b.AppendText(nil, i, 0)); got != want {
						t.Fatalf("%s, row %d: text %q, want %q", typ, i, got, want)
					}
				}
			}
		}
	}
}

// BenchmarkNewBatch is the price of memory of its own for each result batch of five
// columns, all rows live or two in three, per row.
func BenchmarkNewBatch(b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewPCG(1, 2))
	in := stream.Batch{N: n}
	fields := []stream.Field{}
	for i, t := range []types.Type{types.NewTimestamp(3), types.Of(types.BigInt), types.Of(types.Varchar), types.Of(types.Double), types.Of(types.BigInt)} {
		in.Cols = append(in.Cols, testColumn(r, t, n, i == 3))
		fields = append(fields, stream.Field{Name: fmt.Sprint("c", i), Type: t})
	}
	schema := arrowSchema(stream.Schema{Fields: fields})
	var sel []int32
	for i := range int32(n) {
		if i%3 > 0 {
			sel = append(sel, i)
		}
	}
	for _, c := range []struct {
		name   string
		sel    []int32
		memory []stream.Vec
	}{{"all", nil, nil}, {"selected", sel, nil}, {"all borrowed", nil, make([]stream.Vec, 5)}, {"selected borrowed", sel, make([]stream.Vec, 5)}} {
		b.Run(c.name, func(b *testing.B) {
			in.Sel = c.sel
			b.ReportAllocs()
			for range b.N {
				newBatch(&in, c.memory, schema, 0, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(in.Live()), "ns/row")
		})
	}
}
