package builtin_test

import (
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func TestJSONText(t *testing.T) {
	checkAll(t, []fcase{
		{"JSON_QUOTE", "s", "STRING", []string{`a"b\c|"a\"b\\c"`, `é😀/|"\u00e9\ud83d\ude00\/"`, "∅|∅"}},
		{"JSON_UNQUOTE", "s", "STRING", []string{`"a\/b\u00e9\"q"|a/bé"q`, `"a|"a`, `"a" x|"a" x`, ` "a"| "a"`, `"\x"|"\x"`, `"\u00g1"|"\u00g1"`, `"a"b"|a"b`, "null|null", "|", `""|`}},
		{"JSON_STRING", "s", "STRING", []string{`a"b|"a\"b"`, "∅|∅"}},
		{"JSON_STRING", "b", "STRING", []string{"TRUE|true"}},
		{"JSON_STRING", "d", "STRING", []string{"0.1|0.1", "1e-7|1.0E-7", "1e20|1.0E+20", "100|100.0", "123456789.125|123456789.125", `NaN|"NaN"`, "-0.0|0.0"}},
		{"JSON_STRING", "f", "STRING", []string{"0.1|0.10000000149011612", "123456789.125|123456792", "1e20|1.0000000200408773E+20"}},
		{"JSON_STRING", "dc", "STRING", []string{"1.50|1.50", "0.00|0.00"}},
		{"JSON_STRING", "t3", "STRING", []string{`2024-01-01 00:00:00.120|"2024-01-01T00:00:00.12"`, `2024-01-01 00:00:00.000|"2024-01-01T00:00:00"`}},
		{"JSON_STRING", "l3", "STRING", []string{`2024-01-01 00:00:00.000|"2024-01-01T00:00:00Z"`}},
		{"JSON", "s", "STRING", []string{`{"b": 1,  "a":[1.50]}|{"a":[1.50],"b":1}`, "∅|∅"}},
		{"IS JSON", "s", "BOOLEAN NOT NULL", []string{`{"a":1} x|TRUE`, "01|FALSE", "nan|FALSE", "|FALSE", "∅|FALSE", "1|TRUE"}},
		{"IS JSON SCALAR", "s", "BOOLEAN NOT NULL", []string{"1|TRUE", "null|TRUE", "[1]|FALSE"}},
		{"IS JSON ARRAY", "s", "BOOLEAN NOT NULL", []string{"[1]|TRUE", "{}|FALSE"}},
		{"IS JSON OBJECT", "s", "BOOLEAN NOT NULL", []string{"[1]|FALSE", "{}|TRUE", "{|FALSE"}},
	})
	fails(t, "JSON", "s", "[", "is no JSON")
	refuses(t, "JSON_STRING", "dt", "DATE as JSON")
	refuses(t, "JSON_STRING", "tm", "TIME(0) as JSON")
	refuses(t, "JSON_QUOTE", "i", "a text")
}

// TestJSONClauses binds the functions with clauses as the planner does. The rows are
// those of Flink 2.3.
func TestJSONClauses(t *testing.T) {
	texts := []string{`{"a":1,"b":"x","c":[1,2],"e":null}`, "[1,2]", "not json", `"str"`, "null"}
	null := func(k types.Kind) expr.Expr {
		return &expr.Literal{Info: expr.Info{T: types.Of(k)}, Value: types.NullValue}
	}
	text := func(s string) expr.Expr {
		return &expr.Literal{Info: expr.Info{T: types.NewChar(len(s)).Required()}, Value: types.TextValue(s)}
	}
	column := &expr.Column{Info: expr.Info{T: types.Of(types.Varchar)}}
	str := types.Varchar
	for _, c := range []struct {
		fn   string
		args []expr.Expr
		want []string
	}{
		{"JSON_EXISTS", []expr.Expr{text("$.a"), text("")}, []string{"TRUE", "FALSE", "FALSE", "FALSE", "FALSE"}},
		{"JSON_EXISTS", []expr.Expr{text("$.e"), text("TRUE")}, []string{"TRUE", "TRUE", "TRUE", "TRUE", "TRUE"}},
		{"JSON_EXISTS", []expr.Expr{text("lax $.q"), text("UNKNOWN")}, []string{"FALSE", "FALSE", "FALSE", "FALSE", "∅"}},
		{"JSON_VALUE", []expr.Expr{text("lax $.e"), text("DEFAULT"), text("e"), text("DEFAULT"), text("r"), null(str)}, []string{"e", "e", "e", "e", "r"}},
		{"JSON_VALUE", []expr.Expr{text("$.a"), text("DEFAULT"), text("e"), text("DEFAULT"), text("r"), null(str)}, []string{"1", "r", "r", "r", "r"}},
		{"JSON_VALUE", []expr.Expr{text("$.c"), text(""), null(str), text("DEFAULT"), text("r"), null(str)}, []string{"r", "r", "r", "r", "r"}},
		{"JSON_VALUE", []expr.Expr{text("lax $.c"), text("DEFAULT"), text("e"), text(""), null(str), null(str)}, []string{"e", "e", "e", "e", "∅"}},
		{"JSON_VALUE", []expr.Expr{text("$"), text(""), null(str), text(""), null(str), null(str)}, []string{"∅", "∅", "∅", "str", "∅"}},
		{"JSON_VALUE", []expr.Expr{text("$.a"), text(""), null(types.Int), text("DEFAULT"), constant(t, "i", "7"), null(types.Int)}, []string{"1", "7", "7", "7", "7"}},
		{"JSON_VALUE", []expr.Expr{text("$.a"), text(""), null(types.Double), text(""), null(types.Double), null(types.Double)}, []string{"1.0", "∅", "∅", "∅", "∅"}},
		{"JSON_QUERY", []expr.Expr{text("$.c"), text(""), text(""), text("")}, []string{"[1,2]", "∅", "∅", "∅", "∅"}},
		{"JSON_QUERY", []expr.Expr{text("$.c"), text("UNCONDITIONAL"), text(""), text("")}, []string{"[[1,2]]", "∅", "∅", "∅", "∅"}},
		{"JSON_QUERY", []expr.Expr{text("$.c"), text("CONDITIONAL"), text(""), text("")}, []string{"[1,2]", "∅", "∅", "∅", "∅"}},
		{"JSON_QUERY", []expr.Expr{text("$.a"), text("CONDITIONAL"), text(""), text("")}, []string{"[1]", "∅", "∅", "∅", "∅"}},
		{"JSON_QUERY", []expr.Expr{text("lax $.a"), text(""), text("EMPTY ARRAY"), text("EMPTY OBJECT")}, []string{"[]", "[]", "[]", "[]", "{}"}},
	} {
		e, err := bind(c.fn, append([]expr.Expr{column}, c.args...))
		if err != nil {
			t.Fatal(err)
		}
		b := &stream.Batch{N: len(texts) + 1, Cols: make([]stream.Vec, 1)}
		b.Cols[0].Reset(types.Of(str), b.N)
		for _, s := range texts {
			b.Cols[0].AppendString(s)
		}
		b.Cols[0].Put(len(texts), b.N, types.NullValue)
		got, err := evaluate(e, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range append(c.want, "∅") {
			if got[i] != want {
				t.Errorf("%s of row %d with path %v is %s, want %s", c.fn, i, c.args[0].(*expr.Literal).Value.S, got[i], want)
			}
		}
	}
}
