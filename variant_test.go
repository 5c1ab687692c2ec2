package streamsql

import (
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

const variants = `SELECT PARSE_JSON(s) AS v, ARRAY[PARSE_JSON(s)] AS a, MAP['k', PARSE_JSON(s)] AS m FROM (VALUES
	('{"b": [1.50, null], "a": "x\"y"}'), (CAST(NULL AS STRING)), ('1e999')) AS t(s)`

// variantTexts are the values of variants; in Go and Arrow they are JSON always.
var variantTexts = []string{`{"a":"x\"y","b":[1.5,null]}`, "", `"Infinity"`}

// A VARIANT goes into Go as its JSON text.
func TestVariantScan(t *testing.T) {
	type row struct {
		V *string
		A []*string
		M map[string]any
	}
	q, err := openTest(t).Query(t.Context(), variants)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Collect[row](q)
	if err != nil {
		t.Fatal(err)
	}
	x, z := variantTexts[0], variantTexts[2]
	want := []row{
		{&x, []*string{&x}, map[string]any{"k": x}}, {nil, []*string{nil}, map[string]any{"k": nil}}, {&z, []*string{&z}, map[string]any{"k": z}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	if q, err = openTest(t).Query(t.Context(), "SELECT v FROM ("+variants+") AS t WHERE v IS NOT NULL"); err != nil {
		t.Fatal(err)
	}
	type text struct{ V []byte }
	texts, err := Collect[text](q)
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) != 2 || string(texts[0].V) != x || string(texts[1].V) != z {
		t.Errorf("got %s, want %s and %s", texts, x, z)
	}

	if q, err = openTest(t).Query(t.Context(), variants); err != nil {
		t.Fatal(err)
	}
	if _, err := Collect[struct{ V int64 }](q); err == nil || !strings.Contains(err.Error(), "VARIANT") {
		t.Errorf("a VARIANT in an int64: %v", err)
	}
}

// Arrow has its JSON text, in lists and maps too.
func TestVariantArrow(t *testing.T) {
	q, err := openTest(t).Query(t.Context(), variants)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	at := 0
	for b, err := range q.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		v, list := b.Column(0), b.Column(1).(*array.List)
		if v.DataType().ID() != arrow.STRING || list.ListValues().DataType().ID() != arrow.STRING {
			t.Fatalf("types %s and %s", v.DataType(), list.DataType())
		}
		for i := range int(b.NumRows()) {
			null := variantTexts[at] == ""
			if v.IsNull(i) != null || v.(*array.String).Value(i) != variantTexts[at] {
				t.Errorf("row %d is %s, want %s", at, v.ValueStr(i), variantTexts[at])
			}
			if e := list.ListValues().(*array.String); e.IsNull(i) != null || e.Value(i) != variantTexts[at] {
				t.Errorf("element %d is %s, want %s", at, e.ValueStr(i), variantTexts[at])
			}
			at++
		}
	}
	if at != len(variantTexts) {
		t.Errorf("%d rows, want %d", at, len(variantTexts))
	}
}

// Go functions take and give no VARIANT: its encoding is none of theirs.
func TestVariantFunctions(t *testing.T) {
	e := openTest(t)
	if err := e.RegisterFunc("twice", func(s string) string { return s + s }); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Query(t.Context(), "SELECT twice(PARSE_JSON('1'))"); err == nil {
		t.Error("a Go function takes a VARIANT")
	}
	identity := func(a []arrow.Array) (arrow.Array, error) { return a[0], nil }
	for _, f := range []VectorFunc{
		{Args: []string{"VARIANT"}, Result: "STRING", Call: identity}, {Args: []string{"STRING"}, Result: "VARIANT", Call: identity},
	} {
		if err := e.RegisterVectorFunc("vec", f); err == nil || !strings.Contains(err.Error(), "VARIANT") {
			t.Errorf("%s to %s: %v", f.Args, f.Result, err)
		}
	}
}
