package sql

import (
	"strings"

	"streamsql/internal/diag"

	tidb "github.com/pingcap/tidb/pkg/parser"
)

// parser holds the tokens of one statement. All rules and the converter share it.
type parser struct {
	src    string
	toks   []token // the last one is the end token
	notes  []any   // by token: what a rule has to tell the converter; see notes.go
	engine *tidb.Parser
	used   map[string]int // rule -> uses; nil outside tests
	depth  int
}

// Parse reads a script: statements separated by semicolons. At the first error
// it returns the statements before it, too.
func Parse(text string) ([]Statement, error) {
	var out []Statement
	for _, piece := range Split(text) {
		s, err := parsePiece(text, piece.Span)
		if err != nil {
			return out, err
		}
		out = append(out, s)
	}
	return out, nil
}

// ParseOne reads exactly one statement; a semicolon may stand behind it.
func ParseOne(text string) (Statement, error) {
	pieces := Split(text)
	switch len(pieces) {
	case 0:
		return nil, diag.WithSource(diag.New(diag.Syntax, diag.Span{}, "the statement is empty").WithHint("type a statement"), text)
	case 1:
		return parsePiece(text, pieces[0].Span)
	}
	if _, err := parsePiece(text, pieces[0].Span); err != nil {
		return nil, err
	}
	return nil, diag.WithSource(diag.New(diag.Syntax, pieces[1].Span, "one statement is expected here, not several").
		WithHint("run the statements one by one"), text)
}

// ParseExpr reads one expression.
func ParseExpr(text string) (Expr, error) {
	var x Expr
	err := guard(text, func() {
		p := newParser(text, diag.Span{Start: 0, End: len(text)})
		var i int
		x, i = p.parseExpr(0)
		p.atEnd(i)
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

func parsePiece(text string, span diag.Span) (s Statement, err error) {
	err = guard(text, func() {
		if s = rawStatement(text, span); s == nil {
			s = newParser(text, span).whole()
		}
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// guard runs f and returns the error it fails with, its position filled in.
func guard(text string, f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bailout)
			if !ok { // a fault of ours must not end the program of the user
				b.err = diag.New(diag.Internal, diag.Span{}, "the parser failed: %v", r).WithHint("report the statement as a bug")
			}
			err = diag.WithSource(b.err, text)
		}
	}()
	f()
	return nil
}

func newParser(text string, span diag.Span) *parser {
	toks := lex(text, span.Start, span.End)
	return &parser{src: text, toks: toks, notes: make([]any, len(toks))}
}

// at returns token i; behind the last one stands the end token.
func (p *parser) at(i int) *token {
	if i >= len(p.toks) || i < 0 {
		i = len(p.toks) - 1
	}
	return &p.toks[i]
}

// up returns the upper-case word or the symbol at i, "" for anything else.
func (p *parser) up(i int) string { return p.at(i).up }

// is reports whether the words or symbols stand at i, one after the other.
func (p *parser) is(i int, words ...string) bool {
	for k, w := range words {
		if p.up(i+k) != w {
			return false
		}
	}
	return true
}

// span returns the place of the tokens first to last.
func (p *parser) span(first, last int) diag.Span {
	return diag.Span{Start: p.at(first).pos, End: p.at(last).end}
}

func (p *parser) pos(first, last int) Pos { return Pos{p.span(first, last)} }

// text returns the source of the tokens first to last.
func (p *parser) text(first, last int) string {
	s := p.span(first, last)
	return p.src[s.Start:max(s.Start, s.End)]
}

// found names token i for a message.
func (p *parser) found(i int) string {
	t := p.at(i)
	switch t.kind {
	case endToken:
		return "the end of the statement"
	case hintToken:
		return "a hint"
	}
	s := p.src[t.pos:t.end]
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:37], "") + "..."
	}
	if t.kind == wordToken || t.kind == symbolToken {
		return `"` + s + `"`
	}
	return s
}

// expected fails at token i.
func (p *parser) expected(i int, what string) {
	p.expectedHint(i, what, "")
}

func (p *parser) expectedHint(i int, what, hint string) {
	if p.at(i).kind == hintToken {
		fail(p.span(i, i), "put it directly behind SELECT or behind a table name, before the alias", "a hint is not possible here")
	}
	fail(p.span(i, i), hint, "expected %s, found %s", what, p.found(i))
}

// need checks that the words stand at i and returns the index behind them.
func (p *parser) need(i int, words ...string) int {
	for k, w := range words {
		if p.up(i+k) != w {
			what := w
			if p.isSymbol(w) {
				what = `"` + w + `"`
			}
			p.expected(i+k, what)
		}
	}
	return i + len(words)
}

func (p *parser) isSymbol(w string) bool { return w != "" && !isWordByte(w[0]) }

// atEnd checks that the statement ends at i.
func (p *parser) atEnd(i int) {
	if p.at(i).kind != endToken {
		p.unexpected(i)
	}
}

// unexpected fails at token i, where a complete construct ended before it.
func (p *parser) unexpected(i int) {
	hint := p.unexpectedHint(i)
	if p.at(i).kind == hintToken {
		p.expected(i, "")
	}
	if p.at(i).kind == endToken {
		fail(p.span(i, i), hint, "the statement ends too early")
	}
	fail(p.span(i, i), hint, "unexpected %s", p.found(i))
}

// unexpectedHint guesses what token i was meant to be.
func (p *parser) unexpectedHint(i int) string {
	switch up := p.up(i); {
	case up == "MINUS":
		return "write EXCEPT"
	case up == ";":
		return "run the statements one by one"
	case up == "UNION" || up == "INTERSECT" || up == "EXCEPT":
		return "put parentheses around the query before " + up
	case up == "ON" || up == "USING":
		return "write JOIN before the table, or delete the condition"
	case up == "END" || up == "THEN":
		return "write CASE WHEN condition THEN value END"
	case up == "TIME" && p.up(i-1) == "AT" && p.up(i+1) == "ZONE":
		return "write CAST(time AS TIMESTAMP_LTZ(3)), which reads it in the zone of 'table.local-time-zone', or CONVERT_TZ(text, from, to)"
	case up == "WITH" && p.up(i+1) == "ROLLUP":
		return "write GROUP BY ROLLUP (...)"
	case p.up(i-1) == "TOP" && p.at(i).kind == numberToken:
		return "write LIMIT " + p.text(i, i) + " at the end"
	}
	if hint := p.misspelled(i); hint != "" {
		return hint
	}
	if w := p.at(i); w.kind == wordToken && isNoAlias(w.up) {
		switch p.up(i + 1) {
		case "FROM", ",":
			return "write AS `" + p.text(i, i) + "` if it is a name"
		}
	}
	switch p.at(i).kind {
	case wordToken, quotedToken, numberToken, textToken:
		if p.up(i) == "" || !isNoAlias(p.up(i)) {
			return "a comma or an operator may be missing before it"
		}
	}
	return ""
}

// misspelled looks whether the word before token i, read as an alias, or the
// token itself is a misspelled clause.
func (p *parser) misspelled(i int) string {
	clauses := []string{"FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "JOIN", "OFFSET", "QUALIFY", "VALUES", "EXCEPT", "INTERSECT"}
	for _, k := range [2]int{i, i - 1} {
		if k < 0 || p.at(k).kind != wordToken {
			continue
		}
		if s := diag.Suggest(p.up(k), clauses); s != "" && s != p.up(k) {
			return "did you mean " + s + "?"
		}
	}
	return ""
}

// ident reads one name; any word will do where nothing else is possible.
func (p *parser) ident(i int, what string) Ident {
	t := p.at(i)
	switch t.kind {
	case wordToken:
		p.checkLength(i, t.end-t.pos)
		return Ident{p.pos(i, i), p.src[t.pos:t.end], false}
	case quotedToken:
		name := strings.ReplaceAll(p.src[t.pos+1:t.end-1], "``", "`")
		p.checkLength(i, len(name))
		return Ident{p.pos(i, i), name, true}
	case textToken:
		p.expectedHint(i, what, "put names in backticks, not in quotes")
	}
	p.expected(i, what)
	return Ident{}
}

func (p *parser) checkLength(i, n int) {
	if n > 256 {
		fail(p.span(i, i), "shorten it", "the name is longer than 256 characters")
	}
}

func (p *parser) isName(i int) bool {
	k := p.at(i).kind
	return k == wordToken || k == quotedToken
}

// name reads a dotted name and returns the index behind it.
func (p *parser) name(i int, what string) (Name, int) {
	first := i
	n := Name{Parts: make([]Ident, 0, 1)}
	for {
		n.Parts = append(n.Parts, p.ident(i, what))
		if p.up(i+1) != "." {
			break
		}
		i += 2
		what = "a name behind the dot"
	}
	n.Pos = p.pos(first, i)
	return n, i + 1
}

// idents reads (a, b, ...) at i and returns the index behind it.
func (p *parser) idents(i int, what string) ([]Ident, int) {
	i = p.need(i, "(")
	var out []Ident
	for {
		out = append(out, p.ident(i, what))
		i++
		if p.up(i) != "," {
			break
		}
		i++
	}
	return out, p.need(i, ")")
}

// enter counts a level of recursion that no bracket bounds.
func (p *parser) enter(i int) {
	if p.depth++; p.depth > 2*maxNesting {
		fail(p.span(i, i), "split the statement, for example with views", "the statement is nested too deeply")
	}
}

func (p *parser) leave() { p.depth-- }
