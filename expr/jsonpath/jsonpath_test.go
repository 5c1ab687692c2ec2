package jsonpath

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// find prints what a path finds, "error" or "nothing".
func find(t *testing.T, text, path string) string {
	t.Helper()
	p, err := Compile(path)
	var unsupported *UnsupportedError
	switch {
	case errors.As(err, &unsupported):
		return "unsupported"
	case err != nil:
		return "bad path"
	}
	var d Document
	root := d.Parse([]byte(text))
	if root == None {
		return "no JSON"
	}
	id, err := d.Find(root, p)
	switch {
	case err != nil:
		return "error"
	case id == None:
		return "nothing"
	}
	return string(d.Append(nil, id))
}

func TestFind(t *testing.T) {
	const j = `{"x":[{"a":1},{"a":2,"b":"q"},{"b":null}],"z":{"k":5},"y":"s","y y":[1],"e":"1","e":7}`
	for _, c := range []struct{ path, want string }{
		{"$", `{"e":7,"x":[{"a":1},{"a":2,"b":"q"},{"b":null}],"y":"s","y y":[1],"z":{"k":5}}`},
		{"$.y", `"s"`},
		{"y", `"s"`},
		{"$.e", "7"},
		{"$['y y']", "[1]"},
		{`$.[ "y y" ]`, "[1]"},
		{"$.x[1].b", `"q"`},
		{"$.x[-1]", `{"b":null}`},
		{"$.x[3]", "error"},
		{"lax $.x[3]", "nothing"},
		{"$.q", "error"},
		{"LAX   $.q", "nothing"},
		{"strict $.q", "error"},
		{"$.y.q", "error"},
		{"$.x[*].a", "[1,2]"},
		{"$.x[*].q", "[]"},
		{"$.q[*]", "error"},
		{"lax $.q[*]", "[]"},
		{"$.x[0,2]", `[{"a":1},{"b":null}]`},
		{"$.x[1:]", `[{"a":2,"b":"q"},{"b":null}]`},
		{"$.x[-2:].a", "[2]"},
		{"$.x[:2].a", "[1,2]"},
		{"$..a", "[1,2]"},
		{"$..zz", "[]"},
		{"$.z.*", "[5]"},
		{"$['y','z','q']", `{"y":"s","z":{"k":5}}`},
		{"$.x.length()", "3"},
		{"$.z.length()", "1"},
		{"$.y.length()", "null"},
		{"$.x[", `[{"a":1},{"a":2,"b":"q"},{"b":null}]`},
		{"$x", "bad path"},
		{"$.", "bad path"},
		{"", "bad path"},
		{"$..", "bad path"},
		{"$.x[?(@.a>1)]", "unsupported"},
		{"$.x[?]", "bad path"},
		{"$..[0].a", "[1]"},
		{"$['y y'].sum()", "1.0"},
		{"$['y y'].max()", "1.0"},
		{"$.y.sum()", "error"},
		{"$.x.first().a", "unsupported"},
		{"$.x.first()", `{"a":1}`},
		{"$.z.keys()", `["k"]`},
		{"$.x[*].length()", "unsupported"},
		{"$.z.max(1)", "unsupported"},
		{"$.z.foo()", "error"},
		{"$['y']x", `"s"`},
		{"$.x[ 1:2 ].a", "[2]"},
		{"$.x[1 : 2]", "bad path"},
		{" $.y", "bad path"},
		{"@.y", `"s"`},
		{"$.x[1", "bad path"},
		{"$.x[a]", "bad path"},
		{"$.a b", "bad path"},
	} {
		if got := find(t, j, c.path); got != c.want {
			t.Errorf("%s finds %s, want %s", c.path, got, c.want)
		}
	}
}

// TestPrint has Flink's spelling of numbers and texts.
func TestPrint(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`[-0,-0.0,1e10,1E400,12345678901234567890123,0.00000001,1.0e2,1.50]`, `[0,0.0,1E+10,1E+400,12345678901234567890123,1E-8,1.0E+2,1.50]`},
		{`[0.000001, 0.0000001, 1.23456792E8, 1e-7, -12.5e-1, 0e3, 0.00, 100e-2]`, `[0.000001,1E-7,123456792,1E-7,-1.25,0E+3,0.00,1.00]`},
		{`["\u00e9\u0001é/\/😀","<&'>", "\ud83d\ude00", "\ud800"]`, `["é\u0001é//😀","<&'>","😀","?"]`},
		{` { "b" : 1 , "a" : [ ] , "b":{"d":1,"c":2} } `, `{"a":[],"b":{"c":2,"d":1}}`},
		{`{"a":1} x`, `{"a":1}`},
		{"12 x", "12"},
		{"12x", "no JSON"},
		{"truex", "no JSON"},
		{"01", "no JSON"},
		{"1.", "no JSON"},
		{"-", "no JSON"},
		{"[1,]", "no JSON"},
		{"{a:1}", "no JSON"},
		{`{"a"}`, "no JSON"},
		{"'a'", "no JSON"},
		{`"a`, "no JSON"},
		{`"\x"`, "no JSON"},
		{"\"\n\"", "no JSON"},
		{"nan", "no JSON"},
		{"", "no JSON"},
		{"  ", "no JSON"},
	} {
		if got := find(t, c.in, "$"); got != c.want {
			t.Errorf("%s is printed %s, want %s", c.in, got, c.want)
		}
	}
}

func TestDepth(t *testing.T) {
	deep := func(n int) string {
		b := make([]byte, 0, 2*n)
		for range n {
			b = append(b, '[')
		}
		for range n {
			b = append(b, ']')
		}
		return string(b)
	}
	if find(t, deep(maxDepth), "lax $.a") != "nothing" {
		t.Error("the greatest depth is refused")
	}
	if find(t, deep(maxDepth+1), "$") != "no JSON" {
		t.Error("a greater depth is accepted")
	}
}

func TestAppendASCII(t *testing.T) {
	if got, want := string(AppendASCII(nil, []byte("é😀/\"\\\n\x01"))), `"\u00e9\ud83d\ude00\/\"\\\n`+"\x01\""; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// FuzzDocument checks that what is printed reads back as the same.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.50,{"b":"\u00e9"}],"c":null}`, `[1e5,-0,"x\n"]`, `"\ud83d\ude00"`} {
		f.Add(s, "$.a[0]")
		f.Add(s, "lax $..b")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		var d Document
		root := d.Parse([]byte(text))
		if root == None {
			return
		}
		if p, err := Compile(path); err == nil {
			if id, err := d.Find(root, p); err == nil && id != None {
				d.Append(nil, id)
			}
		}
		once := string(d.Append(nil, root))
		var again Document
		id := again.Parse([]byte(once))
		if id == None {
			t.Fatalf("%q is printed %q, which is no JSON", text, once)
		}
		if twice := string(again.Append(nil, id)); twice != once {
			t.Fatalf("%q is printed %q and then %q", text, once, twice)
		}
	})
}

// TestManyMembers finds the values below an object of many members in a moment; of keys
// that come twice the last value counts, at the first place.
func TestManyMembers(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	text := []byte(`{"a":1,` + b.String() + `"a":2}`)
	var d Document
	for path, want := range map[string]int{"$..x": 0, "$.*": 100_001, "$..*": 100_001} {
		p, err := Compile(path)
		if err != nil {
			t.Fatal(err)
		}
		root := d.Parse(text)
		id, err := d.Find(root, p)
		if err != nil {
			t.Fatal(path, err)
		}
		got := 0
		if id != None {
			got = int(d.nodes[id].n)
			if got > 0 && string(d.AppendScalar(nil, d.First(id))) != "2" {
				t.Errorf("%s: the first value is not the last one of its key", path)
			}
		}
		if got != want {
			t.Errorf("%s: %d values, want %d", path, got, want)
		}
	}
}
