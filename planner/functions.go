package planner

import (
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/sql"
)

// FunctionNames returns all names that can be called, sorted: those of the registry
// and those that the planner binds itself.
func FunctionNames(r *expr.Registry) []string {
	names := r.Names()
	for _, f := range SpecialFunctions() {
		if !f.Operator {
			names = append(names, f.Name)
		}
	}
	for k := range legacyKinds {
		names = append(names, k, k+"_END", k+"_PROCTIME", k+"_ROWTIME", k+"_START")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// SpecialFunctions describes what looks like a function or operator and is bound by the
// planner itself, because it is lazy, or reads more than its arguments. The entries
// have no Resolve.
func SpecialFunctions() []*expr.Function {
	x := func(sql, result string) []expr.Example { return []expr.Example{{SQL: sql, Result: result}} }
	const window = " As a table, FROM TABLE(...), with the columns window_start, window_end and window_time added."
	group := func(kind string) string {
		return " In GROUP BY the bounds are given by " + kind + "_START, " + kind + "_END and " + kind + "_ROWTIME (" + kind + "_PROCTIME) with the same arguments."
	}
	return []*expr.Function{
		{Name: "AND", Class: "logical", Operator: true, Usage: "condition AND condition", Doc: "Whether both are TRUE; the second one is only looked at if the first one leaves it open.", Examples: x("TRUE AND UNKNOWN", "")},
		{Name: "OR", Class: "logical", Operator: true, Usage: "condition OR condition", Doc: "Whether one is TRUE; the second one is only looked at if the first one leaves it open.", Examples: x("TRUE OR UNKNOWN", "TRUE")},
		{Name: "BETWEEN", Class: "comparison", Operator: true, Usage: "value [NOT] BETWEEN [SYMMETRIC] low AND high", Doc: "Whether the value is from low to high; with SYMMETRIC in either order.", Examples: x("2 BETWEEN SYMMETRIC 3 AND 1", "TRUE")},
		{Name: "OVERLAPS", Class: "temporal", Operator: true, Usage: "(start, end) OVERLAPS (start, end)", Doc: "Whether two periods have a point in common. Instead of an end an interval can be given.",
			Examples: x("(TIME '09:00:00', TIME '10:00:00') OVERLAPS (TIME '09:59:00', INTERVAL '1' HOUR)", "TRUE")},
		{Name: "CASE", Class: "conditional", Operator: true, Usage: "CASE [value] WHEN condition THEN result ... [ELSE result] END", Doc: "The result of the first condition that is TRUE, or that is equal to the value; others are not evaluated.", Examples: x("CASE 2 WHEN 1, 3 THEN 'odd' WHEN 2 THEN 'even' END", "even")},
		{Name: "IF", Class: "conditional", Usage: "IF(condition, result, otherwise)", Doc: "The result if the condition is TRUE, else the last argument; only one of them is evaluated.", Examples: x("IF(1 > 2, 'a', 'b')", "b")},
		{Name: "CAST", Class: "conversion", Operator: true, Usage: "CAST(value AS type); value::type", Doc: "The value in another type. A text that does not say such a value is an error.", Examples: x("CAST('12.7' AS INT)", "12")},
		{Name: "TRY_CAST", Class: "conversion", Operator: true, Usage: "TRY_CAST(value AS type)", Doc: "CAST, but NULL where that is an error.", Examples: x("TRY_CAST('x' AS INT)", "")},
		{Name: "PROCTIME", Class: "temporal", Usage: "PROCTIME()", Doc: "The processing time, as a time attribute."},
		{Name: "CURRENT_WATERMARK", Class: "temporal", Usage: "CURRENT_WATERMARK(rowtime)", Doc: "The watermark in force before the row, NULL before the first one."},
		{Name: "ROW_NUMBER", Class: "window", Usage: "ROW_NUMBER() OVER ([PARTITION BY ...] ORDER BY ...)", Doc: "The place of a row in its partition, for the first rows only: WHERE n <= 3 around the query that calls it n, or QUALIFY. Equal rows come in the order of arrival."},
		{Name: "GROUPING", Class: "window", Usage: "GROUPING(column)", Doc: "1 if the column is left out in the grouping set of the row, else 0."},
		{Name: "GROUPING_ID", Class: "window", Usage: "GROUPING_ID(column, ...)", Doc: "GROUPING of several columns as the bits of a number."},
		{Name: "GROUP_ID", Class: "window", Usage: "GROUP_ID()", Doc: "0; Flink gives nothing else."},
		{Name: "TUMBLE", Class: "window", Usage: "TUMBLE(TABLE t, DESCRIPTOR(time), size [, offset]); GROUP BY TUMBLE(time, size)", Doc: "Windows of one size, one behind the other." + window + group("TUMBLE")},
		{Name: "HOP", Class: "window", Usage: "HOP(TABLE t, DESCRIPTOR(time), slide, size [, offset]); GROUP BY HOP(time, slide, size)", Doc: "Windows of one size that begin every slide." + window + group("HOP")},
		{Name: "CUMULATE", Class: "window", Usage: "CUMULATE(TABLE t, DESCRIPTOR(time), step, size [, offset])", Doc: "Windows that grow by step up to size." + window},
		{Name: "SESSION", Class: "window", Usage: "SESSION(TABLE t [PARTITION BY key, ...], DESCRIPTOR(time), gap); GROUP BY SESSION(time, gap)", Doc: "A window ends where no row comes for the gap." + window + group("SESSION")},
		{Name: "UNNEST", Class: "table", Usage: "UNNEST(collection) [WITH ORDINALITY]", Doc: "In FROM: a row for each element of an ARRAY, MULTISET or MAP (key and value); the fields of ROWs are columns. Behind CROSS JOIN or LEFT JOIN .. ON TRUE it takes columns of the rows before it."},
		{Name: "LATE", Class: "table", Usage: "LATE(TABLE view); LATE((SELECT ...))", Doc: "In FROM: the rows that a query with windows drops as late, with the window that they missed (docs/late-rows.md)."},
		{Name: "FROM_CHANGELOG", Class: "table", Usage: fromChangelogUsage, Doc: "As a table, FROM TABLE(...): the changes that rows describe, one column of which says what a row does."},
		{Name: "TO_CHANGELOG", Class: "table", Usage: toChangelogUsage, Doc: "As a table, FROM TABLE(...): the changes of a table as rows that are only added, with a column that says what a row does."},
	}
}

// isGroupAuxiliary reports whether name is one of the functions that give the bounds of
// a group window, such as TUMBLE_START.
func isGroupAuxiliary(window, name string) bool {
	_, legacy := legacyKinds[window]
	suffix, ok := strings.CutPrefix(name, window+"_")
	return legacy && ok && slices.Contains([]string{"START", "END", "ROWTIME", "PROCTIME"}, suffix)
}

// describeFunction answers DESCRIBE FUNCTION.
func (b *binder) describeFunction(n sql.Name) (cols []string, rows [][]*string, err error) {
	name := strings.ToUpper(nameOf(n))
	add := func(what, is string) {
		if is != "" {
			rows = append(rows, []*string{text(what), text(is)})
		}
	}
	cols = []string{"info name", "info value"}
	examples := func(list []expr.Example) {
		for _, x := range list {
			result := x.Result
			if result == "" {
				result = "NULL"
			}
			add("example", x.SQL+" is "+result)
		}
	}
	f := b.env.Registry.Function(name)
	for _, s := range SpecialFunctions() {
		if s.Name == name || isGroupAuxiliary(s.Name, name) {
			f = s
		}
	}
	if f != nil {
		add("usage", f.Usage)
		add("description", f.Doc)
		examples(f.Examples)
		add("other names", strings.Join(f.Aliases, ", "))
		if f.NonDeterministic {
			add("deterministic", "false")
		}
		return cols, rows, nil
	}
	if a := b.env.Registry.Aggregate(name); a != nil {
		add("usage", a.Usage)
		add("description", a.Doc)
		examples(a.Examples)
		add("other names", strings.Join(a.Aliases, ", "))
		return cols, rows, nil
	}
	if t := b.env.Registry.TableFunction(name); t != nil {
		add("usage", t.Usage)
		add("description", t.Doc)
		examples(t.Examples)
		add("kind", "table function")
		if t.NonDeterministic {
			add("deterministic", "false")
		}
		return cols, rows, nil
	}
	return nil, nil, b.undefinedFunction(n)
}

// absent are functions of Flink that are not there, with what to use instead.
var absent = map[string]string{
	"OBJECT_OF": "use ROW(..)", "OBJECT_UPDATE": "use ROW(..)",
	"SINGLE_VALUE": "use MAX, or FIRST_VALUE",
}

// What several of elsewhere are called here.
const (
	firstRow = "ROW_NUMBER() OVER (PARTITION BY k ORDER BY v"
	ofEach   = ") AS n in a subquery, and WHERE n = 1 around it"
	fromFile = "the file in quotes: SELECT * FROM 'orders.csv'"
)

// elsewhere are functions of other systems, with what they are called here.
var elsewhere = map[string]string{
	"LENGTH": "CHAR_LENGTH(text)", "LEN": "CHAR_LENGTH(text)", "OCTET_LENGTH": "CHAR_LENGTH(HEX(text)) / 2", "SUBSTRING_INDEX": "SPLIT_INDEX(text, separator, index)",
	"SPLIT_PART": "SPLIT_INDEX(text, separator, index), which counts from 0", "NVL": "IFNULL(value, default)", "NVL2": "IF(value IS NOT NULL, a, b)",
	"ISNULL": "value IS NULL", "IIF": "IF(condition, a, b)", "STRPOS": "POSITION(part IN text)", "CHARINDEX": "LOCATE(part, text)",
	"CONTAINS": "POSITION(part IN text) > 0", "SPACE": "REPEAT(' ', n)", "LCASE": "LOWER(text)", "UCASE": "UPPER(text)", "MID": "SUBSTRING(text, start, length)",
	"TO_CHAR": "DATE_FORMAT(timestamp, pattern), or CAST(value AS STRING)", "TO_NUMBER": "CAST(text AS DECIMAL(38, 10))", "FORMAT": "PRINTF(format, value, ...)",
	"DATE_ADD": "date + INTERVAL '1' DAY", "DATEADD": "TIMESTAMPADD(DAY, n, time)", "DATE_SUB": "date - INTERVAL '1' DAY", "DATEDIFF": "TIMESTAMPDIFF(DAY, from, to)",
	"DATE_DIFF": "TIMESTAMPDIFF(DAY, from, to)", "DATE_TRUNC": "FLOOR(time TO DAY)", "LAST_DAY": "CEIL((date + INTERVAL '1' DAY) TO MONTH) - INTERVAL '1' DAY",
	"GETDATE": "CURRENT_TIMESTAMP", "TODAY": "CURRENT_DATE", "CBRT": "POWER(number, 1E0 / 3)", "SQUARE": "POWER(number, 2)", "POW": "POWER(base, exponent)", "RANDOM": "RAND()",
	"STRING_AGG": "LISTAGG(text, separator)", "GROUP_CONCAT": "LISTAGG(text, separator)", "ANY_VALUE": "FIRST_VALUE(value)", "MEDIAN": "PERCENTILE(value, 0.5)",
	"BOOL_AND": "MIN(condition)", "EVERY": "MIN(condition)", "BOOL_OR": "MAX(condition)", "APPROX_COUNT_DISTINCT": "COUNT(DISTINCT value)", "SUM0": "COALESCE(SUM(value), 0)",
	"EXPLODE": "FROM t CROSS JOIN UNNEST(array)", "SIZE": "CARDINALITY(collection)", "ARRAY_LENGTH": "CARDINALITY(array)", "ARRAY_SIZE": "CARDINALITY(array)",
	"REGEXP_LIKE": "REGEXP(text, regex)", "REGEXP_MATCHES": "REGEXP(text, regex)", "REGEXP_MATCH": "REGEXP_EXTRACT(text, regex, group)", "BITMAP_COUNT": "BITMAP_CARDINALITY(bitmap)",
	"JSON_EXTRACT": "JSON_VALUE(text, path), or JSON_QUERY(text, path)", "GET_JSON_OBJECT": "JSON_VALUE(text, path), or JSON_QUERY(text, path)", "TO_JSON": "JSON_STRING(value)",
	"BITMAP_CONTAINS": "BITMAP_CARDINALITY(BITMAP_AND(bitmap, BITMAP_BUILD(ARRAY[number]))) = 1", "BITMAP_AGG": "BITMAP_BUILD_AGG(number)",
	"STRFTIME": "DATE_FORMAT(time, 'yyyy-MM-dd HH:mm')", "STRPTIME": "TO_TIMESTAMP(text, 'yyyy-MM-dd HH:mm:ss')",
	"EPOCH": "EXTRACT(EPOCH FROM time)", "EPOCH_MS": "TO_TIMESTAMP_LTZ(number, 3), or EXTRACT(EPOCH FROM time) * 1000 + EXTRACT(MILLISECOND FROM time)",
	"DATE_PART": "EXTRACT(HOUR FROM time)", "DATEPART": "EXTRACT(HOUR FROM time)", "DAYNAME": "DATE_FORMAT(time, 'EEEE')", "MONTHNAME": "DATE_FORMAT(time, 'MMMM')",
	"TIME_BUCKET": "GROUP BY TUMBLE(time, INTERVAL '5' MINUTE), or FLOOR(time TO HOUR)", "DATE_BIN": "GROUP BY TUMBLE(time, INTERVAL '5' MINUTE), or FLOOR(time TO HOUR)",
	"CURDATE": "CURRENT_DATE", "STRLEN": "CHAR_LENGTH(text)", "STRING_SPLIT": "SPLIT(text, separator)", "STR_SPLIT": "SPLIT(text, separator)", "STRING_TO_ARRAY": "SPLIT(text, separator)",
	"LIST": "ARRAY_AGG(value)", "COLLECT_LIST": "ARRAY_AGG(value)", "LIST_VALUE": "ARRAY[a, b]", "LIST_CONTAINS": "ARRAY_CONTAINS(array, value)",
	"COUNT_IF": "COUNT(*) FILTER (WHERE condition)", "COUNTIF": "COUNT(*) FILTER (WHERE condition)", "SUM_IF": "SUM(value) FILTER (WHERE condition)", "SUMIF": "SUM(value) FILTER (WHERE condition)",
	"QUANTILE": "PERCENTILE(value, 0.5)", "QUANTILE_CONT": "PERCENTILE(value, 0.5)", "APPROX_QUANTILE": "PERCENTILE(value, 0.5)", "MODE": "COUNT(*) for each value, ORDER BY it DESC LIMIT 1",
	"ARG_MAX": firstRow + " DESC" + ofEach, "MAX_BY": firstRow + " DESC" + ofEach, "ARG_MIN": firstRow + ofEach, "MIN_BY": firstRow + ofEach,
	"JSON_EXTRACT_STRING": "JSON_VALUE(text, path)", "GEN_RANDOM_UUID": "UUID()", "ZEROIFNULL": "COALESCE(value, 0)",
	"READ_CSV": fromFile, "READ_CSV_AUTO": fromFile, "READ_JSON": fromFile, "READ_JSON_AUTO": fromFile, "READ_NDJSON": fromFile, "READ_TEXT": fromFile,
	"GENERATE_SERIES": "UNNEST(ARRAY[1, 2, 3]), or make a table of connector 'datagen'", "RANGE": "UNNEST(ARRAY[1, 2, 3]), or make a table of connector 'datagen'",
	"STRUCT": "ROW(a, b)", "ARRAY_TO_STRING": "ARRAY_JOIN(array, separator)", "FIRST": "FIRST_VALUE(value)", "LAST": "LAST_VALUE(value)",
}

// undefinedFunction is the error of a name that nothing has: what it is called here, or
// a name like it.
func (b *binder) undefinedFunction(n sql.Name) error {
	name := strings.ToUpper(nameOf(n))
	if hint, ok := absent[name]; ok {
		return b.unsupported(b.span(n), "the function "+name, hint)
	}
	if b.env.Registry.TableFunction(name) != nil {
		return b.errorf(diag.UndefinedFunc, b.span(n), "function %q gives a table, not a value", nameOf(n)).
			WithHint("join it: FROM t CROSS JOIN LATERAL TABLE(%s(...))", nameOf(n))
	}
	for _, f := range SpecialFunctions() {
		if f.Name == name && (f.Class == "table" || f.Class == "window") {
			return b.errorf(diag.UndefinedFunc, b.span(n), "function %q gives a table, not a value", nameOf(n)).WithHint("write it in FROM: %s", f.Usage)
		}
	}
	e := b.errorf(diag.UndefinedFunc, b.span(n), "function %q not found", nameOf(n))
	if here, ok := elsewhere[name]; ok {
		return e.WithHint("write %s", here)
	}
	return e.DidYouMean(name, FunctionNames(b.env.Registry), "SHOW FUNCTIONS lists the functions")
}
