package sql

import (
	"strconv"

	"streamsql/types"
)

// typeName reads a type at i and returns the index behind it.
func (p *parser) typeName(i int) (TypeName, int) {
	first := i
	p.enter(i)
	defer p.leave()
	t, i := p.baseType(i)
	for { // postfix constructors: INT ARRAY, STRING MULTISET
		t.Pos = p.pos(first, i-1)
		u := p.up(i)
		switch {
		case u == "ARRAY" || u == "MULTISET":
			elem := t
			kind := types.Array
			if u == "MULTISET" {
				kind = types.Multiset
			}
			t = TypeName{Type: types.Of(kind), Elem: &elem}
			i++
			p.enter(i) // the chain nests without brackets
			defer p.leave()
		case u == "NOT" && p.up(i+1) == "NULL":
			t.Type.NotNull = true
			i += 2
		case u == "NULL" && p.up(i+1) != "ON": // RETURNING INT NULL ON EMPTY
			t.Type.NotNull = false
			i++
		case u == "[" && p.up(i+1) == "]":
			fail(p.span(first, i+1), "write ARRAY<"+p.text(first, i-1)+">", "types have no brackets")
		default:
			return t, i
		}
	}
}

func (p *parser) baseType(i int) (TypeName, int) {
	if p.at(i).kind != wordToken {
		p.expected(i, "a type")
	}
	plain := func(k types.Kind) (TypeName, int) { return TypeName{Type: types.Of(k)}, i + 1 }
	switch up := p.up(i); up {
	case "BOOLEAN":
		return plain(types.Boolean)
	case "TINYINT":
		return plain(types.TinyInt)
	case "SMALLINT":
		return plain(types.SmallInt)
	case "INT", "INTEGER":
		return plain(types.Int)
	case "BIGINT":
		return plain(types.BigInt)
	case "FLOAT":
		return plain(types.Float)
	case "DOUBLE":
		if p.up(i+1) == "PRECISION" {
			return TypeName{Type: types.Of(types.Double)}, i + 2
		}
		return plain(types.Double)
	case "DATE":
		return plain(types.Date)
	case "STRING":
		return plain(types.Varchar)
	case "BYTES":
		return plain(types.Varbinary)
	case "VARIANT":
		return plain(types.Variant)
	case "BITMAP":
		return plain(types.Bitmap)
	case "DECIMAL", "DEC", "NUMERIC":
		return p.decimalType(i)
	case "CHAR", "CHARACTER":
		if p.up(i+1) == "VARYING" {
			return p.lengthType(i+1, types.Varchar)
		}
		return p.lengthType(i, types.Char)
	case "VARCHAR":
		return p.lengthType(i, types.Varchar)
	case "BINARY":
		if p.up(i+1) == "VARYING" {
			return p.lengthType(i+1, types.Varbinary)
		}
		return p.lengthType(i, types.Binary)
	case "VARBINARY":
		return p.lengthType(i, types.Varbinary)
	case "TIME", "TIMESTAMP", "TIMESTAMP_LTZ":
		return p.timeType(i)
	case "INTERVAL":
		x := &Interval{}
		next := p.qualifier(i+1, x)
		switch x.From {
		case "YEAR", "QUARTER", "MONTH":
			return TypeName{Type: types.Of(types.IntervalMonth), Units: x}, next
		}
		return TypeName{Type: types.Of(types.IntervalDay), Units: x}, next
	case "ARRAY", "MULTISET":
		elem, next := p.elementType(i+1, up)
		kind := types.Array
		if up == "MULTISET" {
			kind = types.Multiset
		}
		return TypeName{Type: types.Of(kind), Elem: elem}, next
	case "MAP":
		if p.up(i+1) != "<" {
			p.expectedHint(i+1, `"<"`, "write MAP<key type, value type>")
		}
		key, next := p.typeName(i + 2)
		elem, next := p.typeName(p.need(next, ","))
		return TypeName{Type: types.Of(types.Map), Key: &key, Elem: &elem}, p.need(next, ">")
	case "ROW":
		return p.rowType(i)
	}
	p.unknownType(i)
	return TypeName{}, i
}

func (p *parser) elementType(i int, of string) (*TypeName, int) {
	if p.up(i) != "<" {
		p.expectedHint(i, `"<"`, "write "+of+"<type>")
	}
	t, i := p.typeName(i + 1)
	return &t, p.need(i, ">")
}

// rowType reads ROW<name type ['comment'], ...> or ROW(...).
func (p *parser) rowType(i int) (TypeName, int) {
	t := TypeName{Type: types.Of(types.Row), Fields: []FieldDef{}}
	closer := ">"
	switch i++; p.up(i) {
	case "<>":
		return t, i + 1
	case "<":
	case "(":
		closer = ")"
	default:
		p.expectedHint(i, `"<"`, "write ROW<name type, ...>")
	}
	i++
	if p.up(i) == closer {
		return t, i + 1
	}
	for {
		f := FieldDef{Name: p.ident(i, "the name of a field")}
		if f.Type, i = p.typeName(i + 1); p.at(i).kind == textToken {
			f.Comment, i = p.textAt(i, "a comment")
		}
		t.Fields = append(t.Fields, f)
		if p.up(i) != "," {
			return t, p.need(i, closer)
		}
		i++
	}
}

// lengthType reads [(n)] behind the token at i. Without it CHAR and BINARY have
// one element and the others are unbounded, as in Flink.
func (p *parser) lengthType(i int, k types.Kind) (TypeName, int) {
	t := TypeName{Type: types.Of(k)}
	if p.up(i+1) != "(" {
		return t, i + 1
	}
	n, err := strconv.ParseInt(p.text(i+2, i+2), 10, 32)
	if p.at(i+2).kind != numberToken || err != nil {
		p.expected(i+2, "a length")
	}
	t.Type.Length = int32(n)
	return t, p.need(i+3, ")")
}

// decimalType reads DECIMAL[(p[, s])]; Flink cuts a precision above 38 silently.
func (p *parser) decimalType(i int) (TypeName, int) {
	t := TypeName{Type: types.Of(types.Decimal)}
	if p.up(i+1) != "(" {
		return t, i + 1
	}
	first := i
	precision, scale := p.precision(i+2), 0
	if i += 3; p.up(i) == "," {
		scale = p.precision(i + 1)
		i += 2
	}
	i = p.need(i, ")")
	precision = min(precision, 38)
	if precision < 1 || scale > precision {
		fail(p.span(first, i-1), "write DECIMAL(p, s) with p from 1 to 38 and s from 0 to p", "type %s is impossible", p.text(first, i-1))
	}
	t.Type = types.NewDecimal(precision, scale)
	return t, i
}

// timeType reads TIME, TIMESTAMP and TIMESTAMP_LTZ with precision and zone.
func (p *parser) timeType(i int) (TypeName, int) {
	first, up := i, p.up(i)
	kind, limit := types.Timestamp, 9
	switch up {
	case "TIME":
		kind, limit = types.Time, 3 // the engine, as Flink's, keeps milliseconds
	case "TIMESTAMP_LTZ":
		kind = types.TimestampLTZ
	}
	t := types.Of(kind)
	i++
	if p.up(i) == "(" {
		t.Precision = int32(min(p.precision(i+1), limit))
		i = p.need(i+2, ")")
	}
	switch {
	case p.is(i, "WITHOUT", "TIME", "ZONE") && kind != types.TimestampLTZ:
		i += 3
	case p.is(i, "WITH", "LOCAL", "TIME", "ZONE") && kind == types.Timestamp:
		t.Kind = types.TimestampLTZ
		i += 4
	case p.is(i, "WITH", "TIME", "ZONE"):
		refuse(p.span(first, i+2), "write TIMESTAMP_LTZ", "type %q is not supported", up+" WITH TIME ZONE")
	}
	return TypeName{Type: t}, i
}

func (p *parser) unknownType(i int) {
	hint := ""
	switch p.up(i) {
	case "TEXT", "CLOB", "NVARCHAR", "VARCHAR2", "UUID", "JSON", "ENUM":
		hint = "use STRING"
	case "BOOL", "BIT":
		hint = "use BOOLEAN"
	case "INT2":
		hint = "use SMALLINT"
	case "INT4", "MEDIUMINT":
		hint = "use INT"
	case "INT8", "LONG", "UBIGINT", "HUGEINT":
		hint = "use BIGINT"
	case "REAL", "FLOAT4":
		hint = "use FLOAT"
	case "FLOAT8", "NUMBER":
		hint = "use DOUBLE"
	case "DATETIME":
		hint = "use TIMESTAMP(3)"
	case "TIMESTAMPTZ":
		hint = "use TIMESTAMP_LTZ(3)"
	case "BLOB", "BYTEA":
		hint = "use BYTES"
	case "RAW":
		refuse(p.span(i, i), "use STRING or BYTES", "type %q is not supported", p.text(i, i))
	}
	if hint == "" {
		hint = "use a type such as INT, BIGINT, DOUBLE, STRING or TIMESTAMP(3)"
	}
	fail(p.span(i, i), hint, "unknown type %q", p.text(i, i))
}
