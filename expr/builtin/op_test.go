package builtin_test

import (
	"strings"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

func TestArithmetic(t *testing.T) {
	checkAll(t, []fcase{
		{"+", "ti ti", "TINYINT", []string{"127|1|-128", "5|-7|-2", "∅|1|∅", "1|∅|∅"}},
		{"+", "ti si", "SMALLINT", []string{"5|300|305", "127|32767|-32642", "-128|-32768|32640", "∅|∅|∅"}},
		{"*", "i i", "INT", []string{"70000|70000|605032704", "-9|-9|81", "2147483647|2147483647|1"}},
		{"-", "i bi", "BIGINT", []string{"70000|5000000000|-4999930000", "-2147483648|-9223372036854775808|9223372034707292160"}},
		{"/", "i i", "INT", []string{"7|2|3", "-7|2|-3", "-2147483648|-1|-2147483648", "7|∅|∅", "∅|0|∅"}},
		{"%", "bi i", "INT", []string{"5000000000|70000|40000", "-10|3|-1"}},
		{"MOD", "i bi", "BIGINT", []string{"7|-3|1", "-7|3|-1"}},
		{"%", "si ti", "TINYINT", []string{"300|127|46"}},
		{"+", "f d", "FLOAT", []string{"1.5|2.25|3.75", "3.4028235E38|1.7976931348623157E308|Infinity"}},
		{"-", "d f", "DOUBLE", []string{"2.25|1.5|0.75"}},
		{"/", "f i", "FLOAT", []string{"1|3|0.33333334"}},
		{"/", "d d", "DOUBLE", []string{"1|3|0.3333333333333333"}},
		{"*", "dc f", "DOUBLE", []string{"123.45|1.5|185.175"}},
		{"+", "dc i", "DECIMAL(13, 2)", []string{"123.45|70000|70123.45"}},
		{"+", "dc dc", "DECIMAL(11, 2)", []string{"99999999.99|0.01|100000000.00", "-0.05|0.02|-0.03"}},
		{"-", "dc d3", "DECIMAL(11, 2)", []string{"1.25|0.3|0.95"}},
		{"*", "dc dc", "DECIMAL(21, 4)", []string{"123.45|-99.99|-12343.7655"}},
		{"*", "d3 d3", "DECIMAL(7, 2)", []string{"1.5|-2.0|-3.00"}},
		{"*", "db db", "DECIMAL(38, 6)", []string{
			"1234567890.123456789012345678|1234567890.123456789012345678|1524157875323883675.049535",
			"99999999999999999999.999999999999999999|99999999999999999999.999999999999999999|∅", "0.1|0.1|0.010000"}},
		{"/", "ti d5", "DECIMAL(9, 6)", []string{"1|3|0.333333", "-2|3|-0.666667"}},
		{"/", "d3 d3", "DECIMAL(9, 6)", []string{"1.0|3.0|0.333333"}},
		{"%", "dc i", "DECIMAL(10, 2)", []string{"123.45|7|4.45", "-5.50|2|-1.50"}},
		{"%", "d5 ti", "TINYINT", []string{"300|7|6"}},
		{"%", "i d5", "DECIMAL(5, 0)", []string{"300|7|6"}},
		{"NEGATE", "ti", "TINYINT", []string{"-128|-128", "5|-5", "∅|∅"}},
		{"-", "dc", "DECIMAL(10, 2)", []string{"-99.99|99.99"}},
		{"-", "db", "DECIMAL(38, 18)", []string{"0.000000000000000001|-0.000000000000000001"}},
		{"-", "d", "DOUBLE", []string{"2.25|-2.25", "NaN|NaN"}},
	})
	fails(t, "/", "i i", "1|0", "division by zero")
	fails(t, "%", "bi ti", "1|0", "division by zero")
	fails(t, "/", "dc i", "1|0", "division by zero")
	fails(t, "%", "dc dc", "1|0", "division by zero")
	refuses(t, "%", "d i", "exact numbers")
	refuses(t, "+", "i s", "INT and STRING")
	refuses(t, "+", "i null", "NULL")
	refuses(t, "-", "b", "BOOLEAN")
	refuses(t, "-", "t3 t3", "TIMESTAMPDIFF")
}

// TestDecimalOverflow is an error where the result may not be NULL.
func TestDecimalOverflow(t *testing.T) {
	big := types.NewDecimal(38, 0).Required()
	x := &expr.Literal{Info: expr.Info{T: big}, Value: argument(t, big, "99999999999999999999999999999999999999")}
	e, err := bind("+", []expr.Expr{x, x})
	if err != nil {
		t.Fatal(err)
	}
	_, err = evaluate(e, &stream.Batch{N: 2}, nil)
	if err == nil || !strings.Contains(err.Error(), "99999999999999999999999999999999999999 + 99999999999999999999999999999999999999 does not fit DECIMAL(38, 0)") {
		t.Error(err)
	}
}

// TestDivisionByZero of approximate numbers: NaN and infinities, but an error of
// two literals.
func TestDivisionByZero(t *testing.T) {
	for _, r := range [][3]string{{"1", "0", "Infinity"}, {"-1", "0", "-Infinity"}, {"0", "0", "NaN"}, {"1", "-0.0", "-Infinity"}} {
		var v stream.Vec
		v.SetConst(types.Of(types.Double), argument(t, types.Of(types.Double), r[1]))
		zero := &expr.Column{Info: expr.Info{T: types.Of(types.Double)}}
		one := &expr.Literal{Info: expr.Info{T: types.Of(types.Double)}, Value: argument(t, types.Of(types.Double), r[0])}
		e, err := bind("/", []expr.Expr{one, zero})
		if err != nil {
			t.Fatal(err)
		}
		got, err := evaluate(e, &stream.Batch{N: 1, Cols: []stream.Vec{v}}, nil)
		if err != nil || got[0] != r[2] {
			t.Error(r, got, err)
		}
		if _, err := bind("/", []expr.Expr{one, &expr.Literal{Info: zero.Info, Value: types.FloatValue(0)}}); err == nil {
			t.Error("a literal divided by zero is accepted")
		}
	}
}

func TestComparison(t *testing.T) {
	for _, c := range []struct {
		fn             string
		lt, eq, gt, na string
	}{
		{"=", "FALSE", "TRUE", "FALSE", "FALSE"}, {"<>", "TRUE", "FALSE", "TRUE", "TRUE"},
		{"<", "TRUE", "FALSE", "FALSE", "FALSE"}, {"<=", "TRUE", "TRUE", "FALSE", "FALSE"},
		{">", "FALSE", "FALSE", "TRUE", "FALSE"}, {">=", "FALSE", "TRUE", "TRUE", "FALSE"},
	} {
		for _, v := range []struct{ types, lo, mid, mid2 string }{
			{"ti ti", "-5", "7", "7"}, {"si bi", "-5", "7", "7"}, {"i i", "1", "2", "2"}, {"bi i", "-3", "4", "4"},
			{"f f", "1.5", "2.5", "2.5"}, {"d i", "1.5", "2", "2"}, {"i d", "1", "2", "2.0"},
			{"dc dc", "1.25", "1.26", "1.26"}, {"dc i", "1.25", "2", "2"}, {"dc db", "0.10", "0.20", "0.2"}, {"db db", "-1", "1", "1"},
			{"db d5", "-99999999999999999999", "1", "1"},
			{"s s", "ab", "b", "b"}, {"s s", "", "a", "a"}, {"s s", "Z", "a", "a"}, {"c4 s", "ab  ", "b   ", "b   "}, {"s s", "z", "é", "é"},
			{"b b", "FALSE", "TRUE", "TRUE"}, {"by by", "a", "b", "b"},
			{"dt dt", "1969-12-31", "2024-01-01", "2024-01-01"}, {"t3 t9", "2024-01-01 00:00:00", "2024-01-01 00:00:00.001", "2024-01-01 00:00:00.001"},
			{"tm tm", "01:02:03", "01:02:04", "01:02:04"}, {"l3 l3", "2024-01-01 00:00:00", "2024-01-02 00:00:00", "2024-01-02 00:00:00"},
			{"dt s", "2023-12-31", "2024-01-01", "2024-1-1"}, {"t3 s", "2023-12-31 00:00:00", "2024-01-01 00:00:00", "2024-01-01"},
		} {
			check(t, fcase{c.fn, v.types, "BOOLEAN", []string{
				v.lo + "|" + v.mid2 + "|" + c.lt, v.mid + "|" + v.mid2 + "|" + c.eq, v.mid + "|∅|∅", "∅|" + v.mid2 + "|∅", "∅|∅|∅"}}, nil)
			if v.types == "s s" || v.types == "i i" || v.types == "dc dc" {
				check(t, fcase{c.fn, v.types, "BOOLEAN", []string{v.mid + "|" + v.lo + "|" + c.gt}}, nil)
			}
		}
		check(t, fcase{c.fn, "d d", "", []string{"NaN|1|" + c.na, "1|NaN|" + c.na}}, nil)
	}
	checkAll(t, []fcase{
		{"<", "i s", "BOOLEAN", []string{"1|2|TRUE", "1|0|FALSE"}},
		{"=", "b s", "BOOLEAN", []string{"TRUE|TRUE|FALSE", "TRUE|true|FALSE"}},
		{"=", "t3 l3", "BOOLEAN", []string{"2024-01-01 00:00:00|2024-01-01 00:00:00|TRUE"}},
		{"IS DISTINCT FROM", "i i", "BOOLEAN NOT NULL", []string{"1|1|FALSE", "1|2|TRUE", "∅|1|TRUE", "1|∅|TRUE", "∅|∅|FALSE"}},
		{"IS NOT DISTINCT FROM", "s s", "BOOLEAN NOT NULL", []string{"a|a|TRUE", "a|b|FALSE", "∅|a|FALSE", "∅|∅|TRUE"}},
		{"IS DISTINCT FROM", "d d", "BOOLEAN NOT NULL", []string{"NaN|1|TRUE", "0.0|-0.0|FALSE"}},
	})
	refuses(t, "=", "i s", "CAST")
	refuses(t, "=", "dt t3", "DATE with TIMESTAMP(3)")
	refuses(t, "=", "b i", "BOOLEAN with INT")
	fails(t, "<", "i s", "1|x", "x")
}

func TestBooleans(t *testing.T) {
	for fn, r := range map[string][3]string{
		"NOT": {"FALSE", "TRUE", absent}, "IS TRUE": {"TRUE", "FALSE", "FALSE"}, "IS NOT TRUE": {"FALSE", "TRUE", "TRUE"},
		"IS FALSE": {"FALSE", "TRUE", "FALSE"}, "IS NOT FALSE": {"TRUE", "FALSE", "TRUE"}, "IS NULL": {"FALSE", "FALSE", "TRUE"},
		"IS NOT NULL": {"TRUE", "TRUE", "FALSE"}, "IS UNKNOWN": {"FALSE", "FALSE", "TRUE"}, "IS NOT UNKNOWN": {"TRUE", "TRUE", "FALSE"},
	} {
		check(t, fcase{fn, "b", "", []string{"TRUE|" + r[0], "FALSE|" + r[1], "∅|" + r[2]}}, nil)
	}
	check(t, fcase{"IS NULL", "s", "BOOLEAN NOT NULL", []string{"a|FALSE", "∅|TRUE", "|FALSE"}}, nil)
	refuses(t, "NOT", "i", "BOOLEAN")
	refuses(t, "IS TRUE", "i", "BOOLEAN")
}

func TestLike(t *testing.T) {
	// Rows of Flink's answers, the pattern as a column and as a constant.
	checkAll(t, []fcase{
		{"LIKE", "s s", "BOOLEAN", []string{
			"abc|a%|TRUE", "a%c|a\\%%|FALSE", "ABC|%|TRUE", "|_|FALSE", "a_c|a_c|TRUE", "∅|a|∅", "(b)|(|FALSE", "é😀|%😀|TRUE",
			"a\\c|a\\\\c|FALSE", "aXbXc|∅|∅", "abcb|b|FALSE", "abc|%b|FALSE", "abc|_b_|TRUE", "abcb|%b|TRUE", "é😀|_😀|TRUE", "abcb|a_c%|TRUE",
			"|%|TRUE", "||TRUE", "a||FALSE", "aab|%ab|TRUE", "abab|%a_|TRUE", "aaa|a%a%a%a|FALSE", "aaaa|a%a%a%a|TRUE", "xayb|%a_b%|TRUE",
			"é|_|TRUE", "é|__|FALSE", "ab|%_%_%|TRUE", "a|%_%_%|FALSE", "2024-02-29|%-__-%|TRUE", "abc|abc%%|TRUE", "mississippi|m%iss%_pi|TRUE"}},
		{"LIKE", "s s s'", "BOOLEAN", []string{"a%c|a!%%|!|TRUE", "abc|a!%%|!|FALSE", "a_c|%!_%|!|TRUE", "abc|%!_%|!|FALSE", "a!c|a!!c|!|TRUE"}},
	})
	refuses(t, "LIKE", "i s", "text")
	refuses(t, "LIKE", "s '%a! '!", "escape")
	refuses(t, "LIKE", "s 'a '!!", "one ESCAPE character")
}

func TestIn(t *testing.T) {
	checkAll(t, []fcase{
		{"IN", "i i i", "BOOLEAN", []string{"1|1|2|TRUE", "3|1|2|FALSE", "1|1|∅|TRUE", "2|1|∅|∅", "∅|1|2|∅", "∅|∅|∅|∅"}},
		{"IN", "i i' i' i' i'", "BOOLEAN", []string{"1|9|1|5|1|TRUE", "2|9|1|5|1|FALSE", "-2147483648|-2147483648|1|2|3|TRUE", "∅|1|2|3|4|∅", "3|1|2|∅|4|∅", "4|1|2|∅|4|TRUE"}},
		{"IN", "s s' s' s'", "BOOLEAN", []string{"a|b|a|c|TRUE", "|b|a|c|FALSE", "x|b|a|∅|∅", "∅|b|a|c|∅"}},
		{"IN", "dc i' d3' dc'", "BOOLEAN", []string{"1.50|1|1.5|2.25|TRUE", "2.26|1|1.5|2.25|FALSE"}},
		{"IN", "d i' i' i'", "BOOLEAN", []string{"2.0|1|2|3|TRUE", "NaN|1|2|3|FALSE"}},
		{"IN", "i s' s'", "BOOLEAN", []string{"1|1|2|TRUE", "3|1|2|FALSE"}},
		{"IN", "dt dt' dt' dt'", "BOOLEAN", []string{"2024-01-01|2023-01-01|2024-01-01|2025-01-01|TRUE"}},
	})
	refuses(t, "IN", "i dt", "INT with DATE")
}

func TestConditional(t *testing.T) {
	checkAll(t, []fcase{
		{"COALESCE", "i i", "INT", []string{"1|2|1", "∅|2|2", "1|∅|1", "∅|∅|∅"}},
		{"COALESCE", "i bi", "BIGINT", []string{"∅|5000000000|5000000000", "1|2|1"}},
		{"COALESCE", "dc i", "DECIMAL(12, 2)", []string{"∅|7|7.00", "1.25|7|1.25"}},
		{"COALESCE", "s s s", "STRING", []string{"∅|b|c|b", "∅|∅|c|c", "|b|c|", "∅|∅|∅|∅"}},
		{"COALESCE", "b b", "BOOLEAN", []string{"∅|TRUE|TRUE", "FALSE|TRUE|FALSE", "∅|∅|∅"}},
		{"COALESCE", "db db", "DECIMAL(38, 18)", []string{"∅|1|1.000000000000000000"}},
		{"COALESCE", "f d", "DOUBLE", []string{"∅|1.5|1.5"}},
		{"IFNULL", "s s", "STRING", []string{"∅|x|x", "a|x|a"}},
		{"NULLIF", "i i", "INT", []string{"1|1|∅", "1|2|1", "∅|1|∅", "1|∅|1"}},
		{"NULLIF", "s s", "STRING", []string{"a|a|∅", "b|a|b", "∅|a|∅"}},
		{"NULLIF", "i d3", "INT", []string{"1|1.0|∅", "2|1.0|2"}},
		{"GREATEST", "i i i", "INT", []string{"1|3|2|3", "∅|1|2|∅", "-1|-3|-2|-1"}},
		{"LEAST", "i ti si", "INT", []string{"70000|5|300|5", "-9|-7|-8|-9"}},
		{"GREATEST", "d i", "DOUBLE", []string{"2.25|70000|70000.0", "NaN|1|NaN"}},
		{"LEAST", "d d", "DOUBLE", []string{"NaN|1|1.0", "1|NaN|1.0"}},
		{"GREATEST", "s s", "STRING", []string{"a|b|b", "b|B|b", "|a|a"}},
		{"LEAST", "b b", "BOOLEAN", []string{"TRUE|FALSE|FALSE"}},
		{"GREATEST", "db db", "DECIMAL(38, 18)", []string{"1|2|2.000000000000000000"}},
		{"GREATEST", "dt dt", "DATE", []string{"2024-01-01|2023-12-31|2024-01-01"}},
	})
	refuses(t, "COALESCE", "s i", "STRING and INT")
	refuses(t, "GREATEST", "i dt", "INT and DATE")
	refuses(t, "IFNULL", "i", "2 arguments")
}
