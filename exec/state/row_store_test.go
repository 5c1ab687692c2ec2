package state

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"streamsql/stream"
	"streamsql/types"
)

// TestRowStore compares the store with a map of values over random writes, frees and
// snapshots, for all layouts and encodings.
func TestRowStore(t *testing.T) {
	columns := []types.Type{
		types.Of(types.Boolean), types.Of(types.TinyInt), types.Of(types.SmallInt), types.Of(types.Int), types.Of(types.BigInt),
		types.Of(types.Float), types.Of(types.Double), types.NewDecimal(30, 2), types.NewVarchar(types.MaxLength), types.Of(types.Null),
		types.Of(types.Varbinary),
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	s := NewRowStore(columns)
	model := map[int32][]types.Value{}
	var live []int32
	for round := range 60 {
		n := 1 + rnd.IntN(90)
		cols := make([]stream.Vec, len(columns))
		for c := range cols {
			fillColumn(rnd, &cols[c], columns[c], n)
		}
		var rows, ids []int32
		for range rnd.IntN(n + 1) {
			r, id := int32(rnd.IntN(n)), s.New()
			rows, ids, live = append(rows, r), append(ids, id), append(live, id)
			model[id] = rowOf(cols, int(r))
		}
		s.Put(cols, rows, ids)
		for range rnd.IntN(60) {
			if len(live) == 0 {
				break
			}
			k := rnd.IntN(len(live))
			s.Free(live[k])
			delete(model, live[k])
			live = append(live[:k], live[k+1:]...)
		}
		checkRows(t, s, live, model)
		if round%10 == 9 {
			s, live, model = restored(t, s, live, model)
			checkRows(t, s, live, model)
		}
	}
	s.Reset()
	if s.Len() != 0 {
		t.Errorf("%d rows after Reset", s.Len())
	}
}

func fillColumn(rnd *rand.Rand, v *stream.Vec, typ types.Type, n int) {
	value := func() types.Value {
		switch {
		case rnd.IntN(5) == 0:
			return types.NullValue
		case typ.Layout() == types.Bytes:
			return types.TextValue(strings.Repeat("x", rnd.IntN(12)) + strings.Repeat("yz", rnd.IntN(2)*rnd.IntN(3000)))
		case typ.Layout() == types.Bits:
			return types.IntValue(int64(rnd.IntN(2)))
		case typ.IsApproximate():
			return types.FloatValue(float64(rnd.IntN(100)) / 4)
		case typ.Layout() == types.Int128:
			return types.Value{D: decimal128.New(int64(rnd.IntN(9))-4, rnd.Uint64())}
		}
		return types.IntValue(int64(rnd.IntN(100)) - 50)
	}
	switch {
	case typ.Kind == types.Null:
		v.SetConst(typ, types.NullValue)
	case rnd.IntN(5) == 0:
		v.SetConst(typ, value())
	case typ.Kind == types.Varchar && rnd.IntN(2) == 0:
		dict := &stream.Vec{}
		dict.Reset(typ, 3)
		for _, x := range []string{"", "short", "a text of more than twelve bytes"} {
			dict.AppendString(x)
		}
		v.Reset(types.Of(types.Int), n)
		for i := range n {
			v.Put(i, n, types.IntValue(int64(rnd.IntN(3))))
		}
		v.Type, v.Enc, v.Dict = typ, stream.Dict, dict
	default:
		v.Reset(typ, n)
		if typ.Layout() == types.Bits {
			clear(v.Data)
		}
		for i := range n {
			v.Put(i, n, value())
		}
	}
}

func rowOf(cols []stream.Vec, r int) []types.Value {
	out := make([]types.Value, len(cols))
	for c := range cols {
		out[c] = cols[c].Value(r)
	}
	return out
}

func checkRows(t *testing.T, s *RowStore, live []int32, model map[int32][]types.Value) {
	t.Helper()
	if s.Len() != len(live) {
		t.Fatalf("%d rows, want %d", s.Len(), len(live))
	}
	ids := append([]int32{-1}, live...)
	out := make([]stream.Vec, len(s.types))
	s.Gather(ids, out)
	for k, id := range ids {
		for c := range out {
			want := types.NullValue
			if id >= 0 {
				want = model[id][c]
			}
			if got := out[c].Value(k); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("row %d, column %d: %v, want %v", id, c, got, want)
			}
		}
	}
}

func restored(t *testing.T, s *RowStore, live []int32, model map[int32][]types.Value) (*RowStore, []int32, map[int32][]types.Value) {
	t.Helper()
	var e stream.Encoder
	for _, id := range live {
		s.SnapshotRow(&e, id)
	}
	n := NewRowStore(s.types)
	d := stream.NewDecoder(e.Bytes())
	var ids []int32
	again := map[int32][]types.Value{}
	for _, id := range live {
		k := n.RestoreRow(d)
		ids = append(ids, k)
		again[k] = model[id]
	}
	if d.Err() != nil || d.Len() > 0 {
		t.Fatalf("restore: %v, %d bytes left", d.Err(), d.Len())
	}
	cut := stream.NewDecoder(e.Bytes()[:max(0, len(e.Bytes())-1)])
	for range live {
		NewRowStore(s.types).RestoreRow(cut)
	}
	if len(live) > 0 && cut.Err() == nil {
		t.Error("a damaged snapshot is accepted")
	}
	return n, ids, again
}

// TestRowStoreForgetsTexts: long texts of freed rows do not pile up.
func TestRowStoreForgetsTexts(t *testing.T) {
	s := NewRowStore([]types.Type{types.NewVarchar(types.MaxLength)})
	long := []byte(strings.Repeat("0123456789", 100))
	keep := s.New()
	s.SetBytes(keep, 0, long)
	for range 20_000 {
		id := s.New()
		s.SetBytes(id, 0, long)
		s.Free(id)
	}
	if n := s.Bytes(); n > 1<<19 {
		t.Errorf("%d bytes are held for one row", n)
	}
	if string(s.BytesOf(keep, 0)) != string(long) {
		t.Error("the row that was kept has changed")
	}
}
