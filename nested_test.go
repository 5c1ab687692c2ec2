package streamsql

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
)

type point struct {
	X  int32
	Y  *string           `sql:"y"`
	At []time.Time       `sql:"at"`
	In map[string][]byte `sql:"in"`
}

type nestedRow struct {
	IDs    []int64            `sql:"ids"`
	Texts  []*string          `sql:"texts"`
	Deep   [][]float64        `sql:"deep"`
	Counts map[string]int32   `sql:"counts"`
	Points []point            `sql:"points"`
	By     map[int64]*point   `sql:"by"`
	Point  *point             `sql:"point"`
	Flags  map[string][]*bool `sql:"flags"`
	Wait   []time.Duration    `sql:"wait"`
}

func nestedRows() []nestedRow {
	tea, yes := "tea", true
	p := point{X: -7, Y: &tea, At: []time.Time{time.UnixMilli(1500).UTC()}, In: map[string][]byte{"b": {0, 255}, "a": {}}}
	return []nestedRow{
		{
			IDs: []int64{1, 2, 3}, Texts: []*string{&tea, nil}, Deep: [][]float64{{1.5}, {}}, Counts: map[string]int32{"z": 1, "a": 2},
			Points: []point{p, {At: []time.Time{}, In: map[string][]byte{}}}, By: map[int64]*point{5: &p, -5: nil}, Point: &p,
			Flags: map[string][]*bool{"f": {&yes, nil}}, Wait: []time.Duration{-1500 * time.Millisecond},
		},
		{
			IDs: []int64{}, Texts: []*string{}, Deep: [][]float64{}, Counts: map[string]int32{}, Points: []point{}, By: map[int64]*point{},
			Flags: map[string][]*bool{}, Wait: []time.Duration{},
		},
	}
}

// Slices, maps and structs go in as ARRAY, MAP and ROW and come out as they were.
func TestNestedPush(t *testing.T) {
	rows := nestedRows()
	e := openTest(t)
	p := NewPush[nestedRow]()
	if err := e.RegisterSource("p", p); err != nil {
		t.Fatal(err)
	}
	q, err := e.Query(t.Context(), "SELECT * FROM p")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		p.Send(context.Background(), rows...)
		p.End(nil)
	}()
	got, err := Collect[nestedRow](q)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, rows) {
		t.Errorf("got  %+v\nwant %+v", got, rows)
	}
}

type loop struct {
	Next []loop `sql:"next"`
}

func TestNestedRefused(t *testing.T) {
	e := openTest(t)
	if err := e.RegisterSource("p", NewPush[loop]()); err == nil {
		t.Error("a type that holds itself is accepted")
	}
	q, err := e.Query(t.Context(), "SELECT ARRAY['a'] AS a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Collect[[]int64](q); err == nil {
		t.Error("texts go into integers")
	}
}

// What fits no Go type of its own goes into any.
func TestNestedAny(t *testing.T) {
	e := openTest(t)
	q, err := e.Query(t.Context(), "SELECT ARRAY[ROW(1, 'a', CAST(NULL AS INT))] AS a, MAP['k', ARRAY[1.5]] AS m, MAP[1, TRUE] AS n")
	if err != nil {
		t.Fatal(err)
	}
	type row struct{ A, M, N any }
	got, err := Collect[row](q)
	if err != nil {
		t.Fatal(err)
	}
	want := []row{{
		A: []any{map[string]any{"EXPR$0": int64(1), "EXPR$1": "a", "EXPR$2": nil}},
		M: map[string]any{"k": []any{"1.5"}},
		N: map[any]any{int64(1): true},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

// The Arrow form of nested values are nested arrays.
func TestNestedArrow(t *testing.T) {
	e := openTest(t)
	q, err := e.Query(t.Context(), `SELECT a, m, r, ARRAY[r, CAST(NULL AS ROW<x INT, y STRING>)] AS n FROM (VALUES
		(ARRAY[1, NULL, 3], MAP['k', TRUE, 'l', FALSE], CAST(ROW(1, 'a') AS ROW<x INT, y STRING>)),
		(CAST(NULL AS ARRAY<INT>), MAP['m', TRUE], CAST(NULL AS ROW<x INT, y STRING>)),
		(ARRAY[4], CAST(NULL AS MAP<STRING, BOOLEAN>), CAST(ROW(CAST(NULL AS INT), 'b') AS ROW<x INT, y STRING>))) AS t(a, m, r)`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"a": "[[1 (null) 3] (null) [4]]",
		"m": `[{["k" "l"] [true false]} {["m"] [true]} (null)]`,
		"r": `{[1 (null) (null)] ["a" (null) "b"]}`,
		"n": `[{[1 (null)] ["a" (null)]} {[(null) (null)] [(null) (null)]} {[(null) (null)] ["b" (null)]}]`,
	}
	rows := 0
	for b, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		rows += int(b.NumRows())
		for i, f := range b.Schema().Fields() {
			col := b.Column(i)
			if got := col.String(); got != want[f.Name] {
				t.Errorf("%s (%s) is\n%s, want\n%s", f.Name, f.Type, got, want[f.Name])
			}
			if v, ok := col.(interface{ ValidateFull() error }); ok {
				if err := v.ValidateFull(); err != nil {
					t.Errorf("%s: %v", f.Name, err)
				}
			}
			if _, err := col.MarshalJSON(); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
		if l, ok := b.Column(0).(*array.List); !ok || l.NullN() != 1 {
			t.Errorf("column a is a %T", b.Column(0))
		}
	}
	if rows != 3 {
		t.Errorf("%d rows", rows)
	}
}
