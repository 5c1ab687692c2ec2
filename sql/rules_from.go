package sql

// from emits a FROM list at i. Every join is a LEFT JOIN with a condition for
// TiDB, so that the tree is left-deep as in Flink; the kind is noted.
func (e *emitter) from(i int) int {
	i = e.table(i)
	for {
		j := &Join{}
		next := e.joinKind(i, j)
		if next == i {
			return i
		}
		e.sel.joins = append(e.sel.joins, j)
		e.put("LEFT JOIN", i)
		comma := e.up(i) == ","
		i = e.table(next)
		switch up := e.up(i); {
		case up == "ON" && !comma && !j.Natural && j.Kind != CrossJoin:
			e.put("ON", i)
			i = e.expr(i+1, 0)
			continue
		case up == "USING" && !comma && !j.Natural && j.Kind != CrossJoin:
			j.Using, i = e.idents(i+1, "the name of a column")
			j.S = e.span(i-1, i-1)
		case !comma && !j.Natural && j.Kind != CrossJoin:
			e.expectedHint(i, "ON or USING", "add a join condition, or write CROSS JOIN")
		}
		e.put("ON 0", i-1)
	}
}

// joinKind reads a comma or the words of a join.
func (e *emitter) joinKind(i int, j *Join) int {
	first := i
	if e.up(i) == "," {
		j.Kind = CrossJoin
		return i + 1
	}
	if e.up(i) == "NATURAL" {
		j.Natural = true
		i++
	}
	switch e.up(i) {
	case "INNER":
		i++
	case "CROSS":
		j.Kind = CrossJoin
		i++
	case "SEMI", "ANTI":
		e.refuseSemiJoin(i)
	case "LEFT", "RIGHT", "FULL":
		switch e.up(i) {
		case "LEFT":
			j.Kind = LeftJoin
		case "RIGHT":
			j.Kind = RightJoin
		default:
			j.Kind = FullJoin
		}
		if i++; e.up(i) == "OUTER" {
			i++
		}
		e.refuseSemiJoin(i)
	}
	if e.up(i) != "JOIN" {
		if i > first {
			e.expected(i, "JOIN")
		}
		return first
	}
	return i + 1
}

// refuseSemiJoin refuses SEMI and ANTI JOIN, which Flink has as EXISTS only.
func (e *emitter) refuseSemiJoin(i int) {
	if up := e.up(i); up == "SEMI" || up == "ANTI" {
		refuse(e.span(i, i), "write WHERE EXISTS (...) or WHERE NOT EXISTS (...)", "%s JOIN is not supported", up)
	}
}

// refuseJoinWord refuses a kind of join of other systems, the word from i to end, which
// would be another name of the table before it, and the join a plain one.
func (e *emitter) refuseJoinWord(i, end int) {
	join := end
	if up := e.up(join); up == "LEFT" || up == "INNER" {
		join++
	}
	if end != i+1 || e.up(join) != "JOIN" {
		return // also without a word, and where AS stands before it
	}
	up := e.up(i)
	hint := "leave the word out"
	switch up {
	case "ASOF":
		hint = "join rows that are not later, ON u.ts <= t.ts, and keep the last of them: ROW_NUMBER() OVER (PARTITION BY t.id ORDER BY u.ts DESC) = 1"
	case "POSITIONAL", "ANY", "GLOBAL", "LATERAL":
	default:
		return
	}
	refuse(e.span(i, i), hint+", or write AS "+e.text(i, i)+" if it is the name of the table", "%s JOIN is not supported", up)
}

// table emits one item of FROM.
func (e *emitter) table(i int) int {
	e.enter(i)
	defer e.leave()
	next := e.try(tableRules, i)
	if next == i {
		hint := ""
		if isReserved(e.up(i)) {
			hint = "put " + e.text(i, i) + " in backticks if it is a name"
		}
		e.expectedHint(i, "a table", hint)
	}
	return next
}

// add notes a table whose own tokens end before i, reads MATCH_RECOGNIZE and the
// alias, and returns the index behind them.
func (e *emitter) add(first, i int, n tableNote) int {
	var alias *Alias
	end := i
	switch t := n.table.(type) {
	case *TableRef:
		alias, end = e.alias(i)
		t.Alias, t.Pos = alias, e.pos(first, end-1)
	case *Derived:
		alias, end = e.alias(i)
		t.Alias, t.Pos = alias, e.pos(first, end-1)
	case *TableFunc:
		alias, end = e.alias(i)
		t.Alias, t.Pos = alias, e.pos(first, end-1)
	}
	e.refuseJoinWord(i, end)
	switch up := e.up(end); {
	case up == "TABLESAMPLE":
		refuse(e.span(end, end), "filter with RAND() instead", "TABLESAMPLE is not supported")
	case (up == "PIVOT" || up == "UNPIVOT") && e.up(end+1) == "(":
		refuse(e.span(end, end), "write SELECT k, SUM(v) FILTER (WHERE c = 'x') AS x FROM t GROUP BY k", "%s is not supported", up)
	case up == "MATCH_RECOGNIZE" && e.up(end+1) == "(":
		e.hit("match-recognize")
		m := &MatchRecognize{}
		last := e.at(end + 1).match
		if last > end+2 {
			m.Text = e.text(end+2, last-1)
		}
		m.Alias, end = e.alias(last + 1)
		m.Pos = e.pos(first, end-1)
		n.match = m
	}
	e.sel.tables = append(e.sel.tables, n)
	return end
}

// alias reads [AS] name [(columns)].
func (e *emitter) alias(i int) (*Alias, int) {
	first := i
	if e.up(i) == "AS" {
		i++
		if up := e.up(i); isReservedAlias(up) {
			e.expectedHint(i, "a name behind AS", "put "+e.text(i, i)+" in backticks if it is the name")
		}
	} else if !e.isName(i) || isNoAlias(e.up(i)) {
		return nil, i
	}
	a := &Alias{Name: e.ident(i, "a name behind AS")}
	if i++; e.up(i) == "(" {
		a.Columns, i = e.idents(i, "the name of a column")
	}
	a.Pos = e.pos(first, i-1)
	return a, i
}

func (e *emitter) fileRule(i int) int {
	if e.at(i).kind != textToken {
		return i
	}
	t := &TableRef{}
	e.placeholder(i)
	var next int
	t.File, next = e.textAt(i, "a file name")
	t.Hints, next = e.hints(next)
	return e.add(i, next, tableNote{table: t})
}

// lateralRule reads LATERAL before TABLE(f(..)), UNNEST(..) or (query).
func (e *emitter) lateralRule(i int) int {
	switch {
	case e.is(i+1, "TABLE", "("):
		return e.function(i, i+3, e.at(i+2).match, true)
	case e.up(i+1) == "(" && e.startsQuery(i+1):
		return e.derived(i, i+1, true)
	case e.is(i+1, "UNNEST", "("):
		return e.function(i, i+1, 0, true)
	case e.isName(i+1) && !isNoAlias(e.up(i+1)) && e.up(i+2) == "(":
		fail(e.span(i, i+1), "write LATERAL TABLE("+e.text(i+1, i+1)+"(...))", "LATERAL stands before TABLE(...), UNNEST(...) or a query")
	}
	return i // a table of that name
}

func (e *emitter) tableFunctionRule(i int) int {
	if e.up(i+1) != "(" {
		return i
	}
	return e.function(i, i+2, e.at(i+1).match, false)
}

// function emits the call at i as the only field of a derived table; closing is
// the bracket of TABLE( around it, if there is one.
func (e *emitter) function(first, i, closing int, lateral bool) int {
	if !e.isName(i) {
		e.expectedHint(i, "a table function", "write TABLE(TUMBLE(TABLE t, DESCRIPTOR(time), INTERVAL '1' MINUTE))")
	}
	e.put("( SELECT", i)
	name, open := e.chain(i)
	if e.up(open) != "(" {
		e.expectedHint(open, `"("`, "write "+e.text(i, open-1)+"(...)")
	}
	next := e.callRule(i, name, open)
	e.put(")", next-1)
	t := &TableFunc{Lateral: lateral}
	if closing > 0 {
		if next != closing {
			e.unexpected(next)
		}
		next++
	} else if e.is(next, "WITH", "ORDINALITY") {
		e.hit("ordinality")
		t.Ordinality = true
		next += 2
	}
	return e.add(first, next, tableNote{table: t})
}

func (e *emitter) derivedRule(i int) int {
	if !e.startsQuery(i) {
		return i
	}
	return e.derived(i, i, false)
}

func (e *emitter) derived(first, open int, lateral bool) int {
	e.put("(", open)
	q, next := e.emitQuery(open + 1)
	next = e.need(next, ")")
	e.put(")", next-1)
	return e.add(first, next, tableNote{table: &Derived{Lateral: lateral}, query: q})
}

func (e *emitter) bracketJoinRule(i int) int {
	joins := len(e.sel.joins)
	e.put("(", i)
	next := e.from(i + 1)
	if len(e.sel.joins) == joins {
		fail(e.span(i, i), "delete the brackets", "brackets in FROM hold a query or a join")
	}
	e.put(")", next)
	return e.need(next, ")")
}

func (e *emitter) bareTableFunctionRule(i int) int {
	if !e.isName(i) || isReserved(e.up(i)) {
		return i
	}
	if _, open := e.chain(i); e.up(open) != "(" {
		return i
	}
	return e.function(i, i, 0, false)
}

func (e *emitter) tableRule(i int) int {
	if !e.isName(i) || isReserved(e.up(i)) {
		return i
	}
	t := &TableRef{}
	e.placeholder(i)
	var next int
	t.Name, next = e.name(i, "the name of a table")
	t.Hints, next = e.hints(next)
	note := tableNote{table: t}
	if e.is(next, "FOR", "SYSTEM_TIME", "AS", "OF") {
		e.hit("system-time")
		e.put("AS OF TIMESTAMP", next)
		next = e.expr(next+4, 0)
	} else if e.up(next) == "FOR" {
		hint := "write FOR SYSTEM_TIME AS OF time"
		if up := e.up(next + 1); up == "UPDATE" || up == "SHARE" {
			hint = "delete it: nothing is locked"
		}
		refuse(e.span(next, next+1), hint, "FOR %s is not supported", e.up(next+1))
	}
	return e.add(i, next, note)
}
