package sql

import "strings"

// emitQuery emits the query at i and returns the index behind it.
func (e *emitter) emitQuery(i int) (*queryNote, int) {
	e.enter(i)
	defer e.leave()
	outer := e.sel
	defer func() { e.sel = outer }()
	q := &queryNote{first: i}
	if e.up(i) == "WITH" {
		i = e.with(i, q)
	}
	i = e.body(i)
	for {
		var op setOperator
		switch e.up(i) {
		case "UNION":
			op.kind = Union
		case "INTERSECT":
			op.kind = Intersect
		case "EXCEPT":
			op.kind = Except
		default:
			i = e.orderAndLimit(i, q)
			q.last = i - 1
			return q, i
		}
		e.put("UNION ALL", i) // the converter groups: TiDB's list is flat
		switch i++; e.up(i) {
		case "ALL":
			op.all = true
			i++
		case "DISTINCT":
			i++
		}
		if e.is(i, "BY", "NAME") {
			refuse(e.span(i, i+1), "list the columns in the same order on both sides", "set operations by name are not supported")
		}
		q.ops = append(q.ops, op)
		i = e.body(i)
	}
}

// with emits WITH name [(columns)] AS (query), ...
func (e *emitter) with(i int, q *queryNote) int {
	e.put("WITH", i)
	if i++; e.up(i) == "RECURSIVE" && e.isName(i+1) {
		refuse(e.span(i, i), "join the table with itself once for each step, and put UNION ALL between them", "WITH RECURSIVE is not supported")
	}
	for {
		first := i
		c := CTE{Name: e.ident(i, "a name behind WITH")}
		e.placeholder(i)
		if i++; e.up(i) == "(" {
			c.Columns, i = e.idents(i, "the name of a column")
		}
		i = e.need(i, "AS", "(")
		e.put("AS (", i-1)
		n, next := e.emitQuery(i)
		i = e.need(next, ")")
		e.put(")", i-1)
		c.Pos = e.pos(first, i-1)
		q.with, q.ctes = append(q.with, c), append(q.ctes, n)
		if e.up(i) != "," {
			return i
		}
		e.put(",", i)
		i++
	}
}

// body emits one operand of a set operation. Each is a SELECT for TiDB, whose
// first field is a marker with the number of the token where it stands.
func (e *emitter) body(i int) int {
	mark := func(note any) {
		e.put("SELECT", i)
		e.notes[i] = note
		e.out = append(e.out, piece{letter: 'q', token: i})
	}
	switch up := e.up(i); {
	case up == "SELECT":
		n := &selectNote{}
		mark(n)
		return e.selectBody(i, n)
	case up == "VALUES":
		n := &valuesNote{}
		mark(n)
		return e.values(i+1, n)
	case up == "TABLE":
		if e.up(i+1) == "(" {
			e.expectedHint(i+1, "the name of a table", "write SELECT * FROM TABLE(...)")
		}
		t := &TableBody{}
		var next int
		t.Name, next = e.name(i+1, "the name of a table")
		t.Pos = e.pos(i, next-1)
		mark(&bodyNote{table: t, last: next - 1})
		return next
	case up == "(":
		n := &bodyNote{last: e.at(i).match}
		mark(n)
		e.put("FROM (", i)
		var next int
		n.query, next = e.emitQuery(i + 1)
		next = e.need(next, ")")
		e.put(")", next-1)
		return next
	}
	hint := ""
	switch e.up(i) {
	case "FROM":
		hint = "start with SELECT"
	case "INSERT":
		hint = "put WITH behind INSERT INTO and the table"
	}
	e.expectedHint(i, "a query", hint)
	return i
}

// values emits the rows of VALUES as fields.
func (e *emitter) values(i int, n *valuesNote) int {
	for {
		e.put(",", i)
		open := i
		if e.up(i) == "ROW" && e.up(i+1) == "(" {
			open++
		}
		if e.up(open) == "(" && !e.startsQuery(open) && e.endsRow(e.at(open).match+1) {
			if e.at(open).match == open+1 {
				fail(e.span(open, open+1), "write at least one value", "a row needs a value")
			}
			n.rows = append(n.rows, true)
			i = e.group(i, open, rowGroup)
		} else {
			n.rows = append(n.rows, false)
			i = e.expr(i, 0)
		}
		if n.last = i - 1; e.up(i) != "," {
			return i
		}
		i++
	}
}

// endsRow reports whether no operator goes on with the bracket before i.
func (e *emitter) endsRow(i int) bool {
	switch e.up(i) {
	case "+", "-", "*", "/", "%", "||", ".", "[", "::", "=", "<>", "!=", "==", "<", ">", "<=", ">=", "AND", "OR", "IS", "IN", "NOT", "LIKE", "BETWEEN", "SIMILAR":
		return false
	}
	return unit(e.up(i)) == ""
}

// selectBody emits the clauses of a SELECT, whose marker stands already.
func (e *emitter) selectBody(i int, n *selectNote) int {
	n.body = &Select{}
	e.sel = n
	first := i
	n.body.Hints, i = e.hints(i + 1)
	switch up := e.up(i); {
	case up == "DISTINCT":
		n.body.Distinct = true
		i++
	case up == "ALL" && e.up(i+1) != "," && e.up(i+1) != "FROM" && e.up(i+1) != ".":
		i++
	}
	i = e.items(i, n)
	if e.up(i) == "FROM" {
		i = e.fromClauses(i, n)
	} else {
		switch up := e.up(i); {
		case up == "WHERE", up == "HAVING", up == "GROUP" && e.up(i+1) == "BY":
			fail(e.span(i, i), "add FROM before "+up, "%s needs FROM", up)
		}
	}
	n.last = i - 1
	n.body.Pos = e.pos(first, n.last)
	return i
}

func (e *emitter) fromClauses(i int, n *selectNote) int {
	e.put("FROM", i)
	i = e.from(i + 1)
	if e.up(i) == "WHERE" {
		e.put("WHERE", i)
		i = e.expr(i+1, 0)
	}
	if e.is(i, "GROUP", "BY") {
		i = e.groupBy(i, n)
	}
	having := len(e.out) + 1
	if e.up(i) == "HAVING" {
		e.put("HAVING", i)
		i = e.expr(i+1, 0)
		n.having = true
	}
	var windows []piece
	if e.up(i) == "WINDOW" && e.is(i+2, "AS", "(") {
		from := len(e.out)
		i = e.windows(i, n)
		windows = append(windows, e.out[from:]...)
		e.out = e.out[:from]
	}
	if e.up(i) == "QUALIFY" {
		e.hit("qualify")
		n.qualify = true
		if n.having {
			e.wrapText(having, "v_(")
			e.put(",", i)
		} else {
			e.put("HAVING v_(", i)
		}
		i = e.expr(i+1, 0)
		e.put(")", i-1)
	}
	e.out = append(e.out, windows...) // TiDB wants them behind HAVING
	return i
}

// windows emits WINDOW name AS (spec), ...
func (e *emitter) windows(i int, n *selectNote) int {
	e.hit("named-window")
	e.put("WINDOW", i)
	for i++; ; i++ {
		w := NamedWindow{Name: e.ident(i, "the name of a window")}
		e.placeholder(i)
		i = e.need(i+1, "AS")
		if e.up(i) != "(" {
			e.expected(i, `"("`)
		}
		e.put("AS (", i)
		var note *windowNote
		note, i = e.window(i)
		e.put(")", i-1)
		w.Spec = note.spec
		n.named, n.body.Windows = append(n.named, note), append(n.body.Windows, w)
		if e.up(i) != "," {
			return i
		}
		e.put(",", i)
	}
}

// items emits the select list.
func (e *emitter) items(i int, n *selectNote) int {
	for {
		e.put(",", i)
		var it SelectItem
		it, i = e.item(i)
		n.body.Items = append(n.body.Items, it)
		if e.up(i) != "," {
			return i
		}
		i++
	}
}

func (e *emitter) item(i int) (SelectItem, int) {
	first := i
	var it SelectItem
	if e.up(i) == "*" {
		it.Star = true
		i++
	} else if e.isName(i) && e.up(i+1) == "." {
		if name, j := e.chain(i); e.is(j, ".", "*") {
			it.Star, it.Table = true, &name
			i = j + 2
		}
	}
	if it.Star {
		e.constant(first, nil, i-1)
		if up := e.up(i); (up == "EXCEPT" || up == "EXCLUDE") && e.up(i+1) == "(" && e.isName(i+2) && (e.up(i+3) == "," || e.up(i+3) == ")") {
			e.hit("star-except")
			it.Except, i = e.idents(i+1, "the name of a column")
		} else if up == "REPLACE" && e.up(i+1) == "(" {
			refuse(e.span(i, i), "write * EXCEPT (column) and the new expression", "* REPLACE is not supported")
		}
		it.Pos = e.pos(first, i-1)
		return it, i
	}
	i = e.expr(i, 0)
	if j := i + 1; e.up(i) == "AS" {
		if up := e.up(j); isReservedAlias(up) || (up == "GROUP" || up == "ORDER") && e.up(j+1) == "BY" {
			e.expectedHint(j, "a name behind AS", "put "+e.text(j, j)+" in backticks if it is the name")
		}
		id := e.ident(j, "a name behind AS")
		it.Alias = &id
		i = j + 1
	} else if e.isName(i) && !isNoAlias(e.up(i)) {
		id := e.ident(i, "a name")
		it.Alias = &id
		i++
	}
	it.Pos = e.pos(first, i-1)
	return it, i
}

// groupBy emits the items of GROUP BY.
func (e *emitter) groupBy(i int, n *selectNote) int {
	e.put("GROUP BY", i)
	switch i += 2; {
	case e.up(i) == "DISTINCT":
		n.body.GroupDistinct = true
		i++
	case e.up(i) == "ALL" && e.up(i+1) != "," && e.up(i+1) != ".":
		i++
	}
	for {
		n.groups = append(n.groups, i)
		switch up := e.up(i); {
		case up == "GROUPING" && e.is(i+1, "SETS", "("):
			e.hit("grouping-sets")
			i = e.sets(i, i+2, GroupingSets)
		case up == "CUBE" && e.up(i+1) == "(":
			e.hit("grouping-sets")
			i = e.sets(i, i+1, Cube)
		case up == "ROLLUP" && e.up(i+1) == "(":
			e.hit("grouping-sets")
			i = e.sets(i, i+1, Rollup)
		case e.is(i, "(", ")"): // the grand total
			e.call(i, &setsNote{GroupingSets, i + 1})
			e.put("e_() )", i)
			i += 2
		default:
			i = e.expr(i, 0)
		}
		if up := e.up(i); up == "ASC" || up == "DESC" {
			fail(e.span(i, i), "write the order in ORDER BY", "GROUP BY has no order")
		}
		if e.up(i) != "," {
			return i
		}
		e.put(",", i)
		i++
	}
}

// sets emits the sets in the bracket at open as arguments of a call of token i.
func (e *emitter) sets(i, open int, kind GroupKind) int {
	e.call(i, &setsNote{kind, e.at(open).match})
	for j := open + 1; ; j++ {
		switch up := e.up(j); {
		case e.is(j, "(", ")"):
			e.put("e_()", j)
			j += 2
		case (up == "CUBE" || up == "ROLLUP") && e.up(j+1) == "(", e.is(j, "GROUPING", "SETS"):
			refuse(e.span(j, j), "write out the sets", "%s inside grouping sets is not supported", up)
		default:
			j = e.expr(j, 0)
		}
		if e.up(j) != "," {
			e.put(")", j)
			return e.need(j, ")")
		}
		e.put(",", j)
	}
}

// orderAndLimit emits ORDER BY; LIMIT, OFFSET and FETCH take only constants and
// stay with us.
func (e *emitter) orderAndLimit(i int, q *queryNote) int {
	if e.is(i, "ORDER", "BY") {
		q.order, i = e.orderItems(i + 2)
	}
	if e.up(i) == "LIMIT" {
		if e.up(i+1) == "ALL" {
			i += 2
		} else {
			q.limit, i = e.count(i+1), i+2
		}
		if e.up(i) == "," {
			fail(e.span(i-1, i+1), "write LIMIT "+e.text(i+1, i+1)+" OFFSET "+e.text(i-1, i-1), "LIMIT takes one number")
		}
	}
	offset := e.up(i) == "OFFSET"
	if offset {
		q.offset, i = e.count(i+1), i+2
		if up := e.up(i); up == "ROW" || up == "ROWS" {
			i++
		}
	}
	if up := e.up(i); up == "FETCH" && q.limit == nil {
		if e.up(i+1) != "FIRST" && e.up(i+1) != "NEXT" {
			e.expected(i+1, "FIRST or NEXT")
		}
		q.limit, i = e.count(i+2), i+3
		if up := e.up(i); up != "ROW" && up != "ROWS" {
			e.expected(i, "ROWS")
		}
		if i++; e.is(i, "WITH", "TIES") {
			refuse(e.span(i, i+1), "write ONLY", "WITH TIES is not supported")
		}
		i = e.need(i, "ONLY")
	} else if up == "LIMIT" && offset && e.at(i+1).kind == numberToken {
		fail(e.span(i, i+1), "write LIMIT "+e.text(i+1, i+1)+" OFFSET "+q.offset.Text, "LIMIT stands before OFFSET")
	}
	if e.is(i, "ORDER", "BY") {
		fail(e.span(i, i+1), "put ORDER BY before LIMIT", "ORDER BY stands before LIMIT")
	}
	return i
}

// count reads a number of rows.
func (e *emitter) count(i int) *Literal {
	t := e.text(i, i)
	if e.at(i).kind != numberToken || strings.Trim(t, "0123456789") != "" {
		e.expected(i, "a whole number of rows")
	}
	return &Literal{e.pos(i, i), NumberLiteral, t}
}
