package sql

// scan is the state of one run of operands and operators.
type scan struct {
	stop      stopWords
	between   int  // BETWEENs whose AND is still to come
	tight     bool // the operator before the operand is one that TiDB takes no NOT behind
	operand   bool // an operand must follow
	escape    bool // ESCAPE may follow
	predicate predicate
	wraps     int // predicates wrapped so far
	start     int // first piece of what IN, BETWEEN and LIKE take as left side
	whole     int // first piece behind the last AND, OR or NOT
}

// predicate is the last operator of the level of IN in a run between looser operators.
type predicate uint8

const (
	noPredicate predicate = iota
	listPredicate
	likePredicate
)

// stopWords says where an expression ends early.
type stopWords uint8

const (
	stopLogic stopWords = 1 << iota // at AND and OR
	stopIn                          // at IN: POSITION(a IN b)
)

// expr emits the expression at i and returns the index behind it. It does not
// look at precedence: that is TiDB's part.
func (e *emitter) expr(i int, stop stopWords) int {
	e.enter(i)
	defer e.leave()
	s := scan{stop: stop, start: len(e.out), whole: len(e.out)}
	i = e.operand(i, &s)
	for {
		next := e.operator(i, &s)
		if next == i {
			if s.between > 0 {
				e.expected(i, "AND of BETWEEN")
			}
			return i
		}
		i = next
		if s.operand {
			s.operand = false
			i = e.operand(i, &s)
		}
	}
}

// operand emits prefix operators, a primary expression and what is written behind it.
func (e *emitter) operand(i int, s *scan) int {
	for first := i; ; i++ {
		if i-first > maxNesting {
			fail(e.span(i, i), "delete some", "more than %d prefix operators stand in a row", maxNesting)
		}
		switch up := e.up(i); up {
		case "-", "+":
			e.put(up, i)
			s.tight = true
			continue
		case "NOT":
			if s.tight { // a = NOT b: TiDB takes NOT only in brackets there
				e.hit("tight-not")
				e.put("v_(", i)
				e.put("NOT", i)
				i = e.expr(i+1, s.stop|stopLogic)
				e.put(")", i-1)
				return i
			}
			e.put("NOT", i)
			s.loose(e)
			s.whole = s.start
			continue
		}
		break
	}
	s.tight = true
	start := len(e.out)
	next := e.try(operandRules, i)
	if next == i {
		e.noOperand(i)
	}
	return e.suffixes(start, next)
}

// loose starts a new run: an operator looser than IN was emitted.
func (s *scan) loose(e *emitter) {
	s.predicate, s.escape, s.start = noPredicate, false, len(e.out)
}

func (e *emitter) noOperand(i int) {
	hint := ""
	switch up := e.up(i); {
	case up == "FROM" && e.up(i-1) == "SELECT":
		hint = "list the columns, or write SELECT * FROM"
	case up == "FROM" && e.up(i-1) == ",":
		hint = "delete the comma before FROM"
	case up == ")" && e.up(i-1) == ",":
		hint = "delete the comma"
	case e.up(i-1) == "ALL" && e.up(i-2) == "BY":
		hint = "name the columns behind GROUP BY"
	case up == "[":
		hint = "write ARRAY[...]"
	case up == "*":
		hint = "* stands only in a select list and in COUNT(*)"
	case isReserved(up):
		hint = "put " + e.text(i, i) + " in backticks if it is a name"
	}
	e.expectedHint(i, "an expression", hint)
}

func (e *emitter) suffixes(start, i int) int {
	for n := 0; ; n++ {
		if n > maxNesting {
			fail(e.span(i, i), "use views or subqueries for the steps", "more than %d suffixes stand in a row", maxNesting)
		}
		up, next := e.up(i), i
		for k := range suffixRules {
			if r := &suffixRules[k]; starts(r.words, up) {
				if next = r.wrap(e, start, i); next > i {
					e.hit(r.name)
					break
				}
			}
		}
		if next == i {
			return i
		}
		i = next
	}
}

func (e *emitter) operator(i int, s *scan) int {
	up := e.up(i)
	if up == "" {
		return i
	}
	for k := range operatorRules {
		if r := &operatorRules[k]; starts(r.words, up) {
			if next := r.read(e, s, i); next > i {
				e.hit(r.name)
				return next
			}
		}
	}
	return i
}

// infix emits an operator of tokens i to last as the TiDB operator text.
func (e *emitter) infix(s *scan, i, last int, op, text string) int {
	e.notes[i] = &operatorNote{op: op, last: last}
	e.put(text, i)
	s.operand, s.tight = true, true
	return last + 1
}

func (e *emitter) logicRule(s *scan, i int) int {
	up := e.up(i)
	if up == "AND" && s.between > 0 {
		s.between--
		e.put(up, i)
		s.operand, s.tight = true, true
		return i + 1
	}
	if s.between > 0 {
		e.expected(i, "AND of BETWEEN")
	}
	if s.stop&stopLogic != 0 {
		return i
	}
	next := e.infix(s, i, i, up, up)
	s.loose(e)
	s.whole, s.tight = s.start, false
	return next
}

func (e *emitter) comparisonRule(s *scan, i int) int {
	op := e.up(i)
	switch op {
	case "!=":
		op = "<>"
	case "==":
		op = "="
	}
	next := e.infix(s, i, i, op, op)
	if op == "<>" {
		e.out[len(e.out)-1].text = "="
	}
	s.loose(e)
	switch q := e.up(next); q {
	case "ANY", "SOME", "ALL":
		if e.up(next+1) != "(" {
			return next
		}
		if q == "SOME" {
			q = "ANY"
		}
		e.notes[i] = &operatorNote{op: op + " " + q, last: next}
		s.operand = false
		return e.listOrQuery(next+1, rowGroup)
	}
	return next
}

// listOrQuery emits (query) or (a, b) at i as one operand.
func (e *emitter) listOrQuery(i int, kind groupKind) int {
	if e.startsQuery(i) {
		return e.subquery(i, i, false)
	}
	return e.group(i, i, kind)
}

func (e *emitter) arithmeticRule(s *scan, i int) int {
	return e.infix(s, i, i, e.up(i), e.up(i))
}

func (e *emitter) concatRule(s *scan, i int) int { return e.infix(s, i, i, "||", "DIV") }

func (e *emitter) isRule(s *scan, i int) int {
	j, not := i+1, false
	if e.up(j) == "NOT" {
		j, not = j+1, true
	}
	if e.is(j, "DISTINCT", "FROM") {
		op := "IS DISTINCT FROM"
		if not {
			op = "IS NOT DISTINCT FROM"
		}
		next := e.infix(s, i, j+1, op, "<=>")
		s.loose(e)
		return next
	}
	what := e.up(j)
	switch what {
	case "NULL", "TRUE", "FALSE", "UNKNOWN":
	case "JSON":
		switch k := e.up(j + 1); k {
		case "VALUE", "OBJECT", "ARRAY", "SCALAR":
			what += " " + k
			j++
		}
	default:
		e.expectedHint(j, "NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM behind IS", "compare values with =")
	}
	e.notes[i] = &testNote{what, not, j}
	e.put("IS NULL", i)
	s.predicate, s.escape, s.start = listPredicate, false, s.whole // IN behind it takes all of it
	return j + 1
}

// foreignRule refuses operators of other dialects, which else were aliases.
func (e *emitter) foreignRule(s *scan, i int) int {
	next, up := e.at(i+1), e.up(i)
	j := i
	if up == "NOT" {
		j++
		next, up = e.at(j+1), e.up(j)
	}
	hint := ""
	switch up {
	case "RLIKE", "REGEXP":
		hint = "write REGEXP(text, pattern)"
	case "ILIKE":
		hint = "write UPPER(text) LIKE UPPER(pattern)"
	case "GLOB":
		hint = "write LIKE"
	case "XOR":
		hint = "write a <> b"
	case "DIV":
		hint = "write FLOOR(a / b)"
	case "MOD":
		hint = "write a % b"
	case "CONTAINS", "PRECEDES", "SUCCEEDS", "EQUALS", "SUBMULTISET", "MEMBER":
	default:
		return i
	}
	if next.kind != textToken && next.kind != numberToken && next.kind != quotedToken && next.up != "(" && (next.kind != wordToken || isNoAlias(next.up)) {
		return i
	}
	refuse(e.span(j, j), hint, "the operator %s is not supported", up)
	return i
}

func (e *emitter) overlapsRule(s *scan, i int) int {
	if e.up(i+1) != "(" && !e.is(i+1, "ROW", "(") {
		return i // an alias
	}
	next := e.infix(s, i, i, "OVERLAPS", "<=>")
	s.loose(e)
	return next
}

// again prepares an operator of the level of IN. TiDB takes only one of them, so
// what stands before a second one is wrapped as a whole, which is how Flink groups.
func (e *emitter) again(s *scan, i int, p predicate) {
	switch {
	case s.between > 0 || s.predicate == likePredicate || p == likePredicate && s.predicate != noPredicate:
		fail(e.span(i, i), "put parentheses around one of them", "%s beside another predicate", e.found(i))
	case s.predicate != noPredicate:
		if s.wraps++; s.wraps > maxNesting {
			fail(e.span(i, i), "put parentheses around the parts", "more than %d predicates stand in a row", maxNesting)
		}
		e.hit("repeated-predicate")
		e.wrapText(s.start, "v_(")
		e.put(")", i)
	}
	s.predicate, s.escape = p, p == likePredicate
}

// negated skips the NOT of NOT IN, NOT BETWEEN, NOT LIKE.
func (e *emitter) negated(i int) (j int, not bool) {
	if e.up(i) == "NOT" {
		return i + 1, true
	}
	return i, false
}

func (e *emitter) inRule(s *scan, i int) int {
	j, not := e.negated(i)
	if e.up(j) != "IN" || s.stop&stopIn != 0 {
		return i
	}
	if e.up(j+1) != "(" {
		e.expectedHint(j+1, `"("`, "write the values in parentheses: IN (a, b)")
	}
	if e.at(j+1).match == j+2 {
		fail(e.span(j+1, j+2), "write at least one value", "the list of IN is empty")
	}
	e.again(s, i, listPredicate)
	e.notes[i] = &inNote{not, e.at(j + 1).match}
	if not {
		e.put("NOT", i)
	}
	e.put("IN (", i)
	next := j + 2
	if e.startsQuery(j + 1) {
		next = e.subquery(j+1, j+1, false)
	} else {
		next = e.need(e.exprs(next), ")")
	}
	e.put(")", next-1)
	return next
}

// exprs emits expressions separated by commas.
func (e *emitter) exprs(i int) int {
	for {
		i = e.expr(i, 0)
		if e.up(i) != "," {
			return i
		}
		e.put(",", i)
		i++
	}
}

func (e *emitter) betweenRule(s *scan, i int) int {
	j, not := e.negated(i)
	if e.up(j) != "BETWEEN" {
		return i
	}
	e.again(s, i, listPredicate)
	n := &betweenNote{not: not}
	if not {
		e.put("NOT", i)
	}
	e.put("BETWEEN", i)
	switch e.up(j + 1) {
	case "SYMMETRIC":
		n.symmetric = true
		j++
	case "ASYMMETRIC":
		j++
	}
	e.notes[i] = n
	s.between++
	s.operand, s.tight = true, true
	return j + 1
}

func (e *emitter) likeRule(s *scan, i int) int {
	j, not := e.negated(i)
	last, op := j, "LIKE"
	switch {
	case e.up(j) == "LIKE":
	case e.is(j, "SIMILAR", "TO"):
		last, op = j+1, "SIMILAR TO"
	default:
		return i
	}
	e.again(s, i, likePredicate)
	e.infix(s, i, last, op, "&")
	n := e.notes[i].(*operatorNote)
	n.like, n.not = true, not
	return last + 1
}

func (e *emitter) escapeRule(s *scan, i int) int {
	if !s.escape {
		return i
	}
	s.escape = false
	return e.infix(s, i, i, "ESCAPE", "<<")
}

func (e *emitter) indexRule(start, i int) int {
	last := e.at(i).match
	e.wrap(start, i, &suffixNote{last: last})
	e.put(",", i)
	next := e.need(e.expr(i+1, 0), "]")
	e.put(")", last)
	return next
}

func (e *emitter) fieldRule(start, i int) int {
	f := e.ident(i+1, "the name of a field")
	e.wrap(start, i, &suffixNote{&f, i + 1})
	e.put(")", i+1)
	return i + 2
}

func (e *emitter) colonCastRule(start, i int) int {
	t, next := e.typeName(i + 1)
	e.wrap(start, i, &castNote{typ: t, postfix: true, last: next - 1})
	e.put(")", next-1)
	return next
}
