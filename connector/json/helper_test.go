package json_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"streamsql/connector"
	"streamsql/connector/json"
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

func randomInput(name, data string) text.Input {
	return text.Input{Name: name, Size: int64(len(data)), Open: func(_ context.Context, offset int64) (text.Stream, error) {
		return &random{memory{data[offset:]}, data}, nil
	}}
}

func input(name, data string) text.Input {
	return text.Input{Name: name, Size: int64(len(data)), Open: func(_ context.Context, offset int64) (text.Stream, error) {
		return &memory{data[offset:]}, nil
	}}
}

// kinds are the short type names of test schemas.
var kinds = map[string]types.Type{
	"bool": types.Of(types.Boolean), "i8": types.Of(types.TinyInt), "i16": types.Of(types.SmallInt), "int": types.Of(types.Int),
	"big": types.Of(types.BigInt), "f32": types.Of(types.Float), "f64": types.Of(types.Double), "text": types.Of(types.Varchar),
	"dec": types.NewDecimal(5, 2), "dec38": types.NewDecimal(38, 10), "dec10": types.NewDecimal(10, 0), "date": types.Of(types.Date),
	"time": {Kind: types.Time, Precision: 3}, "ts0": types.NewTimestamp(0), "ts": types.NewTimestamp(3), "ts6": types.NewTimestamp(6),
	"ts9": types.NewTimestamp(9), "ltz": types.NewTimestampLTZ(3), "bytes": types.Of(types.Varbinary),
	"int!": types.Of(types.Int).Required(),
}

// schema reads "a int, b text".
func schema(s string) stream.Schema {
	var out stream.Schema
	for _, f := range strings.Split(s, ",") {
		w := strings.Fields(f)
		t, ok := kinds[w[1]]
		if !ok {
			panic("no type " + w[1])
		}
		out.Fields = append(out.Fields, stream.Field{Name: w[0], Type: t})
	}
	return out
}

// options reads "ignore-parse-errors=true"; "; " separates.
func options(t testing.TB, s string) json.Options {
	t.Helper()
	var list []connector.Option
	for _, o := range strings.Split(s, "; ") {
		if k, v, ok := strings.Cut(o, "="); ok {
			list = append(list, connector.Option{Key: "json." + k, Value: v})
		}
	}
	o, err := json.ParseOptions(list)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

type read struct {
	schema  stream.Schema
	columns []int // nil: all
	opts    json.Options
	slow    bool
	chunk   int
	batch   int
	workers int
	intern  []int
	from    connector.Position
}

func (r read) wanted() []int {
	if r.columns != nil {
		return r.columns
	}
	all := make([]int, len(r.schema.Fields))
	for i := range all {
		all[i] = i
	}
	return all
}

// result is what a reading gave, as text.
type result struct {
	rows    []string // "file:line a | b"
	bad     []string
	err     string
	counts  connector.Counts
	batches int
}

func (r result) String() string {
	return strings.Join(r.rows, "\n") + "\n--\n" + strings.Join(r.bad, "\n") + "\n--\n" + r.err
}

// values are the rows without their places.
func (r result) values() []string {
	var out []string
	for _, row := range r.rows {
		_, v, _ := strings.Cut(row, " ")
		out = append(out, v)
	}
	return out
}

func (r read) reader(t testing.TB, bad func(connector.BadRow), inputs ...text.Input) connector.Reader {
	t.Helper()
	dec, err := json.NewDecoder(r.schema, r.wanted(), r.opts, bad)
	if err != nil {
		t.Fatal(err)
	}
	if r.slow {
		json.OnlySlow(dec)
	}
	o := connector.OpenOptions{BatchSize: r.batch, ReadBuffer: r.chunk, From: r.from, Workers: r.workers, Bad: bad, Intern: r.intern}
	if o.BatchSize == 0 {
		o.BatchSize = 4096
	}
	rd, err := text.Open(inputs, dec, o)
	if err != nil {
		t.Fatal(err)
	}
	return rd
}

// readerAt returns a reader that starts at a position.
func readerAt(r read, from connector.Position, in text.Input) (*text.Reader, error) {
	dec, err := json.NewDecoder(r.schema, r.wanted(), r.opts, nil)
	if err != nil {
		return nil, err
	}
	return text.NewReader([]text.Input{in}, dec, connector.OpenOptions{BatchSize: 1, ReadBuffer: 64, From: from})
}

func (r read) run(t testing.TB, inputs ...text.Input) (res result) {
	t.Helper()
	rd := r.reader(t, func(b connector.BadRow) {
		res.bad = append(res.bad, fmt.Sprintf("%s:%d %s %q %s nulled=%v", b.File, b.Line, b.Column, b.Text, b.Reason, b.Nulled))
	}, inputs...)
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
				res.err = err.Error()
				if diag.As(err) == nil {
					t.Errorf("error is no *diag.Error: %v", err)
				}
			}
			res.counts = rd.Counts()
			return res
		}
		if b.N == 0 || b.N > max(r.batch, 1) && r.batch > 0 {
			t.Fatalf("batch of %d rows, batch size %d", b.N, r.batch)
		}
		res.batches++
		res.rows = append(res.rows, rowsOf(&b)...)
	}
}

// rowsOf prints the rows of a batch with their places.
func rowsOf(b *stream.Batch) []string {
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
