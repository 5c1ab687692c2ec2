package print_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/connector/blackhole"
	"streamsql/connector/print"
	"streamsql/stream"
	"streamsql/types"
)

func TestPrint(t *testing.T) {
	var out strings.Builder
	f := print.New(func() io.Writer { return &out })
	cols := []struct {
		typ    types.Type
		values []types.Value
	}{
		{types.Of(types.Varchar), []types.Value{types.TextValue("a, b"), types.NullValue}},
		{types.Of(types.BigInt), []types.Value{types.IntValue(-1), types.IntValue(2)}},
		{types.Of(types.Boolean), []types.Value{types.BoolValue(true), types.BoolValue(false)}},
		{types.NewDecimal(5, 2), []types.Value{types.IntValue(150), types.NullValue}},
		{types.Of(types.Double), []types.Value{types.FloatValue(1e7), types.FloatValue(0.5)}},
		{types.NewTimestamp(3), []types.Value{types.IntValue(1500), types.IntValue(0)}},
		{types.NewTimestampLTZ(9), []types.Value{types.IntValue(1), types.IntValue(0)}},
		{types.Of(types.Varbinary), []types.Value{types.TextValue("a\xff"), types.TextValue("")}},
		{types.Of(types.Date), []types.Value{types.IntValue(0), types.IntValue(-1)}},
		{types.Of(types.Variant), []types.Value{types.TextValue(string(types.AppendVariantInt(nil, 300))), types.NullValue}},
		{types.Type{Kind: types.Time, Precision: 3}, []types.Value{types.IntValue(3_600_000), types.IntValue(1_120)}},
	}
	b := stream.Batch{N: 2, Kinds: []stream.RowKind{stream.Insert, stream.UpdateAfter}}
	for _, c := range cols {
		var v stream.Vec
		v.Reset(c.typ, 2)
		for i, x := range c.values {
			v.Put(i, 2, x)
		}
		b.Cols = append(b.Cols, v)
	}
	for _, opts := range [][]connector.Option{nil, {{Key: "print-identifier", Value: "p"}}} {
		s, err := f.Sink(connector.Table{Name: "o", Options: opts})
		if err != nil {
			t.Fatal(err)
		}
		if !s.Traits().Retract {
			t.Error("print takes every change")
		}
		w, err := s.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		b.Sel = nil
		if opts != nil {
			b.Sel = []int32{1}
		}
		if err := w.Write(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(true); err != nil {
			t.Fatal(err)
		}
	}
	want := "+I[a, b, -1, true, 1.50, 1.0E7, 1970-01-01T00:00:01.500, 1970-01-01T00:00:00.000000001Z, [97, -1], 1970-01-01, 300, 01:00]\n" +
		"+U[null, 2, false, null, 0.5, 1970-01-01T00:00, 1970-01-01T00:00:00Z, [], 1969-12-31, null, 00:00:01.120]\n" +
		"p> +U[null, 2, false, null, 0.5, 1970-01-01T00:00, 1970-01-01T00:00:00Z, [], 1969-12-31, null, 00:00:01.120]\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// TestNested: what is inside a value prints as it does outside, as Flink showed.
func TestNested(t *testing.T) {
	row := types.NewRow(types.Field{Name: "b", Type: types.Of(types.Boolean)}, types.Field{Name: "v", Type: types.Of(types.Variant)})
	array := types.NewArray(types.NewTimestamp(3))
	dict := types.NewMap(types.Of(types.Varchar), types.Of(types.Varbinary))
	var r types.RowBuilder
	r.Reset(row)
	r.AppendValue(types.BoolValue(true))
	r.AppendRaw(types.AppendVariantInt(nil, 7))
	var a types.ArrayBuilder
	a.Reset(array.Elem())
	a.AppendValue(types.IntValue(1600))
	a.AppendNull()
	var m types.MapBuilder
	m.Reset(dict)
	m.PutRaw([]byte("k"), []byte("a\xff"))
	m.PutRaw(nil, nil)
	b := stream.Batch{N: 1, Cols: make([]stream.Vec, 4)}
	for i, c := range []struct {
		typ types.Type
		raw []byte
	}{{row, r.AppendTo(nil)}, {array, a.AppendTo(nil)}, {dict, m.AppendTo(nil)}, {types.Of(types.Variant), types.AppendVariantHead(nil, types.VariantNull)}} {
		b.Cols[i].Reset(c.typ, 1)
		b.Cols[i].Put(0, 1, types.TextValue(string(c.raw)))
	}
	var out strings.Builder
	s, err := print.New(func() io.Writer { return &out }).Sink(connector.Table{Name: "o"})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(context.Background(), &b), w.Close(true)); err != nil {
		t.Fatal(err)
	}
	if want := "+I[+I[true, 7], [1970-01-01T00:00:01.600, null], {k=[97, -1], null=null}, null]\n"; out.String() != want {
		t.Errorf("got %s, want %s", out.String(), want)
	}
}

func TestRefused(t *testing.T) {
	for _, f := range []connector.Factory{print.New(func() io.Writer { return io.Discard }), blackhole.New()} {
		if _, err := f.Source(connector.Table{}); !errors.Is(err, connector.ErrNotSupported) {
			t.Errorf("%s as source: %v", f.Name(), err)
		}
		if _, err := f.Sink(connector.Table{Options: []connector.Option{{Key: "pth", Value: "x"}}}); err == nil {
			t.Errorf("%s: an unknown option is accepted", f.Name())
		}
		if s, err := f.Sink(connector.Table{Options: []connector.Option{{Key: "connector", Value: f.Name()}}}); err != nil || !s.Traits().Retract {
			t.Errorf("%s: %v", f.Name(), err)
		}
	}
}
