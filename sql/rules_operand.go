package sql

func (e *emitter) constantRule(i int) int {
	x, next := e.literal(i)
	if x == nil {
		return i
	}
	e.constant(i, x, next-1)
	return next
}

// intervalRule reads INTERVAL [+-] x unit, where x is a bracket, a number or a name.
func (e *emitter) intervalRule(i int) int {
	j, n := i+1, &intervalNote{}
	if u := e.up(j); u == "-" || u == "+" {
		n.negative = u == "-"
		j++
	}
	behind := j + 1 // behind the operand
	switch {
	case e.up(j) == "(":
		behind = e.at(j).match + 1
	case e.at(j).kind == numberToken:
	case e.isName(j) && !isReserved(e.up(j)):
		for e.up(behind) == "." && e.isName(behind+1) {
			behind += 2
		}
	default:
		return i
	}
	if unit(e.up(behind)) == "" {
		return i
	}
	e.call(i, n)
	e.noUnit = true
	if next := e.try(operandRules, j); next != behind {
		e.expectedHint(j, "a value", "put the value of the interval in parentheses")
	}
	e.noUnit = false
	if g, ok := e.notes[j].(*groupNote); ok && g.kind == rowGroup {
		fail(e.span(j, behind-1), "write one value", "an interval takes one value")
	}
	x := &Interval{}
	next := e.qualifier(behind, x)
	n.unit, n.last = x.From, next-1
	if x.To != "" {
		n.unit += " TO " + x.To
	}
	e.put(")", next-1)
	return next
}

func (e *emitter) caseRule(i int) int {
	if !e.hasWhen(i + 1) {
		return i // a name
	}
	n := &caseNote{}
	e.call(i, n)
	e.put("CASE", i)
	j := i + 1
	if e.up(j) != "WHEN" {
		j = e.expr(j, 0)
	}
	if e.up(j) != "WHEN" {
		e.expected(j, "WHEN")
	}
	for e.up(j) == "WHEN" {
		e.put("WHEN", j)
		start := len(e.out)
		from := j
		if j = e.expr(j+1, 0); e.up(j) == "," {
			e.put(",", j)
			j = e.exprs(j + 1)
			e.wrap(start, from, &groupNote{kind: rowGroup, last: j - 1})
			e.put(")", j-1)
		}
		j = e.need(j, "THEN")
		e.put("THEN", j-1)
		j = e.expr(j, 0)
	}
	if e.up(j) == "ELSE" {
		e.put("ELSE", j)
		j = e.expr(j+1, 0)
	}
	n.last = j
	if before := e.up(j - 2); e.up(j) != "END" && e.up(j-1) == "END" && (before == "THEN" || before == "ELSE") {
		e.expected(j-1, "a value behind "+before) // it was taken for a column
	}
	j = e.need(j, "END")
	e.put("END )", j-1)
	return j
}

// hasWhen reports whether a WHEN follows before the expression can end.
func (e *emitter) hasWhen(i int) bool {
	for n := 0; n < 4096; n++ { // bounded, for texts full of CASE
		t := e.at(i)
		switch t.up {
		case "WHEN":
			return true
		case ",", ")", "]", "FROM", "THEN", ";":
			return false
		}
		if t.kind == endToken {
			return false
		}
		if t.match > i {
			i = t.match
		}
		i++
	}
	return true
}

func (e *emitter) castRule(i int) int {
	if e.up(i+1) != "(" {
		return i
	}
	n := &castNote{try: e.up(i) == "TRY_CAST", last: e.at(i + 1).match}
	e.call(i, n)
	j := e.expr(i+2, 0)
	if e.up(j) != "AS" {
		e.expectedHint(j, "AS", "write "+e.up(i)+"(value AS type)")
	}
	n.typ, j = e.typeName(j + 1)
	e.put(")", j)
	return e.need(j, ")")
}

func (e *emitter) existsRule(i int) int {
	if e.up(i+1) != "(" {
		return i
	}
	if !e.startsQuery(i + 1) {
		e.expected(i+2, "a query")
	}
	return e.subquery(i, i+1, true)
}

// subquery emits the query in the bracket at open as a call of token i.
func (e *emitter) subquery(i, open int, exists bool) int {
	n := &subqueryNote{exists: exists, last: e.at(open).match}
	e.call(i, n)
	e.put("(", open)
	var next int
	n.query, next = e.emitQuery(open + 1)
	next = e.need(next, ")")
	e.put(") )", next-1)
	return next
}

// startsQuery reports whether the bracket at i holds a query.
func (e *emitter) startsQuery(i int) bool {
	for n := 0; e.up(i) == "("; n++ {
		switch e.up(i + 1) {
		case "SELECT":
			return true
		case "WITH":
			return e.isName(i + 2)
		case "VALUES":
			switch e.up(i + 2) {
			case ")", ",", ".", "=", "<>", "<", ">", "<=", ">=", "*", "/", "%", "||", "[", "::", "IS", "IN", "AND", "OR", "LIKE", "BETWEEN":
				return false
			}
			return true
		case "TABLE":
			return e.isName(i+2) && !isReserved(e.up(i+2))
		case "(": // ((query) UNION ..), but not ((query), 1)
			switch e.up(e.at(i+1).match + 1) {
			case ")", "UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET", "FETCH":
				i++
				continue
			}
		}
		return false
	}
	return false
}

// arrayRule reads ARRAY[a, b] and MAP[k, v].
func (e *emitter) arrayRule(i int) int {
	if e.up(i+1) == "(" && e.startsQuery(i+1) {
		refuse(e.span(i, i), "write "+e.up(i)+"[a, b]", "%s of a query is not supported", e.up(i))
	}
	if e.up(i+1) != "[" {
		return i
	}
	kind := arrayGroup
	if e.up(i) == "MAP" {
		kind = mapGroup
	}
	return e.group(i, i+1, kind)
}

func (e *emitter) rowRule(i int) int {
	if e.up(i+1) != "(" {
		return i
	}
	if e.at(i+1).match == i+2 {
		fail(e.span(i, i+2), "write at least one value", "a row needs a value")
	}
	return e.group(i, i+1, rowGroup)
}

// group emits the list in the bracket at open as a call of token i.
func (e *emitter) group(i, open int, kind groupKind) int {
	last := e.at(open).match
	e.call(i, &groupNote{kind: kind, last: last})
	next := open + 1
	if next < last {
		next = e.exprs(next)
	}
	e.put(")", last)
	return e.need(next, e.up(last))
}

func (e *emitter) descriptorRule(i int) int {
	if e.up(i+1) != "(" {
		return i
	}
	d := &Descriptor{}
	j := i + 2
	for {
		var n Name
		n, j = e.name(j, "the name of a column")
		d.Columns = append(d.Columns, n)
		if e.up(j) != "," {
			break
		}
		j++
	}
	j = e.need(j, ")")
	d.Pos = e.pos(i, j-1)
	e.constant(i, d, j-1)
	return j
}

func (e *emitter) bareFunctionRule(i int) int {
	if e.up(i+1) == "(" || e.up(i+1) == "." {
		return i
	}
	e.constant(i, &Call{Pos: e.pos(i, i), Name: Name{e.pos(i, i), []Ident{e.ident(i, "")}}}, i)
	return i + 1
}

func (e *emitter) refusedRule(i int) int {
	up := e.up(i)
	switch {
	case up == "MULTISET" && (e.up(i+1) == "[" || e.up(i+1) == "("), up == "CURSOR" && e.up(i+1) == "(", up == "UNIQUE" && e.up(i+1) == "(", up == "PERIOD" && e.up(i+1) == "(":
		refuse(e.span(i, i), "", "%s is not supported", up)
	case e.is(i, "NEXT", "VALUE", "FOR"):
		refuse(e.span(i, i+2), "", "sequences are not supported")
	}
	return i
}

// bracketRule reads (x), (a, b), (query) and (a - b) DAY.
func (e *emitter) bracketRule(i int) int {
	last, noUnit := e.at(i).match, e.noUnit
	e.noUnit = false
	if last == i+1 {
		e.expected(last, "an expression")
	}
	double := e.up(i+1) == "(" && e.at(i+1).match == last-1
	if !double && e.startsQuery(i) {
		return e.subquery(i, i, false)
	}
	n := &groupNote{kind: parenGroup, last: last}
	e.call(i, n)
	next := e.expr(i+1, 0)
	if e.up(next) == "," {
		n.kind = rowGroup
		e.put(",", next)
		next = e.exprs(next + 1)
	}
	e.put(")", last)
	next = e.need(next, ")")
	if n.kind == parenGroup && !noUnit && unit(e.up(next)) != "" && e.hasMinus(i) {
		e.hit("interval-qualifier")
		x := &Interval{}
		next = e.qualifier(next, x)
		n.unit, n.last = x.From, next-1
		if x.To != "" {
			n.unit += " TO " + x.To
		}
	}
	return next
}

// hasMinus reports whether a minus stands directly inside the bracket at i.
func (e *emitter) hasMinus(i int) bool {
	for j := i + 2; j < e.at(i).match; j++ {
		if m := e.at(j).match; m > j {
			j = m
		} else if e.up(j) == "-" {
			return true
		}
	}
	return false
}

// nameRule reads a column or a call.
func (e *emitter) nameRule(i int) int {
	if !e.isName(i) {
		return i
	}
	switch up := e.up(i); {
	case isReserved(up), (up == "GROUP" || up == "ORDER" || up == "PARTITION") && e.up(i+1) == "BY",
		up == "VALUES" && e.up(i+1) == "(": // a query without brackets
		return i
	}
	name, j := e.chain(i)
	if e.up(j) == "(" {
		return e.callRule(i, name, j)
	}
	e.notes[i] = &leaf{&ColumnRef{name.Pos, name}, j - 1}
	e.placeholder(i)
	return j
}

// chain reads a dotted name, but leaves ".*" alone.
func (e *emitter) chain(i int) (Name, int) {
	first := i
	n := Name{Parts: make([]Ident, 1, 2)}
	n.Parts[0] = e.ident(i, "a name")
	for i++; e.up(i) == "." && e.up(i+1) != "*"; i += 2 {
		n.Parts = append(n.Parts, e.ident(i+1, "a name behind the dot"))
	}
	n.Pos = e.pos(first, i-1)
	return n, i
}
