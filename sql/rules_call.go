package sql

import "strings"

// callRule emits name(...) at i with all that may stand behind it.
func (e *emitter) callRule(i int, name Name, open int) int {
	start := len(e.out)
	last := e.at(open).match
	n := &callNote{call: Call{Name: name}, last: last}
	e.call(i, n)
	j := open + 1
	special := j
	if len(name.Parts) == 1 && !name.Parts[0].Quoted && j < last {
		special = e.special(i, j)
	}
	switch {
	case special > j:
		j = special
	case e.up(j) == "*" && j+1 == last:
		n.call.Star = true
		j++
	case j < last:
		j = e.arguments(j, n)
	}
	if j != last {
		if e.up(j) == "AS" {
			fail(e.span(j, j), "write CAST(value AS type) or TRY_CAST(value AS type)", "unexpected %s in a call of %q", e.found(j), e.text(i, open-1))
		}
		e.unexpected(j)
	}
	e.put(")", last)
	return e.tails(start, j+1, n)
}

// special applies the rule of a function with words between its arguments.
func (e *emitter) special(i, j int) int {
	up := e.up(i)
	for k := range callRules {
		if r := &callRules[k]; starts(r.words, up) {
			if next := r.read(e, j); next > j {
				e.hit(r.name)
				return next
			}
		}
	}
	return j
}

// arguments emits [DISTINCT | ALL] argument, ... of an ordinary call.
func (e *emitter) arguments(j int, n *callNote) int {
	switch up := e.up(j); {
	case up == "DISTINCT":
		n.call.Distinct = true
		j++
	case up == "ALL" && e.up(j+1) != "," && e.up(j+1) != ")" && e.up(j+1) != ".":
		n.call.All = true
		j++
	}
	if (n.call.Distinct || n.call.All) && e.up(j) == "*" {
		fail(e.span(j, j), "name the columns to count", "* is not possible behind DISTINCT or ALL")
	}
	for k := 0; ; k++ {
		if e.isName(j) && e.up(j+1) == "=>" {
			e.hit("named-argument")
			for len(n.call.ArgNames) < k {
				n.call.ArgNames = append(n.call.ArgNames, nil)
			}
			id := e.ident(j, "a name")
			n.call.ArgNames = append(n.call.ArgNames, &id)
			j += 2
		} else if n.call.ArgNames != nil {
			n.call.ArgNames = append(n.call.ArgNames, nil)
		}
		j = e.argument(j)
		if e.up(j) != "," {
			j = e.nullTreatment(j, n)
			e.refuseOrder(j)
			return j
		}
		e.put(",", j)
		j++
	}
}

// nullTreatment reads RESPECT NULLS or IGNORE NULLS, which stands behind the arguments or
// behind the call.
func (e *emitter) nullTreatment(j int, n *callNote) int {
	if up := e.up(j); (up != "RESPECT" && up != "IGNORE") || e.up(j+1) != "NULLS" || n.call.NullsMode != "" {
		return j
	}
	e.hit("null-treatment")
	n.call.NullsMode = e.up(j) + " NULLS"
	return j + 2
}

// refuseOrder refuses ORDER BY behind the arguments of an aggregate. Flink accepts it and
// takes the values in the order of arrival all the same.
func (e *emitter) refuseOrder(j int) {
	if e.is(j, "ORDER", "BY") {
		refuse(e.span(j, j+1), "leave it out, or sort the result: ARRAY_SORT(ARRAY_AGG(x))",
			"ORDER BY in an aggregate is not supported: values come in the order of arrival")
	}
}

// argument emits an expression or a table argument.
func (e *emitter) argument(j int) int {
	switch up := e.up(j); {
	case up == "TABLE" && (e.isName(j+1) && !isReserved(e.up(j+1)) || e.at(j+1).kind == textToken):
		return e.tableArgument(j)
	case up == "TABLE" && e.up(j+1) == "(":
		return e.tableArgument(j)
	case up == "MODEL" && e.isName(j+1):
		refuse(e.span(j, j), "", "models are not supported")
	case up == "(" && e.startsQuery(j):
		switch behind := e.up(e.at(j).match + 1); behind {
		case "PARTITION", "ORDER":
			return e.tableArgument(j)
		}
	}
	return e.expr(j, 0)
}

// tableArgument reads TABLE t, TABLE 'file', TABLE (query) or (query), each with
// PARTITION BY and ORDER BY.
func (e *emitter) tableArgument(i int) int {
	e.hit("table-argument")
	n := &argumentNote{arg: &TableArg{}}
	e.call(i, n)
	separate := false
	j := i
	if e.up(j) == "TABLE" {
		j++
	}
	switch {
	case e.up(j) == "(":
		if !e.startsQuery(j) {
			e.expectedHint(j+1, "a query", "write TABLE and the name of a table, without parentheses")
		}
		e.put("(", j)
		n.query, j = e.emitQuery(j + 1)
		j = e.need(j, ")")
		e.put(")", j-1)
		separate = true
	case e.at(j).kind == textToken:
		n.arg.File, j = e.textAt(j, "a file name")
	default:
		var name Name
		name, j = e.name(j, "the name of a table")
		n.arg.Name = &name
		n.arg.Hints, j = e.hints(j)
	}
	comma := func() {
		if separate {
			e.put(",", j)
		}
		separate = true
	}
	if e.is(j, "PARTITION", "BY") {
		j += 2
		bracket := e.up(j) == "(" && !e.startsQuery(j)
		if bracket {
			j++
		}
		for {
			comma()
			j = e.expr(j, 0)
			n.parts++
			if !bracket || e.up(j) != "," {
				break
			}
			j++
		}
		if bracket {
			j = e.need(j, ")")
		}
	}
	if e.is(j, "ORDER", "BY") {
		j += 2
		bracket := e.up(j) == "(" && !e.startsQuery(j)
		if bracket {
			j++
		}
		for {
			comma()
			var o OrderItem
			o, j = e.orderItem(j)
			n.order = append(n.order, o)
			if !bracket || e.up(j) != "," {
				break
			}
			j++
		}
		if bracket {
			j = e.need(j, ")")
		}
	}
	e.put(")", j-1)
	n.last = j - 1
	return j
}

// tails emits what stands behind the bracket of a call: the treatment of NULLs,
// WITHIN GROUP, FILTER and OVER, each around the call so far.
func (e *emitter) tails(start, j int, n *callNote) int {
	if next := e.nullTreatment(j, n); next > j {
		j = next
		n.last = j - 1
	}
	if e.is(j, "WITHIN", "GROUP") {
		e.hit("within-group")
		e.wrapText(start, "GROUP_CONCAT(")
		open := e.need(j+2, "(") - 1
		k := e.need(open+1, "ORDER", "BY")
		n.order, k = e.orderItems(k)
		j = e.need(k, ")")
		e.put(")", j-1)
		n.last = j - 1
	}
	if e.is(j, "FILTER", "(") {
		e.hit("filter")
		e.wrap(start, j, &filterNote{last: e.at(j + 1).match})
		e.put(",", j)
		k := e.need(j+2, "WHERE")
		k = e.expr(k, 0)
		j = e.need(k, ")")
		e.put(")", j-1)
	}
	if e.up(j) != "OVER" || e.up(j+1) != "(" && !e.isName(j+1) {
		return j
	}
	if up := e.up(j + 1); isReserved(up) {
		e.expected(j+1, `"(" or the name of a window`)
	}
	e.hit("over")
	e.wrapText(start, "COUNT(")
	e.put(") OVER (", j)
	n.over, j = e.window(j + 1)
	e.put(")", j-1)
	n.last = max(n.last, j-1)
	return j
}

// window reads the inside of OVER: (spec) or a name.
func (e *emitter) window(i int) (*windowNote, int) {
	n := &windowNote{spec: &WindowSpec{Pos: e.pos(i, i)}}
	if e.up(i) != "(" {
		id := e.ident(i, "the name of a window")
		n.spec.Ref = &id
		return n, i + 1
	}
	j := i + 1
	if e.isName(j) && !(e.up(j+1) == "BY" && (e.up(j) == "PARTITION" || e.up(j) == "ORDER")) && !e.startsFrame(j) {
		id := e.ident(j, "the name of a window")
		n.spec.Ref = &id
		j++
	}
	if e.is(j, "PARTITION", "BY") {
		e.put("PARTITION BY", j)
		j = e.exprs(j + 2)
	}
	if e.is(j, "ORDER", "BY") {
		n.order, j = e.orderItems(j + 2)
	}
	if e.startsFrame(j) {
		n.spec.Frame, j = e.frame(j)
	}
	n.spec.Pos = e.pos(i, j)
	return n, e.need(j, ")")
}

func (e *emitter) startsFrame(j int) bool {
	if up := e.up(j); up != "ROWS" && up != "RANGE" {
		return false
	}
	k := e.at(j + 1)
	return k.up == "BETWEEN" || k.up == "UNBOUNDED" || k.up == "CURRENT" || k.kind == numberToken || k.up == "INTERVAL"
}

// frame reads ROWS or RANGE with its bounds. The short form ends at the current row.
func (e *emitter) frame(i int) (*Frame, int) {
	f := &Frame{Rows: e.up(i) == "ROWS"}
	j := i + 1
	if e.up(j) == "BETWEEN" {
		f.From, j = e.bound(j + 1)
		j = e.need(j, "AND")
		f.To, j = e.bound(j)
	} else {
		f.From, j = e.bound(j)
		if f.From.Kind == Following || f.From.Kind == UnboundedFollowing {
			fail(e.span(i, j-1), "write BETWEEN CURRENT ROW AND the bound", "a frame of one bound cannot end behind the current row")
		}
		f.To.Kind = CurrentRow
	}
	f.Pos = e.pos(i, j-1)
	return f, j
}

func (e *emitter) bound(i int) (FrameBound, int) {
	switch {
	case e.is(i, "UNBOUNDED", "PRECEDING"):
		return FrameBound{Kind: UnboundedPreceding}, i + 2
	case e.is(i, "UNBOUNDED", "FOLLOWING"):
		return FrameBound{Kind: UnboundedFollowing}, i + 2
	case e.is(i, "CURRENT", "ROW"):
		return FrameBound{Kind: CurrentRow}, i + 2
	}
	x, j := e.literal(i)
	if x == nil {
		e.expectedHint(i, "a bound", "write UNBOUNDED PRECEDING, CURRENT ROW, or a number or INTERVAL with PRECEDING or FOLLOWING")
	}
	switch e.up(j) {
	case "PRECEDING":
		return FrameBound{Preceding, x}, j + 1
	case "FOLLOWING":
		return FrameBound{Following, x}, j + 1
	}
	e.expected(j, "PRECEDING or FOLLOWING")
	return FrameBound{}, j
}

// orderItems emits ORDER BY and its items; i is behind the words.
func (e *emitter) orderItems(i int) ([]OrderItem, int) {
	e.put("ORDER BY", i-1)
	var out []OrderItem
	for {
		var o OrderItem
		o, i = e.orderItem(i)
		out = append(out, o)
		if e.up(i) != "," {
			return out, i
		}
		e.put(",", i)
		i++
	}
}

// orderItem emits the expression of one item and keeps the rest.
func (e *emitter) orderItem(i int) (OrderItem, int) {
	first := i
	var o OrderItem
	i = e.expr(i, 0)
	switch e.up(i) {
	case "ASC":
		i++
	case "DESC":
		o.Desc = true
		i++
	}
	if e.up(i) == "NULLS" {
		switch e.up(i + 1) {
		case "FIRST":
			o.Nulls = NullsFirst
		case "LAST":
			o.Nulls = NullsLast
		default:
			e.expected(i+1, "FIRST or LAST")
		}
		i += 2
	}
	o.Pos = e.pos(first, i-1)
	return o, i
}

// word emits a keyword argument.
func (e *emitter) word(i, last int, text string) {
	e.constant(i, &Word{e.pos(i, last), text}, last)
}

// unitWord reads a unit of time as argument.
func (e *emitter) unitWord(i int) int {
	up := e.up(i)
	if !isTimeField(up) {
		e.expectedHint(i, "a unit of time", "use YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE or SECOND")
	}
	if u := unit(up); u != "" {
		up = u
	}
	e.word(i, i, strings.TrimPrefix(up, "SQL_TSI_"))
	return i + 1
}

// between emits a comma in place of the word at i.
func (e *emitter) between(i int, word string) int {
	i = e.need(i, word)
	e.put(",", i-1)
	return i
}

func (e *emitter) extractRule(j int) int {
	return e.expr(e.between(e.unitWord(j), "FROM"), 0)
}

func (e *emitter) roundTimeRule(j int) int {
	j = e.expr(j, 0)
	switch e.up(j) {
	case "TO":
		return e.unitWord(e.between(j, "TO"))
	case ",":
		return e.exprs(e.between(j, ","))
	}
	return j
}

func (e *emitter) trimRule(j int) int {
	switch up := e.up(j); up {
	case "BOTH", "LEADING", "TRAILING":
		if e.up(j+1) == ")" || e.up(j+1) == "." {
			break
		}
		e.word(j, j, up)
		e.put(",", j)
		j++
		if e.up(j) == "FROM" {
			return e.expr(j+1, 0)
		}
		return e.expr(e.between(e.expr(j, 0), "FROM"), 0)
	}
	j = e.expr(j, 0)
	switch e.up(j) {
	case "FROM":
		return e.expr(e.between(j, "FROM"), 0)
	case ",":
		fail(e.span(j, j), "write TRIM(characters FROM text)", "TRIM takes no comma")
	}
	return j
}

func (e *emitter) positionRule(j int) int {
	j = e.expr(j, stopIn)
	if e.up(j) != "IN" {
		e.expectedHint(j, "IN", "write POSITION(part IN text)")
	}
	j = e.expr(e.between(j, "IN"), 0)
	if e.up(j) == "FROM" {
		j = e.expr(e.between(j, "FROM"), 0)
	}
	return j
}

// refuseName refuses the name of an argument, as in f(name => value), in a call that may
// have words between its arguments.
func (e *emitter) refuseName(j int) {
	if e.isName(j) && e.up(j+1) == "=>" {
		refuse(e.span(j, j+1), "give the arguments in order, without names", "a named argument is not supported yet")
	}
}

func (e *emitter) substringRule(j int) int {
	e.refuseName(j)
	j = e.expr(j, 0)
	if e.up(j) == "," {
		return e.exprs(e.between(j, ","))
	}
	if e.up(j) == ")" {
		return j
	}
	j = e.expr(e.between(j, "FROM"), 0)
	if e.up(j) == "FOR" {
		j = e.expr(e.between(j, "FOR"), 0)
	}
	return j
}

func (e *emitter) overlayRule(j int) int {
	e.refuseName(j)
	j = e.expr(j, 0)
	if e.up(j) == "," {
		return e.exprs(e.between(j, ","))
	}
	j = e.expr(e.between(j, "PLACING"), 0)
	j = e.expr(e.between(j, "FROM"), 0)
	if e.up(j) == "FOR" {
		j = e.expr(e.between(j, "FOR"), 0)
	}
	return j
}

func (e *emitter) timestampRule(j int) int {
	if e.up(j+1) != "," {
		return j
	}
	if !isTimeField(e.up(j)) {
		if e.at(j).kind == wordToken {
			fail(e.span(j, j), "units: SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER, YEAR", "%s is no unit of time", e.found(j))
		}
		return j
	}
	return e.exprs(e.between(e.unitWord(j), ","))
}

// jsonObjectRule reads [KEY] k VALUE v or k : v, and the clauses behind.
func (e *emitter) jsonObjectRule(j int) int {
	for !e.startsJSONClause(j) {
		if e.up(j) == "KEY" && e.up(j+1) != "VALUE" && e.up(j+1) != ":" && e.up(j+1) != "," && e.up(j+1) != "." {
			j++
		}
		switch j = e.expr(j, 0); e.up(j) {
		case "VALUE", ":", ",":
			j = e.between(j, e.up(j))
		default:
			e.expectedHint(j, "VALUE", "write KEY name VALUE value")
		}
		j = e.expr(j, 0)
		if e.is(j, "FORMAT", "JSON") {
			refuse(e.span(j, j+1), "", "FORMAT JSON is not supported")
		}
		if e.up(j) != "," {
			break
		}
		e.put(",", j)
		j++
	}
	return e.jsonClauses(j, e.up(j-1) != "(")
}

func (e *emitter) jsonRule(j int) int {
	if e.startsJSONClause(j) {
		return e.jsonClauses(j, false)
	}
	for {
		j = e.expr(j, 0)
		if e.up(j) != "," {
			e.refuseOrder(j)
			return e.jsonClauses(j, true)
		}
		e.put(",", j)
		j++
	}
}

// startsJSONClause reports whether ABSENT ON NULL, NULL ON NULL, ... stand at j.
func (e *emitter) startsJSONClause(j int) bool {
	return e.up(j+1) == "ON" && (e.up(j) == "NULL" || e.up(j) == "ABSENT")
}

// jsonClauses reads RETURNING type, x ON EMPTY, x ON ERROR, wrappers and the
// treatment of NULLs.
func (e *emitter) jsonClauses(j int, separate bool) int {
	put := func(last int) {
		if separate {
			e.put(",", j)
		}
		separate = true
		e.word(j, last, strings.ToUpper(Normalize(e.text(j, last))))
		j = last + 1
	}
	for {
		switch up := e.up(j); {
		case up == "RETURNING":
			put(j)
			t, next := e.typeName(j)
			e.put(",", j)
			e.constant(j, &TypeArg{t.Pos, t}, next-1)
			j = next
		case up == "DEFAULT":
			put(j)
			e.put(",", j)
			j = e.expr(j, 0)
			if e.up(j) != "ON" || e.up(j+1) != "EMPTY" && e.up(j+1) != "ERROR" {
				e.expected(j, "ON EMPTY or ON ERROR")
			}
			put(j + 1)
		case e.up(j+1) == "ON" && (up == "NULL" || up == "ABSENT" || up == "ERROR" || up == "TRUE" || up == "FALSE" || up == "UNKNOWN" || up == "EMPTY"):
			put(j + 2)
		case up == "EMPTY" && e.up(j+2) == "ON":
			put(j + 3)
		case up == "WITH" || up == "WITHOUT":
			k := j + 1
			for e.up(k) == "CONDITIONAL" || e.up(k) == "UNCONDITIONAL" || e.up(k) == "ARRAY" {
				k++
			}
			if e.up(k) != "WRAPPER" {
				e.expected(k, "WRAPPER")
			}
			put(k)
		default:
			return j
		}
	}
}
