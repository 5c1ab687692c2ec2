package datagen_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"streamsql/connector"
	"streamsql/connector/datagen"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

const now = 86_400_000*19_000 + 5_000

func source(t *testing.T, fields []stream.Field, opts string) (connector.Source, error) {
	t.Helper()
	tab := connector.Table{Name: "g", Schema: stream.Schema{Fields: fields}}
	for _, o := range strings.Split(opts, "; ") {
		if k, v, ok := strings.Cut(o, "="); ok {
			tab.Options = append(tab.Options, connector.Option{Key: k, Value: v})
		}
	}
	return datagen.New(func() int64 { return now }).Source(tab)
}

// generate reads at most limit rows.
func generate(t *testing.T, fields []stream.Field, opts string, batch, limit int, from connector.Position) ([]string, connector.Position) {
	t.Helper()
	s, err := source(t, fields, opts)
	if err != nil {
		t.Fatal(err)
	}
	cols := make([]int, len(fields))
	for i := range cols {
		cols[i] = i
	}
	r, err := s.Open(context.Background(), connector.OpenOptions{Columns: cols, BatchSize: batch, From: from})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var rows []string
	var b stream.Batch
	for len(rows) < limit {
		b.Clear()
		if err := r.Next(context.Background(), &b); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			var vals []string
			for k := range b.Cols {
				v := &b.Cols[k]
				if v.IsNull(i) {
					vals = append(vals, "<NULL>")
				} else {
					vals = append(vals, string(types.AppendValue(nil, v.Type, v.Value(i), nil)))
				}
			}
			rows = append(rows, strings.Join(vals, "|"))
		}
	}
	return rows, r.Position()
}

var fields = []stream.Field{
	{Name: "n", Type: types.Of(types.BigInt)}, {Name: "i", Type: types.Of(types.TinyInt)}, {Name: "x", Type: types.Of(types.Double)},
	{Name: "s", Type: types.Of(types.Varchar)}, {Name: "d", Type: types.NewDecimal(6, 2)}, {Name: "ts", Type: types.NewTimestamp(3)},
	{Name: "b", Type: types.Of(types.Boolean)}, {Name: "day", Type: types.Of(types.Date)},
}

const someOptions = "number-of-rows=500; fields.n.kind=sequence; fields.n.start=1; fields.n.end=1000; fields.i.min=3; fields.i.max=5; " +
	"fields.x.min=-1; fields.x.max=1; fields.s.length=4; fields.d.min=1.5; fields.d.max=2; fields.ts.max-past=2 s; fields.s.null-rate=0.5"

func TestRanges(t *testing.T) {
	rows, _ := generate(t, fields, someOptions, 64, 1<<30, nil)
	if len(rows) != 500 {
		t.Fatalf("%d rows", len(rows))
	}
	seen := map[string]bool{}
	nulls := 0
	for i, row := range rows {
		v := strings.Split(row, "|")
		var x, d float64
		if _, err := fmt.Sscan(v[2], &x); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(v[4], &d); err != nil {
			t.Fatal(err)
		}
		if v[3] == "<NULL>" {
			nulls++
		} else if len(v[3]) != 4 {
			t.Errorf("text %q", v[3])
		}
		if v[0] != fmt.Sprint(i+1) || v[1] < "3" || v[1] > "5" || x < -1 || x > 1 || d < 1.5 || d > 2 ||
			v[5] < "2022-01-08 00:00:03" || v[5] > "2022-01-08 00:00:05.000" || v[7] != "2022-01-08" {
			t.Errorf("row %d: %s", i, row)
		}
		seen[v[1]], seen[v[6]] = true, true
	}
	if len(seen) != 5 || nulls < 200 || nulls > 300 {
		t.Errorf("values %v, %d NULLs of 500", seen, nulls)
	}
}

// TestSame: the rows depend on the seed alone, not on batches or restarts.
func TestSame(t *testing.T) {
	want, _ := generate(t, fields, someOptions, 500, 1<<30, nil)
	got, from := generate(t, fields, someOptions, 7, 70, nil)
	rest, _ := generate(t, fields, someOptions, 11, 1<<30, from)
	if diff := cmp.Diff(want, append(got, rest...)); diff != "" {
		t.Errorf("-at once +in pieces\n%s", diff)
	}
	other, _ := generate(t, fields, someOptions+"; seed=2", 500, 1<<30, nil)
	if cmp.Equal(want, other) {
		t.Error("another seed gives the same rows")
	}
}

func TestEnds(t *testing.T) {
	for opts, bounded := range map[string]bool{
		"": false, "number-of-rows=0": true, "fields.n.kind=sequence; fields.n.start=5; fields.n.end=7": true,
	} {
		s, err := source(t, fields, opts)
		if err != nil {
			t.Fatal(err)
		}
		if s.Traits().Bounded != bounded {
			t.Errorf("%q: bounded %v", opts, s.Traits().Bounded)
		}
	}
	rows, _ := generate(t, fields[:1], "fields.n.kind=sequence; fields.n.start=5; fields.n.end=7", 2, 1<<30, nil)
	if diff := cmp.Diff([]string{"5", "6", "7"}, rows); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestPace(t *testing.T) {
	s, err := source(t, fields[:1], "rows-per-second=1000")
	if err != nil {
		t.Fatal(err)
	}
	if !s.Traits().Live {
		t.Error("a paced source is live")
	}
	r, err := s.Open(context.Background(), connector.OpenOptions{Columns: []int{0}, BatchSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	var b stream.Batch
	if err := r.Next(context.Background(), &b); err != nil || b.N != 1 {
		t.Errorf("first row: %d rows, %v", b.N, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Next(ctx, &b); !errors.Is(err, context.Canceled) { // the clock stands still
		t.Errorf("canceled wait: %v", err)
	}
}

func TestErrors(t *testing.T) {
	for opts, want := range map[string]string{
		"rows-per-sec=1":                 `has no option "rows-per-sec"`,
		"fields.m.min=1":                 `there is no column "m"`,
		"fields.n.mim=1":                 `no property "mim"`,
		"fields.n.min=x":                 "is no BIGINT",
		"fields.i.max=128":               "is no TINYINT",
		"fields.n.min=2; fields.n.max=1": "below its start",
		"fields.n.kind=other":            "must be 'random' or 'sequence'",
		"fields.n.kind=sequence":         `option "fields.n.start" is missing`,
		"fields.b.kind=sequence":         "cannot be a sequence",
		"fields.b.min=1":                 "has no meaning",
		"fields.s.null-rate=2":           "from 0 to 1",
		"fields.ts.max-past=5 weeks":     "must be a duration",
		"number-of-rows=-1":              "at least 0",
	} {
		_, err := source(t, fields, opts)
		if e := diag.As(err); e == nil || !strings.Contains(e.Msg, want) {
			t.Errorf("%q: %v", opts, err)
		}
	}
	if _, err := source(t, []stream.Field{{Name: "a", Type: types.Of(types.Array)}}, ""); diag.As(err) == nil {
		t.Error("an ARRAY column is accepted")
	}
}
