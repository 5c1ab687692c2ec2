package sql

import (
	"fmt"
	"strconv"

	tidb "github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // TiDB's literals
)

// piece is a part of the text for TiDB: fixed text, or a placeholder made of a
// letter and the number of a token. The letters mean: i a name, f a call, q the
// marker that opens a SELECT; no letter: a constant.
type piece struct {
	prefix string // opened later, when a suffix was found
	text   string
	letter byte
	open   bool // a bracket follows
	token  int
}

// emitter writes one query or expression for TiDB. User text never reaches it:
// names, constants and types are placeholders.
type emitter struct {
	*parser
	out []piece
	sel *selectNote // the SELECT whose clauses are read
	// noUnit says that a unit behind the next bracket belongs to INTERVAL before it.
	noUnit bool
}

func (e *emitter) put(text string, token int) {
	e.out = append(e.out, piece{text: text, token: token})
}

func (e *emitter) placeholder(i int) { e.out = append(e.out, piece{letter: 'i', token: i}) }

func (e *emitter) constant(i int, x Expr, last int) {
	e.notes[i] = &leaf{x, last}
	e.out = append(e.out, piece{token: i})
}

// call opens the placeholder call of token i.
func (e *emitter) call(i int, note any) {
	e.notes[i] = note
	e.out = append(e.out, piece{letter: 'f', token: i, open: true})
}

// wrap puts the pieces from start on into a placeholder call; the caller closes it.
func (e *emitter) wrap(start, i int, note any) {
	e.notes[i] = note
	e.wrapText(start, "f"+strconv.Itoa(i)+"(")
}

func (e *emitter) wrapText(start int, prefix string) {
	e.out[start].prefix = prefix + e.out[start].prefix
}

// render returns the text for TiDB. With ends it also gives the end of each piece.
func (e *emitter) render(ends []int) string {
	b := make([]byte, 0, 8*len(e.out))
	for k := range e.out {
		p := &e.out[k]
		b = append(b, p.prefix...)
		if p.text != "" {
			b = append(b, p.text...)
		} else {
			if p.letter != 0 {
				b = append(b, p.letter)
			}
			b = strconv.AppendInt(b, int64(p.token), 10)
			if p.open {
				b = append(b, '(')
			}
		}
		b = append(b, ' ')
		if ends != nil {
			ends[k] = len(b)
		}
	}
	return string(b)
}

// tree gives the emitted text to TiDB.
func (e *emitter) tree() ast.StmtNode {
	if e.engine == nil {
		e.engine = tidb.New()
		e.engine.SetSQLMode(mysql.ModeANSIQuotes | mysql.ModePipesAsConcat | mysql.ModeNoBackslashEscapes)
		e.engine.EnableWindowFunc(true)
	}
	text := e.render(nil)
	stmts, _, err := e.engine.Parse(text, "", "")
	if err != nil {
		e.translate(err)
	}
	if len(stmts) != 1 {
		e.inconsistent(0)
	}
	return stmts[0] // taken out at once: the next Parse overwrites the slice
}

// translate turns TiDB's complaint into ours. Its column is the end of the piece
// it could not take, in the emitted text.
func (e *emitter) translate(err error) {
	ends := make([]int, len(e.out))
	e.render(ends)
	token := e.out[len(e.out)-1].token + 1
	var column int
	if n, _ := fmt.Sscanf(err.Error(), "line 1 column %d near", &column); n == 1 && column < ends[len(ends)-1] {
		for k, end := range ends {
			if end >= column {
				token = e.out[k].token
				break
			}
		}
	}
	fail(e.span(token, token), "put parentheses around what belongs together", "%s does not fit what stands before it", e.found(token))
}

// inconsistent reports a fault of the rules: TiDB's tree and the notes differ.
func (e *emitter) inconsistent(i int) {
	fail(e.span(i, i), "put parentheses around the parts of the expression", "cannot tell how the parts near %s belong together", e.found(i))
}

// parseQuery reads a query at i and returns the index behind it.
func (p *parser) parseQuery(i int) (*Query, int) {
	e := &emitter{parser: p, out: make([]piece, 0, len(p.toks)+len(p.toks)/4)}
	note, next := e.emitQuery(i)
	tree, ok := e.tree().(ast.ResultSetNode)
	if !ok {
		e.inconsistent(i)
	}
	c := converter{parser: p}
	return c.query(tree, note), next
}

// parseExpr reads an expression at i and returns the index behind it.
func (p *parser) parseExpr(i int) (Expr, int) {
	e := &emitter{parser: p}
	e.put("SELECT", i)
	next := e.expr(i, 0)
	s, ok := e.tree().(*ast.SelectStmt)
	if !ok || s.Fields == nil || len(s.Fields.Fields) != 1 || s.Fields.Fields[0].Expr == nil {
		e.inconsistent(i)
	}
	c := converter{parser: p}
	return c.expr(s.Fields.Fields[0].Expr).x, next
}
