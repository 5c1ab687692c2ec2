package texttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/connector/text"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// memory is an input that lies in memory; reads give at most chunk bytes.
type memory struct{ rest string }

func (m *memory) Read(_ context.Context, p []byte) (int, error) {
	if m.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}
func (m *memory) Ready() bool  { return true }
func (m *memory) Close() error { return nil }

// random is an input that can also be read at any place.
type random struct {
	memory
	data string
}

func (r *random) ReadAt(p []byte, offset int64) (int, error) {
	return strings.NewReader(r.data).ReadAt(p, offset)
}
func (r *random) Size() int64 { return int64(len(r.data)) }

// RandomInput is data that can also be read at any place.
func RandomInput(name, data string) text.Input {
	return text.Input{Name: name, Size: int64(len(data)), Open: func(_ context.Context, offset int64) (text.Stream, error) {
		return &random{memory{data[offset:]}, data}, nil
	}}
}

// Input is data that is read from its start on.
func Input(name, data string) text.Input {
	return text.Input{Name: name, Size: int64(len(data)), Open: func(_ context.Context, offset int64) (text.Stream, error) {
		return &memory{data[offset:]}, nil
	}}
}

// Kinds are the short type names of test schemas.
var Kinds = map[string]types.Type{
	"bool": types.Of(types.Boolean), "i8": types.Of(types.TinyInt), "i16": types.Of(types.SmallInt), "int": types.Of(types.Int),
	"big": types.Of(types.BigInt), "f32": types.Of(types.Float), "f64": types.Of(types.Double), "text": types.Of(types.Varchar),
	"dec": types.NewDecimal(5, 2), "dec38": types.NewDecimal(38, 10), "dec10": types.NewDecimal(10, 0), "date": types.Of(types.Date),
	"time": {Kind: types.Time, Precision: 3}, "ts0": types.NewTimestamp(0), "ts": types.NewTimestamp(3), "ts6": types.NewTimestamp(6),
	"ts9": types.NewTimestamp(9), "ltz": types.NewTimestampLTZ(3), "bytes": types.Of(types.Varbinary),
	"int!": types.Of(types.Int).Required(),
}

// Schema reads "a int, b text".
func Schema(s string) stream.Schema {
	var out stream.Schema
	for _, f := range strings.Split(s, ",") {
		w := strings.Fields(f)
		t, ok := Kinds[w[1]]
		if !ok {
			panic("no type " + w[1])
		}
		out.Fields = append(out.Fields, stream.Field{Name: w[0], Type: t})
	}
	return out
}

// Options reads "header=true; null-literal=NULL" as options with a prefix.
func Options(prefix, s string) []connector.Option {
	var list []connector.Option
	for _, o := range strings.Split(s, "; ") {
		if k, v, ok := strings.Cut(o, "="); ok {
			list = append(list, connector.Option{Key: prefix + k, Value: v})
		}
	}
	return list
}

// Wanted returns columns, or all of the schema for nil.
func Wanted(s stream.Schema, columns []int) []int {
	if columns != nil {
		return columns
	}
	all := make([]int, len(s.Fields))
	for i := range all {
		all[i] = i
	}
	return all
}

// Result is what a reading gave, as text.
type Result struct {
	Rows    []string // "file:line a | b"
	Bad     []string
	Err     string
	Counts  connector.Counts
	Batches int
}

// String is all that came out, for comparison.
func (r Result) String() string {
	return strings.Join(r.Rows, "\n") + "\n--\n" + strings.Join(r.Bad, "\n") + "\n--\n" + r.Err
}

// Values are the rows without their places.
func (r Result) Values() []string {
	var out []string
	for _, row := range r.Rows {
		_, v, _ := strings.Cut(row, " ")
		out = append(out, v)
	}
	return out
}

// Run reads everything that open's reader gives and holds what every reader promises:
// no empty batch, none above batch (0: any), typed errors, no rows with an error. open
// passes bad on to the decoder.
func Run(t testing.TB, batch int, open func(bad func(connector.BadRow)) connector.Reader) (res Result) {
	t.Helper()
	rd := open(func(b connector.BadRow) {
		res.Bad = append(res.Bad, fmt.Sprintf("%s:%d %s %q %s nulled=%v", b.File, b.Line, b.Column, b.Text, b.Reason, b.Nulled))
	})
	defer rd.Close()
	var b stream.Batch
	for {
		b.Clear()
		err := rd.Next(context.Background(), &b)
		if err != nil {
			if b.N != 0 {
				t.Errorf("%d rows together with error %v", b.N, err)
			}
			if !errors.Is(err, io.EOF) {
				res.Err = err.Error()
				if diag.As(err) == nil {
					t.Errorf("error is no *diag.Error: %v", err)
				}
			}
			res.Counts = rd.Counts()
			return res
		}
		if b.N == 0 || b.N > max(batch, 1) && batch > 0 {
			t.Fatalf("batch of %d rows, batch size %d", b.N, batch)
		}
		res.Batches++
		res.Rows = append(res.Rows, RowsOf(&b)...)
	}
}

// RowsOf prints the rows of a batch with their places.
func RowsOf(b *stream.Batch) []string {
	var rows []string
	for i := range b.N {
		file, line := b.OriginOf(i)
		var vals []string
		for k := range b.Cols {
			v := &b.Cols[k]
			if v.N != b.N {
				panic(fmt.Sprintf("column %d has %d rows of %d", k, v.N, b.N))
			}
			if v.IsNull(i) {
				vals = append(vals, "<NULL>")
			} else {
				vals = append(vals, string(types.AppendValue(nil, v.Type, v.Value(i), nil)))
			}
		}
		rows = append(rows, fmt.Sprintf("%s:%d %s", file, line, strings.Join(vals, " | ")))
	}
	return rows
}
