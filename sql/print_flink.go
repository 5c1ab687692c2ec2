package sql

import "strings"

// quotedFunctions are the functions whose names Flink shows in backticks in definitions,
// with their names there if they differ.
var quotedFunctions = map[string]string{
	"ARRAY_APPEND": "", "ARRAY_CONCAT": "", "ARRAY_CONTAINS": "", "ARRAY_DISTINCT": "", "ARRAY_EXCEPT": "", "ARRAY_INTERSECT": "",
	"ARRAY_JOIN": "", "ARRAY_MAX": "", "ARRAY_MIN": "", "ARRAY_POSITION": "", "ARRAY_PREPEND": "", "ARRAY_REMOVE": "", "ARRAY_REVERSE": "",
	"ARRAY_SLICE": "", "ARRAY_SORT": "", "ARRAY_UNION": "", "BITMAP_AND": "", "BITMAP_ANDNOT": "", "BITMAP_BUILD": "", "BITMAP_CARDINALITY": "",
	"BITMAP_FROM_BYTES": "", "BITMAP_OR": "", "BITMAP_TO_ARRAY": "", "BITMAP_TO_BYTES": "", "BITMAP_TO_STRING": "", "BITMAP_XOR": "",
	"BTRIM": "", "ELT": "",
	"ENDSWITH": "", "GREATEST": "", "IFNULL": "", "INET_ATON": "", "INET_NTOA": "", "JSON": "", "JSON_QUOTE": "", "JSON_STRING": "",
	"JSON_UNQUOTE": "", "LEAST": "", "MAP_ENTRIES": "", "MAP_FROM_ARRAYS": "", "MAP_KEYS": "", "MAP_UNION": "", "MAP_VALUES": "",
	"PARSE_JSON": "", "PRINTF": "", "REGEXP_COUNT": "", "REGEXP_EXTRACT_ALL": "", "REGEXP_INSTR": "", "REGEXP_SUBSTR": "", "SPLIT": "",
	"STARTSWITH": "", "TO_TIMESTAMP_LTZ": "", "TRANSLATE": "TRANSLATE3", "TRY_PARSE_JSON": "", "TYPEOF": "", "UNHEX": "", "URL_DECODE": "",
	"URL_ENCODE": "",
}

// dateParts are the functions that Flink shows as EXTRACT, with their units.
var dateParts = map[string]string{
	"YEAR": "YEAR", "QUARTER": "QUARTER", "MONTH": "MONTH", "WEEK": "WEEK", "DAYOFYEAR": "DOY", "DAYOFMONTH": "DAY", "DAYOFWEEK": "DOW",
	"HOUR": "HOUR", "MINUTE": "MINUTE", "SECOND": "SECOND",
}

// definedCall writes a call as Flink shows it in definitions, where that is not how it was
// written but for its name; false if it is.
func (p *printer) definedCall(name string, x *Call) bool {
	unit := dateParts[name]
	switch {
	case unit != "" && len(x.Args) == 1:
		p.put("EXTRACT(", unit, " FROM ")
		p.expr(x.Args[0])
		p.put(")")
	case name == "TRIM" && len(x.Args) == 1:
		p.put("TRIM(BOTH ' ' FROM ")
		p.expr(x.Args[0])
		p.put(")")
	case name == "NULLIF" && len(x.Args) == 2:
		p.put("CASE WHEN ")
		p.expr(x.Args[0])
		p.put(" = ")
		p.expr(x.Args[1])
		p.put(" THEN NULL ELSE ")
		p.expr(x.Args[0])
		p.put(" END")
	default:
		return false
	}
	return true
}

// functionName writes the name of a function as Flink shows it in definitions.
func (p *printer) functionName(name string) {
	if long, ok := quotedFunctions[name]; ok {
		if long == "" {
			long = name
		}
		p.put("`", long, "`")
		return
	}
	p.put(name)
}

// definedCase writes a CASE as Flink shows it in definitions: conditions instead of an
// operand, and always with ELSE.
func (p *printer) definedCase(x *Case) {
	p.put("CASE")
	for _, w := range x.Whens {
		p.put(" WHEN ")
		switch {
		case x.Operand == nil:
			p.exprs(w.Conds)
		case len(w.Conds) == 1:
			p.expr(x.Operand)
			p.put(" = ")
			p.expr(w.Conds[0])
		default:
			p.expr(x.Operand)
			p.put(" IN (")
			p.exprs(w.Conds)
			p.put(")")
		}
		p.put(" THEN ")
		p.expr(w.Then)
	}
	p.put(" ELSE ")
	if x.Else != nil {
		p.expr(x.Else)
	} else {
		p.put("NULL")
	}
	p.put(" END")
}

// definedUnary writes - and + as Flink shows them in definitions.
func (p *printer) definedUnary(x *Unary) {
	p.put(x.Op, " ")
	if u, ok := x.Expr.(*Unary); ok && u.Op != "NOT" {
		p.put("(")
		p.expr(u)
		p.put(")")
		return
	}
	p.expr(x.Expr)
}

// definedType is the name of a type in the casts of definitions.
func definedType(name string) string {
	if strings.HasPrefix(name, "INT") && !strings.HasPrefix(name, "INTERVAL") {
		return "INTEGER" + name[len("INT"):]
	}
	return name
}
