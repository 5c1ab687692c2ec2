package sql

import (
	"strings"

	"streamsql/internal/diag"
)

// whole reads the only statement of the text.
func (p *parser) whole() Statement {
	s, i := p.statement(0)
	if p.up(i) == ";" {
		i++
	}
	p.atEnd(i)
	return s
}

// statement reads the statement at i and returns the index behind it.
func (p *parser) statement(i int) (Statement, int) {
	switch up := p.up(i); up {
	case "SELECT", "WITH", "VALUES", "TABLE", "(":
		q, next := p.parseQuery(i)
		return &QueryStatement{q.Pos, q}, next
	case "CREATE":
		return p.create(i)
	case "DROP":
		return p.drop(i)
	case "INSERT":
		return p.insert(i)
	case "EXECUTE":
		return p.execute(i)
	case "EXPLAIN":
		return p.explain(i)
	case "DESCRIBE", "DESC":
		return p.describe(i)
	case "SHOW":
		return p.show(i)
	case "SET":
		return p.set(i)
	case "RESET":
		return p.reset(i)
	}
	if words := p.otherWords(i); words != "" {
		return p.other(i, words)
	}
	p.noStatement(i)
	return nil, i
}

func (p *parser) noStatement(i int) {
	starts := []string{"SELECT", "INSERT", "CREATE", "DROP", "EXPLAIN", "DESCRIBE", "SHOW", "SET", "RESET", "WITH", "VALUES", "EXECUTE", "ALTER", "USE"}
	e := diag.New(diag.Syntax, p.span(i, i), "expected a statement, found %s", p.found(i))
	if s := diag.Suggest(p.up(i), starts); s != "" {
		e.WithHint("did you mean %s?", s)
	} else {
		switch p.up(i) {
		case "FROM":
			e.WithHint("start with SELECT")
		case "COMMIT", "ROLLBACK", "START", "SAVEPOINT", "BEGIN":
			e.WithHint("leave it out: there are no transactions")
		case "COPY", "EXPORT":
			e.WithHint("INSERT INTO a table WITH ('connector' = 'filesystem', ...), or redirect what is printed")
		case "ATTACH", "IMPORT", "LOAD":
			e.WithHint("leave it out: a file is a table, SELECT * FROM 'orders.csv'")
		case "SUMMARIZE":
			e.WithHint("write SELECT COUNT(v), MIN(v), MAX(v), AVG(v) FROM t; DESCRIBE t shows the types")
		case "PIVOT":
			e.WithHint("write SELECT k, SUM(v) FILTER (WHERE c = 'x') AS x FROM t GROUP BY k")
		case "MERGE", "REPLACE", "UPSERT":
			e.WithHint("rows that were written stay: INSERT INTO another table what is wanted")
		default:
			e.WithHint("start with SELECT, INSERT, CREATE, DROP, EXPLAIN, DESCRIBE, SHOW or SET")
		}
	}
	panic(bailout{e})
}

// otherWords names a statement that is known by name only.
func (p *parser) otherWords(i int) string {
	second := func(words ...string) string {
		for _, w := range words {
			if p.up(i+1) == w {
				return p.up(i) + " " + w
			}
		}
		return ""
	}
	switch up := p.up(i); up {
	case "ALTER":
		if p.is(i+1, "MATERIALIZED", "TABLE") {
			return "ALTER MATERIALIZED TABLE"
		}
		return second("TABLE", "VIEW", "DATABASE", "CATALOG", "FUNCTION", "MODEL", "CONNECTION")
	case "USE":
		if s := second("CATALOG", "MODULES"); s != "" {
			return s
		}
		return "USE"
	case "LOAD", "UNLOAD":
		return second("MODULE")
	case "ANALYZE":
		return second("TABLE")
	case "UPDATE", "CALL":
		if p.isName(i + 1) {
			return up
		}
	case "DELETE":
		return second("FROM")
	case "TRUNCATE":
		return second("TABLE")
	case "ADD", "REMOVE":
		return second("JAR")
	case "STOP":
		return second("JOB")
	case "COMPILE":
		return second("PLAN", "AND")
	case "BEGIN":
		if p.is(i+1, "STATEMENT", "SET") {
			return "BEGIN STATEMENT SET"
		}
	}
	return ""
}

// other skips a statement that nothing takes apart.
func (p *parser) other(i int, words string) (Statement, int) {
	if words == "BEGIN STATEMENT SET" {
		fail(p.span(i, i+2), "run its INSERT statements one by one", "BEGIN STATEMENT SET is not supported")
	}
	last := i
	for p.at(last+1).kind != endToken && p.up(last+1) != ";" {
		last++
	}
	return &Other{p.pos(i, last), words}, last + 1
}

// textAt reads a plain text.
func (p *parser) textAt(i int, what string) (*Text, int) {
	if p.at(i).kind != textToken {
		hint := ""
		if p.isName(i) {
			hint = "put it in single quotes"
		}
		p.expectedHint(i, what, hint)
	}
	x, next := p.textLiteral(i)
	l := x.(*Literal)
	if l.Kind != StringLiteral {
		p.expected(i, what)
	}
	return &Text{l.Pos, l.Text}, next
}

// options reads ('key' = 'value', ...).
func (p *parser) options(i int) ([]Option, int) {
	i = p.need(i, "(")
	out := []Option{}
	if p.up(i) == ")" {
		return out, i + 1
	}
	for {
		if p.up(i) == ")" {
			fail(p.span(i-1, i-1), "delete the comma", "a comma stands before the closing bracket")
		}
		key, j := p.textAt(i, "an option in single quotes")
		j = p.need(j, "=")
		value, j := p.textAt(j, "a value in single quotes")
		out = append(out, Option{p.pos(i, j-1), *key, *value})
		i = j
		if p.up(i) != "," {
			return out, p.need(i, ")")
		}
		i++
	}
}

// hints reads the hint tokens at i.
func (p *parser) hints(i int) ([]Hint, int) {
	var out []Hint
	for ; p.at(i).kind == hintToken; i++ {
		t := p.at(i)
		h := &parser{src: p.src, toks: lex(p.src, t.pos+3, t.end-2)}
		for k := 0; h.at(k).kind != endToken; {
			var hint Hint
			hint, k = h.hint(k)
			out = append(out, hint)
			if h.up(k) == "," {
				k++
			}
		}
	}
	return out, i
}

// hint reads NAME or NAME(argument, ...) or NAME('key' = 'value', ...).
func (p *parser) hint(i int) (Hint, int) {
	first := i
	h := Hint{Name: p.ident(i, "the name of a hint")}
	if i++; p.up(i) == "(" {
		for i++; p.up(i) != ")"; {
			from := i
			var t Text
			t, i = p.hintText(i)
			if p.up(i) == "=" {
				var value Text
				value, i = p.hintText(i + 1)
				h.Options = append(h.Options, Option{p.pos(from, i-1), t, value})
			} else {
				h.Args = append(h.Args, t)
			}
			if p.up(i) != "," {
				break
			}
			i++
		}
		i = p.need(i, ")")
	}
	h.Pos = p.pos(first, i-1)
	return h, i
}

// hintText reads a text, a number or a dotted name.
func (p *parser) hintText(i int) (Text, int) {
	switch p.at(i).kind {
	case textToken:
		t, next := p.textAt(i, "a text")
		return *t, next
	case numberToken:
		return Text{p.pos(i, i), p.text(i, i)}, i + 1
	}
	n, next := p.name(i, "a name or a text")
	parts := make([]string, len(n.Parts))
	for k := range n.Parts {
		parts[k] = n.Parts[k].Name
	}
	return Text{n.Pos, strings.Join(parts, ".")}, next
}

// insert reads INSERT {INTO | OVERWRITE} table [PARTITION (..)] [(columns)] query.
func (p *parser) insert(i int) (*Insert, int) {
	first := i
	s := &Insert{}
	switch i++; p.up(i) {
	case "INTO":
	case "OVERWRITE":
		s.Overwrite = true
	default:
		p.expectedHint(i, "INTO or OVERWRITE", "write INSERT INTO and the table")
	}
	if i++; p.up(i) == "TABLE" && p.isName(i+1) && p.up(i+1) != "SELECT" && p.up(i+1) != "VALUES" {
		fail(p.span(i, i), "delete TABLE", "INSERT INTO takes the name of the table alone")
	}
	if p.at(i).kind == textToken {
		p.expectedHint(i, "the name of a table", "CREATE TABLE t (...) WITH ('connector' = 'filesystem', 'path' = 'folder', 'format' = 'csv'), then INSERT INTO t")
	}
	s.Table, i = p.name(i, "the name of a table")
	s.Hints, i = p.hints(i)
	if p.is(i, "PARTITION", "(") {
		s.Partition, i = p.partition(i + 1)
	}
	e := emitter{parser: p}
	if p.up(i) == "(" && !e.startsQuery(i) {
		s.Columns, i = p.idents(i, "the name of a column")
	}
	if p.is(i, "DEFAULT", "VALUES") {
		fail(p.span(i, i+1), "write VALUES (..) with a value for each column", "DEFAULT VALUES is not part of the dialect")
	}
	s.Query, i = p.parseQuery(i)
	if p.is(i, "ON", "CONFLICT", "DO") {
		switch s.Conflict = p.up(i + 3); s.Conflict {
		case "NOTHING", "ERROR", "DEDUPLICATE":
		default:
			p.expected(i+3, "NOTHING, ERROR or DEDUPLICATE")
		}
		i += 4
	}
	s.Pos = p.pos(first, i-1)
	return s, i
}

// partition reads (column = value, ...).
func (p *parser) partition(i int) ([]Option, int) {
	i = p.need(i, "(")
	var out []Option
	for {
		first := i
		id := p.ident(i, "the name of a column")
		if p.up(i+1) != "=" {
			p.expectedHint(i+1, `"="`, "write PARTITION ("+p.text(i, i)+" = 'value')")
		}
		x, next := p.literal(i + 2)
		l, ok := x.(*Literal)
		if !ok {
			p.expected(i+2, "a constant")
		}
		out = append(out, Option{p.pos(first, next-1), Text{id.Pos, id.Name}, Text{l.Pos, l.Text}})
		if i = next; p.up(i) != "," {
			return out, p.need(i, ")")
		}
		i++
	}
}

// execute reads EXECUTE STATEMENT SET, EXECUTE INSERT and EXECUTE query.
func (p *parser) execute(i int) (Statement, int) {
	switch up := p.up(i + 1); up {
	case "STATEMENT":
		s, next := p.statementSet(i + 1)
		s.Pos = p.pos(i, next-1)
		return s, next
	case "INSERT":
		s, next := p.insert(i + 1)
		s.Pos = p.pos(i, next-1)
		return s, next
	case "SELECT", "WITH", "VALUES", "(":
		q, next := p.parseQuery(i + 1)
		return &QueryStatement{p.pos(i, next-1), q}, next
	case "PLAN":
		return p.other(i, "EXECUTE PLAN")
	}
	p.expected(i+1, "STATEMENT SET, INSERT or a query")
	return nil, i
}

// statementSet reads STATEMENT SET BEGIN insert; ... END.
func (p *parser) statementSet(i int) (*StatementSet, int) {
	first := i
	s := &StatementSet{}
	i = p.need(i, "STATEMENT", "SET", "BEGIN")
	for p.up(i) == "INSERT" {
		var ins *Insert
		ins, i = p.insert(i)
		s.Inserts = append(s.Inserts, ins)
		i = p.need(i, ";")
	}
	if p.up(i) != "END" || len(s.Inserts) == 0 {
		p.expectedHint(i, "INSERT", "a statement set holds only INSERT statements")
	}
	s.Pos = p.pos(first, i)
	return s, i + 1
}

// explain reads EXPLAIN [PLAN FOR | details] statement.
func (p *parser) explain(i int) (Statement, int) {
	first := i
	s := &Explain{}
	i++
	if p.is(i, "PLAN", "FOR") {
		i += 2
	} else {
		for isDetail(p.up(i)) {
			s.Details = append(s.Details, p.up(i))
			if i++; p.up(i) != "," {
				break
			}
			i++
		}
	}
	if n := len(s.Details); n > 0 && p.up(i-1) == "," {
		p.expectedHint(i, "a detail", "use ANALYZE, LOGICAL, RULES, CHANGELOG_MODE, ESTIMATED_COST, JSON_EXECUTION_PLAN or PLAN_ADVICE")
	}
	switch p.up(i) {
	case "STATEMENT":
		s.Statement, i = p.statementSet(i)
	case "SELECT", "WITH", "VALUES", "TABLE", "(", "INSERT", "EXECUTE":
		s.Statement, i = p.statement(i)
	default:
		p.expectedHint(i, "a query or INSERT", p.misspelledDetail(i))
	}
	s.Pos = p.pos(first, i-1)
	return s, i
}

func isDetail(up string) bool {
	switch up {
	case "ANALYZE", "LOGICAL", "RULES", "CHANGELOG_MODE", "ESTIMATED_COST", "JSON_EXECUTION_PLAN", "PLAN_ADVICE":
		return true
	}
	return false
}

func (p *parser) misspelledDetail(i int) string {
	details := []string{"ANALYZE", "LOGICAL", "RULES", "CHANGELOG_MODE", "ESTIMATED_COST", "JSON_EXECUTION_PLAN", "PLAN_ADVICE", "SELECT", "INSERT"}
	if s := diag.Suggest(p.up(i), details); p.up(i) != "" && s != "" {
		return "did you mean " + s + "?"
	}
	return "write EXPLAIN, EXPLAIN ANALYZE, EXPLAIN LOGICAL or EXPLAIN CHANGELOG_MODE in front of one"
}

// isQuery reports whether a query starts at i, and not a name that is its first word.
func (p *parser) isQuery(i int) bool {
	switch p.up(i) {
	case "SELECT", "VALUES", "WITH", "(":
		return p.at(i+1).kind != endToken && p.up(i+1) != ";" && p.up(i+1) != "."
	}
	return false
}

// describe reads {DESCRIBE | DESC} [TABLE] [EXTENDED] name.
func (p *parser) describe(i int) (Statement, int) {
	first := i
	i++
	for _, w := range []string{"CATALOG", "DATABASE", "JOB", "MODEL"} {
		if p.up(i) == w && p.up(i+1) != "." && (p.isName(i+1) || p.at(i+1).kind == textToken) {
			return p.other(first, "DESCRIBE "+w)
		}
	}
	s := &Describe{}
	what := "the name of a table"
	switch {
	case p.up(i) == "FUNCTION" && p.up(i+1) != "." && (p.isName(i+1) || isReserved(p.up(i+1))):
		s.Function, what = true, "the name of a function"
		i++
	case p.up(i) == "TABLE" && p.isName(i+1):
		i++
	}
	if p.up(i) == "EXTENDED" && p.isName(i+1) {
		s.Extended = true
		i++
	}
	if p.isQuery(i) || p.at(i).kind == textToken && !s.Function {
		p.expectedHint(i, what, "CREATE VIEW v AS SELECT * FROM 'orders.csv' gives a file or a query a name: DESCRIBE v")
	}
	if t := p.at(i); s.Function && isReserved(t.up) && p.up(i+1) != "." { // DESCRIBE FUNCTION CAST
		id := Ident{Pos: p.pos(i, i), Name: t.up}
		s.Name = Name{Pos: id.Pos, Parts: []Ident{id}}
		i++
	} else {
		s.Name, i = p.name(i, what)
	}
	s.Pos = p.pos(first, i-1)
	return s, i
}

// rawStatement reads SET and RESET without quotes, whose keys and values are no
// tokens; nil if the statement is another one or quotes its key.
func rawStatement(text string, span diag.Span) Statement {
	s := text[span.Start:span.End]
	i := 0
	for i < len(s) {
		end, class := element(s, i)
		if class != blank && class != comment {
			break
		}
		i = end
	}
	end := wordEnd(s, i)
	up := strings.ToUpper(s[i:end])
	if up != "SET" && up != "RESET" {
		return nil
	}
	for end < len(s) {
		next, class := element(s, end)
		if class != blank && class != comment {
			break
		}
		end = next
	}
	pos := Pos{span}
	rest := s[end:]
	at := func(from, to int) Pos {
		return Pos{diag.Span{Start: span.Start + end + from, End: span.Start + end + to}}
	}
	if rest == "" || rest[0] == '\'' {
		return nil
	}
	n := strings.IndexAny(rest, " \t\r\n='")
	if up == "RESET" {
		if n >= 0 {
			return nil
		}
		return &Reset{pos, &Text{at(0, len(rest)), rest}}
	}
	eq := strings.IndexByte(rest, '=')
	if n <= 0 || eq < 0 || strings.TrimSpace(rest[n:eq]) != "" {
		return nil
	}
	from := eq + 1 + len(rest[eq+1:]) - len(strings.TrimLeft(rest[eq+1:], " \t\r\n"))
	value := rest[from:]
	if value == "" || value[0] == '\'' && len(value) > 1 && value[len(value)-1] == '\'' {
		if value == "" {
			fail(at(eq, eq+1).S, "write SET 'key' = 'value'", "the value is missing behind =")
		}
		return &Set{pos, &Text{at(0, n), rest[:n]}, &Text{at(from, len(rest)), unquote(value)}}
	}
	if strings.ContainsAny(value, " \t\r\n'") {
		fail(at(from, len(rest)).S, "put the value in single quotes", "a value without quotes has no blanks and quotes")
	}
	return &Set{pos, &Text{at(0, n), rest[:n]}, &Text{at(from, len(rest)), value}}
}

func (p *parser) set(i int) (Statement, int) {
	if u := p.up(i + 1); u == ";" || p.at(i+1).kind == endToken {
		return &Set{Pos: p.pos(i, i)}, i + 1
	}
	if p.isName(i + 1) {
		p.expectedHint(i+1, "a key in single quotes", "write SET 'key' = 'value'")
	}
	key, j := p.textAt(i+1, "a key in single quotes")
	if p.up(j) != "=" {
		p.expectedHint(j, `"="`, "write SET 'key' = 'value'")
	}
	value, j := p.textAt(j+1, "a value in single quotes")
	return &Set{p.pos(i, j-1), key, value}, j
}

func (p *parser) reset(i int) (Statement, int) {
	if u := p.up(i + 1); u == ";" || p.at(i+1).kind == endToken {
		return &Reset{Pos: p.pos(i, i)}, i + 1
	}
	key, j := p.textAt(i+1, "a key in single quotes")
	return &Reset{p.pos(i, j-1), key}, j
}
