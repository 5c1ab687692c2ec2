package builtin_test

import "testing"

func TestStrings(t *testing.T) {
	checkAll(t, []fcase{
		{"UPPER", "s", "STRING", []string{"abc é ß|ABC É SS", "ﬁ|FI", "ǆ|Ǆ", "ᾳ|ΑΙ", "∅|∅", "|"}},
		{"LOWER", "s", "STRING", []string{"Hello World|hello world", "ÀÉßıİ|àéßıi̇", "ΟΔΟΣ|οδος", "ΣΑ Σ|σα σ", "∅|∅"}},
		{"INITCAP", "s", "STRING", []string{"hello wORLD|Hello World", "a-b_c d.e|A-B_C D.E", "1abc ABC|1abc Abc", "écOLE|éCole"}},
		{"CHAR_LENGTH", "s", "INT", []string{"é😀ñ|3", "|0", "∅|∅"}},
		{"ASCII", "s", "INT", []string{"A|65", "é|-61", "|0"}},
		{"CHR", "i", "STRING", []string{"233|é", "255|ÿ", "65|A", "321|A", "-1|", "∅|∅"}},
		{"REVERSE", "s", "STRING", []string{"é😀ñ|ñ😀é", "abc|cba", "|"}},
		{"REPEAT", "s i", "STRING", []string{"ab|3|ababab", "ab|0|", "ab|-1|", "∅|1|∅", "ab|∅|∅"}},
		{"LEFT", "s i", "STRING", []string{"é😀ñ|2|é😀", "abc|100|abc", "abc|0|", "abc|-2|"}},
		{"RIGHT", "s i", "STRING", []string{"é😀ñ|2|😀ñ", "abc|100|abc", "abc|0|", "abc|-1|"}},
		{"SUBSTRING", "s i", "STRING", []string{"Hello World|1|Hello World", "Hello World|0|Hello World", "Hello World|-100|", "é😀ñ|2|😀ñ", "abc|-2|bc", "abc|4|", "|1|"}},
		{"SUBSTR", "s i i", "STRING", []string{"Hello World|0|2|He", "abc|1|0|", "Hello World|-1|5|d", "é😀ñ|2|2|😀ñ", "abcabc|-2|1|b", "abc|1|-1|∅", "abc|9|-1|∅", "abc|2|∅|∅"}},
		{"CONCAT", "s s", "STRING", []string{"a|b|ab", "a|∅|∅", "|x|x"}},
		{"||", "s s", "STRING", []string{"a|b|ab", "∅|b|∅"}},
		{"CONCAT_WS", "s s s", "STRING", []string{"-|a|b|a-b", "-|∅|b|b", "-|∅|∅|", "∅|a|b|∅", ",||b|,b"}},
		{"TRIM", "s", "STRING", []string{"  pad  |pad", " |", "x|x"}},
		{"TRIM", "s s", "STRING", []string{"x|xxaxx|a", "bc|abcabc|abca", "|abc|abc"}},
		{"LTRIM", "s s", "STRING", []string{"xxaxx|x|axx", "abcabc|abc|"}},
		{"RTRIM", "s s", "STRING", []string{"Hello World|dc|Hello Worl", "abcabc|bc|abca"}},
		{"BTRIM", "s s", "STRING", []string{"Hello World|aHdc|ello Worl", "é😀ñ|é|😀ñ", "abc||abc"}},
		{"LPAD", "s i s", "STRING", []string{"Hello World|5|*|Hello", "é😀ñ|5|*|*é😀ñ", "é😀ñ|2|#|é?", "é😀ñ|5|😀|?é😀ñ", "|8|xy|xyxyxyxy", "abc|-1|*|∅", "abc|3||∅", "abc|0|*|"}},
		{"RPAD", "s i s", "STRING", []string{"x,y;z|8|xy|x,y;zxyx", "é😀ñ|8|xy|é😀ñxyxy", "abc|2|*|ab"}},
		{"STARTSWITH", "s s", "BOOLEAN", []string{"abc|ab|TRUE", "abc||TRUE", "abc|abcd|FALSE", "∅|a|∅"}},
		{"ENDSWITH", "s s", "BOOLEAN", []string{"abc|bc|TRUE", "abc||TRUE", "abc|b|FALSE"}},
		{"POSITION", "s s", "INT", []string{"o|Hello World|5", "😀|é😀ñ|2", "zz|abc|0", "||1", "|abc|1"}},
		{"LOCATE", "s s i", "INT", []string{"b|abcabc|3|5", "b|abcabc|0|2", "b|abcabc|-1|2", "o|Hello|9|0"}},
		{"INSTR", "s s i i", "INT", []string{"abcabc|b|1|2|5", "abcabc|b|-1|1|5", "abcabc|b|-1|2|2", "abcabc|b|0|1|0", "abcabc|b|1|3|0"}},
		{"REPLACE", "s s s", "STRING", []string{"Hello World|l|L|HeLLo WorLd", "aaa|aa|b|ba", "é😀ñ||x|xéx?x?xñx", "||x|x", "é😀||" + "|é😀"}},
		{"SPLIT_INDEX", "s s i", "STRING", []string{"a,b,,c|,|2|", "a.b|.|1|b", "Hello World| |5|∅", "|,|0|∅", "abc||0|abc", "a,b|,|-1|∅", "abcabc|bc|1|a"}},
		{"SPLIT_INDEX", "s i i", "STRING", []string{"a,b|44|1|b"}},
		{"TRANSLATE", "s s s", "STRING", []string{"abcabc|abc|x|xx", "abcabc||x|abcabc", "abcabc|∅|x|abcabc", "  pad  |abc||  pd  ", "∅|a|b|∅", "a|a|∅|", "aa|aa|xy|xx"}},
		{"OVERLAY", "s s i", "STRING", []string{"Hello World|XX|2|HXXlo World", "|XX|2|", "é😀ñ|XX|2|éXXñ", "abc|X|0|abc"}},
		{"OVERLAY", "s s i i", "STRING", []string{"Hello World|XX|2|-1|HXX", "é😀ñ|XX|2|1|éXX?ñ", "abc|X|3|100|abX", "abcd||2|2|ad"}},
		{"ELT", "i s s", "STRING", []string{"1|a|b|a", "2|a|b|b", "3|a|b|∅", "0|a|b|∅", "∅|a|b|∅", "1|∅|b|∅"}},
		{"HEX", "s", "STRING", []string{"é|C3A9", "|"}},
		{"HEX", "bi", "STRING", []string{"20|14", "-1|FFFFFFFFFFFFFFFF"}},
		{"BIN", "i", "STRING", []string{"5|101", "0|0", "-1|1111111111111111111111111111111111111111111111111111111111111111"}},
	})
	fails(t, "INSTR", "s s i i", "abc|b|1|0", "at least 1")
	refuses(t, "UPPER", "i", "a text as argument 1, not INT")
	refuses(t, "UPPER", "null", "NULL")
	refuses(t, "LPAD", "s i", "3 arguments")
	refuses(t, "CONCAT", "", "at least 1 argument")
	refuses(t, "SUBSTRING", "s", "2 or 3 arguments")
	refuses(t, "ELT", "s s", "an integer")
}

func TestTrimSides(t *testing.T) {
	for _, r := range [][3]string{{"LEADING", "xxaxx", "axx"}, {"TRAILING", "xxaxx", "xxa"}, {"BOTH", "xxaxx", "a"}} {
		check(t, fcase{"TRIM", "s' s s", "", []string{r[0] + "|x|" + r[1] + "|" + r[2]}}, nil)
	}
}

func TestNumeric(t *testing.T) {
	checkAll(t, []fcase{
		{"ABS", "i", "INT", []string{"-9|9", "-2147483648|-2147483648", "∅|∅"}},
		{"ABS", "db", "DECIMAL(38, 18)", []string{"-0.000000000000000001|0.000000000000000001"}},
		{"ABS", "d", "DOUBLE", []string{"-0.0|0.0", "-2.5|2.5", "NaN|NaN"}},
		{"SIGN", "dc", "DECIMAL(10, 2)", []string{"-99.99|-1.00", "0|0.00"}},
		{"SIGN", "db", "DECIMAL(38, 18)", []string{"-99.99|-1.000000000000000000"}},
		{"SIGN", "d", "DOUBLE", []string{"NaN|NaN", "-0.0|-0.0", "-4.9E-324|-1.0"}},
		{"SIGN", "ti", "TINYINT", []string{"-128|-1", "0|0"}},
		{"FLOOR", "dc", "DECIMAL(10, 0)", []string{"-0.01|-1", "123.45|123", "0.00|0"}},
		{"CEIL", "dc", "DECIMAL(10, 0)", []string{"-99.99|-99", "123.45|124", "5.00|5"}},
		{"FLOOR", "db", "DECIMAL(38, 0)", []string{"-99999999999999999999.999999999999999999|-100000000000000000000", "-0.000000000000000001|-1"}},
		{"CEILING", "f", "FLOAT", []string{"1.5|2.0", "-2.5|-2.0"}},
		{"FLOOR", "d", "DOUBLE", []string{"-1.5|-2.0"}},
		{"FLOOR", "i", "INT", []string{"-5|-5"}},
		{"ROUND", "d", "DOUBLE", []string{"2.25|2.0", "-3.75|-4.0", "0.5|1.0", "1.7976931348623157E308|1.7976931348623157E308", "4.9E-324|0.0", "-0.4|0.0"}},
		{"ROUND", "d i", "DOUBLE", []string{"1.005|2|1.01", "2.25|1|2.3", "-3.75|1|-3.8", "1234.567|-2|1200.0", "9.99|1|10.0", "0.95|0|1.0", "55|-2|100.0", "5|-2|0.0", "Infinity|2|Infinity"}},
		{"ROUND", "f i", "FLOAT", []string{"0.1|1|0.1", "2.45|1|2.5"}},
		{"ROUND", "i i", "INT", []string{"-25|-1|-30", "99|-2|100", "70000|2|70000", "2147483647|-1|-2147483646"}},
		{"ROUND", "ti i", "TINYINT", []string{"127|-1|-126", "-128|-1|126"}},
		{"ROUND", "bi i", "BIGINT", []string{"9223372036854775807|-3|-9223372036854775616", "5000000000|-3|5000000000", "9223372036854775807|-19|-8446744073709551616", "1|-19|0", "1|-30|0"}},
		{"ROUND", "dc", "DECIMAL(9, 0)", []string{"123.45|123", "-99.99|-100", "2.50|3", "-2.50|-3", "99999999.99|100000000"}},
		{"ROUND", "dc i'", "", []string{"1234.56|1|1234.6", "1234.56|-2|1200", "1234.56|10|1234.56", "123.45|-10|0"}},
		{"ROUND", "db i'", "", []string{"1234567890.123456789012345678|5|1234567890.12346", "99999999999999999999.999999999999999999|5|100000000000000000000.00000"}},
		{"TRUNCATE", "dc i'", "", []string{"123.45|1|123.4", "-99.99|0|-99", "99999999.99|-1|99999990"}},
		{"TRUNCATE", "d i", "DOUBLE", []string{"42.324|2|42.32", "-1.99|1|-1.9", "0.09|1|0.0"}},
		{"TRUNCATE", "i i", "INT", []string{"-99|-1|-90"}},
		{"POWER", "d d", "DOUBLE", []string{"2|-1|0.5", "0|0|1.0", "-8|0.3333333333333333|NaN", "2.5|2|6.25", "0.1|2|0.010000000000000002", "99999999.99|2|9.999999997999998E15", "2|127|1.7014118346046923E38",
			"2|-128|2.9387358770557188E-39", "1|NaN|NaN", "-1|Infinity|NaN", "-2|3|-8.0", "10|308|1.0E308", "10|309|Infinity", "10|-330|0.0", "1.0000000001|10000000000|2.7182820532347876"}},
		{"SQRT", "d", "DOUBLE", []string{"16|4.0", "-1|NaN", "-Infinity|Infinity", "123.45|11.110805551354051"}},
		{"EXP", "d", "DOUBLE", []string{"1|2.718281828459045", "0|1.0", "2.25|9.487735836358526", "-3.75|0.023517745856009107", "5|148.4131591025766", "-128|2.572209372642415E-56", "127|1.4302079958348105E55", "710|Infinity", "-800|0.0"}},
		{"LN", "d", "DOUBLE", []string{"1|0.0", "0|-Infinity", "-1|NaN", "2.25|0.8109302162163288", "4.9E-324|-744.4400719213812", "1.7976931348623157E308|709.782712893384", "0.1|-2.3025850929940455", "Infinity|Infinity"}},
		{"LOG10", "d", "DOUBLE", []string{"100|2.0", "1000|3.0", "2.25|0.3521825181113625", "4.9E-324|-323.3062153431158", "0.1|-1.0"}},
		{"LOG2", "d", "DOUBLE", []string{"8|3.0", "2.25|1.1699250014423124"}},
		{"LOG", "i i", "DOUBLE", []string{"2|8|3.0", "1|8|Infinity"}},
		{"SIN", "d", "DOUBLE", []string{"1|0.8414709848078965", "2.25|0.7780731968879212", "-3.75|0.5715613187423437", "1.7976931348623157E308|0.004961954789184062", "4.9E-324|4.9E-324", "Infinity|NaN"}},
		{"COS", "d", "DOUBLE", []string{"1|0.5403023058681398", "2.25|-0.6281736227227391", "1.7976931348623157E308|-0.9999876894265599", "0.1|0.9950041652780258"}},
		{"TAN", "d", "DOUBLE", []string{"1|1.5574077246549023", "2.25|-1.2386276162240966", "1.7976931348623157E308|-0.004962015874444895"}},
		{"COT", "d", "DOUBLE", []string{"1|0.6420926159343306", "0|Infinity"}},
		{"ASIN", "d", "DOUBLE", []string{"1|1.5707963267948966", "2|NaN", "0|0.0"}},
		{"ACOS", "d", "DOUBLE", []string{"0.1|1.4706289056333368", "0|1.5707963267948966"}},
		{"ATAN", "d", "DOUBLE", []string{"1|0.7853981633974483", "Infinity|1.5707963267948966"}},
		{"ATAN2", "d d", "DOUBLE", []string{"2.25|1.5|0.982793723247329", "-3.75|-2.5|-2.1587989303424644", "0.1|0.10000000149011612|0.7853981559468678"}},
		{"SINH", "d", "DOUBLE", []string{"1|1.1752011936438014"}},
		{"COSH", "d", "DOUBLE", []string{"5|74.20994852478785", "-10|11013.232920103324", "0|1.0"}},
		{"TANH", "d", "DOUBLE", []string{"1|0.7615941559557649", "5|0.9999092042625951", "127|1.0"}},
		{"RADIANS", "d", "DOUBLE", []string{"180|3.141592653589793", "2.25|0.039269908169872414"}},
		{"DEGREES", "d", "DOUBLE", []string{"3.141592653589793|180.0"}},
		{"PI", "", "DOUBLE NOT NULL", []string{"3.141592653589793"}},
	})
	refuses(t, "ABS", "s", "a number")
	refuses(t, "SQRT", "s", "a number")
	refuses(t, "ROUND", "d s", "an integer")
}
