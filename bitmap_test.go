package streamsql

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// A BITMAP is the bytes of BITMAP_TO_BYTES in Go and in Arrow.
func TestBitmapOut(t *testing.T) {
	want, _ := hex.DecodeString("3a30000001000000000001001000000001000200") // {1,2}
	e := openTest(t)
	q, err := e.Query(t.Context(), "SELECT BITMAP_BUILD(ARRAY[1, 2]) AS `set`, CAST(NULL AS BITMAP) AS none, ARRAY[BITMAP_BUILD(ARRAY[2, 1])] AS sets")
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Set  []byte
		None *[]byte
		Sets [][]byte
	}
	got, err := Collect[row](q)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, []row{{Set: want, Sets: [][]byte{want}}}) {
		t.Errorf("got %+v", got)
	}
	q, err = e.Query(t.Context(), "SELECT BITMAP_BUILD(ARRAY[1, 2]) AS b")
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	for b, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		r := b.RecordBatch
		column, ok := r.Column(0).(*array.Binary)
		if !ok || r.Schema().Field(0).Type != arrow.BinaryTypes.Binary || !bytes.Equal(column.Value(0), want) {
			t.Errorf("Arrow: %v", r.Column(0))
		}
	}
	q, err = e.Query(t.Context(), "SELECT BITMAP_BUILD(ARRAY[1, 2]) AS b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Collect[string](q); err == nil {
		t.Error("a BITMAP goes into a string")
	}
}

// A Go function takes and gives bitmaps as bytes, through BITMAP_TO_BYTES and
// BITMAP_FROM_BYTES: bytes that are no bitmap must not become one unseen.
func TestBitmapFunctions(t *testing.T) {
	e := openTest(t)
	if err := e.RegisterFunc("same", func(b []byte) []byte { return b }); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Query(t.Context(), "SELECT same(BITMAP_BUILD(ARRAY[1]))"); err == nil {
		t.Error("a Go function takes a BITMAP")
	}
	q, err := e.Query(t.Context(), "SELECT BITMAP_CARDINALITY(BITMAP_FROM_BYTES(same(BITMAP_TO_BYTES(BITMAP_BUILD(ARRAY[5, 7]))))) AS n")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Collect[struct{ N int64 }](q); err != nil || len(got) != 1 || got[0].N != 2 {
		t.Errorf("%v, %v", got, err)
	}
	identity := func(a []arrow.Array) (arrow.Array, error) { return a[0], nil }
	for _, f := range []VectorFunc{
		{Args: []string{"BITMAP"}, Result: "BYTES", Call: identity}, {Args: []string{"BYTES"}, Result: "BITMAP", Call: identity},
	} {
		if err := e.RegisterVectorFunc("vec", f); err == nil {
			t.Errorf("%s to %s is accepted", f.Args, f.Result)
		}
	}
}

// JSON has no form for a BITMAP: the error says what to declare.
func TestBitmapInJSON(t *testing.T) {
	e := openTest(t)
	for _, text := range []string{
		"CREATE TABLE t (a INT, b BITMAP) WITH ('connector' = 'filesystem', 'path' = 'none.jsonl', 'format' = 'json')",
		"CREATE TABLE v (a INT, b VARIANT) WITH ('connector' = 'filesystem', 'path' = 'none.jsonl', 'format' = 'json')",
	} {
		if _, err := e.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	for table, want := range map[string]string{"t": "as BYTES, for BITMAP_TO_BYTES", "v": "as STRING"} {
		_, err := e.Query(t.Context(), "SELECT a FROM "+table)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", table, err, want)
		}
	}
}
