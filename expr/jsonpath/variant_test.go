package jsonpath

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"streamsql/types"
)

// variant returns the encoding of the first value of a text, nil if it is no JSON.
func variant(text string) []byte {
	d := Document{LongExponents: true}
	root := d.Parse([]byte(text))
	if root == None {
		return nil
	}
	b, _ := d.AppendVariant([]byte{}, root, true)
	return b
}

// TestVariantCanonical: of texts on one line all have the same encoding, and of texts on
// two lines none.
func TestVariantCanonical(t *testing.T) {
	lines := [][]string{
		{"null", " null "}, {"true"}, {"false"},
		{"1", "01"[1:], " 1"}, {"-1"}, {"127"}, {"128"}, {"32768"}, {"2147483648"}, {"9223372036854775807"}, {"9223372036854775808"},
		{"0", "-0"}, {"0.0", "-0.0"}, {"0e0", "0.0e5", "0e99999999999"}, {"-0e0"},
		{"1.0"}, {"1.00"}, {"1e0", "1.0e0", "10e-1", "0.1E+1"}, {"1.5"}, {"1.50"},
		{"1e400", "1e9999999999"}, {"-1e400"},
		{`"1"`}, {`"a"`, `"\u0061"`}, {`""`}, {`"é"`, `"\u00e9"`}, {`"😀"`, `"\ud83d\ude00"`},
		{"[]", "[ ]"}, {"{}", "{ }"}, {"[[]]"}, {"[null]"}, {"[1]"}, {"[1,2]", "[ 1 , 2 ]"}, {"[2,1]"}, {`["1"]`},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"\u0062":2,"a":1}`, `{"a":3,"b":2,"a":1}`}, {`{"a":2,"b":1}`}, {`{"a":1}`}, {`{"A":1}`}, {`{"a":"1"}`},
		{`{"ab":"c"}`}, {`{"a":"bc"}`}, {`{"a":{"b":1}}`}, {`{"a":{"c":1,"b":{}}}`, `{"a":{"b":{},"c":1}}`},
	}
	seen := map[string]string{}
	for _, line := range lines {
		first := variant(line[0])
		if first == nil {
			t.Fatalf("%s is no JSON", line[0])
		}
		for _, text := range line {
			if got := variant(text); !bytes.Equal(got, first) {
				t.Errorf("%s is %x, but %s is %x", text, got, line[0], first)
			}
		}
		if other, known := seen[string(first)]; known {
			t.Errorf("%s and %s are both %x", other, line[0], first)
		}
		seen[string(first)] = line[0]
	}
}

// TestVariantParts: what stands in an array or object, of any size, is found, and has the
// bytes that it has alone.
func TestVariantParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 50, 127, 128, 200, 300, 40_000} {
		values := make([]string, n)
		for i := range values {
			values[i] = []string{"null", fmt.Sprint(i), `"` + strings.Repeat("x", i%300) + `"`, fmt.Sprintf(`{"k":[%d.5]}`, i), "[]"}[r.IntN(5)]
		}
		array := variant("[" + strings.Join(values, ",") + "]")
		members := make([]string, n)
		for i, v := range values {
			members[i] = fmt.Sprintf("%q:%s", key(i), v)
		}
		r.Shuffle(n, func(i, j int) { members[i], members[j] = members[j], members[i] })
		object := variant("{" + strings.Join(members, ",") + "}")
		for i, v := range values {
			if got, ok := types.VariantElement(array, int64(i)); !ok || !bytes.Equal(got, variant(v)) {
				t.Fatalf("element %d of %d is %x, not %s", i, n, got, v)
			}
			if got, ok := types.VariantField(object, []byte(key(i))); !ok || !bytes.Equal(got, variant(v)) {
				t.Fatalf("field %s of %d is %x, not %s", key(i), n, got, v)
			}
		}
		for _, i := range []int64{-1, int64(n), 1 << 40, -1 << 40} {
			if got, ok := types.VariantElement(array, i); ok {
				t.Fatalf("element %d of %d is %x", i, n, got)
			}
		}
		for _, k := range []string{"", "a", "\uffff", "😁", key(n)} {
			if got, ok := types.VariantField(object, []byte(k)); ok {
				t.Fatalf("field %q of %d is %x", k, n, got)
			}
		}
		if text := types.AppendVariant(nil, object); !json.Valid(text) {
			t.Fatalf("%d fields: %.200s is no JSON", n, text)
		}
	}
}

// key returns different keys, with characters of all lengths.
func key(i int) string {
	return []string{"k", "é", "\ue000", "\uffee", "😀"}[i%5] + fmt.Sprint(i)
}

func TestVariantTwice(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a":1,"b":1}`: true, `{"a":1,"a":1}`: false, `[{"a":1,"\u0061":2}]`: false, `{"a":{"b":1},"b":1}`: true, `{"z":{"b":1,"c":2,"b":3}}`: false,
	} {
		var d Document
		if _, ok := d.AppendVariant(nil, d.Parse([]byte(text)), false); ok != want {
			t.Errorf("%s: %v, want %v", text, ok, want)
		}
	}
}

// FuzzVariant: what a VARIANT prints is JSON for the same value. Printed again it may differ
// in how numbers look (1e2 is 100.0, which is 100), but then no more.
func FuzzVariant(f *testing.F) {
	for _, s := range []string{"null", "[1,2.50,-0.0,1e400,\"\\ud83d\"]", `{"b":{"\u0001":[]},"a":true,"a":1}`, `"\uffee😀"`, "123456789012345678901234567890.5", "9e-999999999999", "[[[[[[", `{"a`, "tru", "\"\x00\"", "1x", "[{},{}]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b := variant(text)
		if b == nil {
			return
		}
		once := types.AppendVariantJSON(nil, b)
		again := variant(string(once))
		if again == nil {
			t.Fatalf("%q prints %q, which is not read", text, once)
		}
		twice := types.AppendVariantJSON(nil, again)
		var x, y any
		if err := errors.Join(json.Unmarshal(once, &x), json.Unmarshal(twice, &y)); err != nil || !reflect.DeepEqual(x, y) {
			t.Fatalf("%q prints %q, and that %q: %v", text, once, twice, err)
		}
		third := variant(string(twice))
		if last := types.AppendVariantJSON(nil, third); !bytes.Equal(last, twice) || !bytes.Equal(variant(string(last)), third) {
			t.Fatalf("%q prints %q, that %q, and that %q", text, once, twice, last)
		}
	})
}

func BenchmarkVariant(b *testing.B) {
	text := []byte(`{"id":12345,"name":"Anna \"A\" B","tags":["x","y","z"],"price":12.50,"where":{"lat":52.5,"lon":13.4},"ok":true,"none":null}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	var d Document
	var out []byte
	for b.Loop() {
		out, _ = d.AppendVariant(out[:0], d.Parse(text), false)
	}
}

// TestLimits: what Flink's reader takes of long numbers, long keys and deep values.
func TestLimits(t *testing.T) {
	one := func(n int) string { return strings.Repeat("1", n) }
	for _, c := range []struct {
		text string
		want bool
	}{
		{one(1000), true}, {one(1001), false}, {"-" + one(1000), true}, {"[" + one(1001) + "]", false},
		{"1." + one(1000), true}, {"1." + one(1001), false}, {"-111." + one(998), true}, {"111." + one(999), false},
		{"1e" + one(1000), true}, {"1e+" + one(1001), false}, {"1.5e" + one(998), true}, {"1.5e-" + one(999), false},
		{`{"` + one(50_000) + `":1}`, true}, {`{"` + one(50_001) + `":1}`, false}, {`{"` + strings.Repeat("é", 50_000) + `":1}`, true},
		{`{"` + strings.Repeat("😀", 25_000) + `":1}`, true}, {`{"` + strings.Repeat("😀", 25_001) + `":1}`, false}, {`{"` + strings.Repeat(`\n`, 50_000) + `":1}`, true},
		{strings.Repeat("[", 1000) + strings.Repeat("]", 1000), true}, {strings.Repeat("[", 1001) + strings.Repeat("]", 1001), false},
		{"true,", true}, {"null}", true}, {"true-", true}, {"truex", false}, {"true_", false}, {"nullé", false}, {`"a"x`, true}, {"{}]", true}, {"1,", false}, {"1x", false}, {"1 x", true},
	} {
		if got := variant(c.text) != nil; got != c.want {
			t.Errorf("%.20s (%d bytes): %v, want %v", c.text, len(c.text), got, c.want)
		}
	}
}
