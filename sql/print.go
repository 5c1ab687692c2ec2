package sql

import (
	"strings"

	"streamsql/types"
)

// Print returns the text of a node in the dialect. Parsing it gives the same
// tree: brackets are nodes of their own, so none has to be added.
func Print(n Node) string {
	p := &printer{}
	switch n := n.(type) {
	case nil:
	case Statement:
		p.statement(n)
	case Expr:
		p.expr(n)
	case *Query:
		p.query(n)
	case Body:
		p.body(n)
	case TableExpr:
		p.table(n)
	case Name:
		p.name(n)
	case *Name:
		p.name(*n)
	case Ident:
		p.ident(n)
	case *Ident:
		p.ident(*n)
	case TypeName:
		p.typeName(n)
	case *TypeName:
		p.typeName(*n)
	case OrderItem:
		p.orderItem(n)
	case SelectItem:
		p.item(n)
	case GroupItem:
		p.groupItem(n)
	case *WindowSpec:
		p.window(n)
	case Hint:
		p.hint(n)
	case ColumnDef:
		p.column(n)
	case *WatermarkDef:
		p.watermark(n)
	case *PrimaryKeyDef:
		p.primaryKey(n)
	case *Text:
		p.text(n.Value)
	}
	return p.b.String()
}

// PrintQuoted prints an expression with its column names in backticks and its
// function names in upper case, as Flink shows definitions.
func PrintQuoted(x Expr) string {
	p := &printer{quoted: true}
	p.expr(x)
	return p.b.String()
}

type printer struct {
	b      strings.Builder
	quoted bool // see PrintQuoted
}

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

// text writes a text in quotes.
func (p *printer) text(s string) { p.put("'", strings.ReplaceAll(s, "'", "''"), "'") }

func (p *printer) ident(id Ident) {
	if id.Quoted || p.quoted {
		p.put("`", strings.ReplaceAll(id.Name, "`", "``"), "`")
		return
	}
	p.put(id.Name)
}

func (p *printer) name(n Name) {
	for i, id := range n.Parts {
		if i > 0 {
			p.put(".")
		}
		p.ident(id)
	}
}

// list writes n elements separated by commas.
func (p *printer) list(n int, one func(i int)) {
	for i := range n {
		if i > 0 {
			p.put(", ")
		}
		one(i)
	}
}

func (p *printer) idents(ids []Ident) {
	p.put("(")
	p.list(len(ids), func(i int) { p.ident(ids[i]) })
	p.put(")")
}

func (p *printer) exprs(xs []Expr) { p.list(len(xs), func(i int) { p.expr(xs[i]) }) }

func (p *printer) typeName(t TypeName) {
	gap := ""
	if p.quoted {
		gap = " "
	}
	switch t.Type.Kind {
	case types.IntervalMonth, types.IntervalDay:
		p.put("INTERVAL ")
		p.units(t.Units)
	case types.Array:
		p.put("ARRAY<", gap)
		p.typeName(*t.Elem)
		p.put(gap, ">")
	case types.Multiset:
		p.put("MULTISET<", gap)
		p.typeName(*t.Elem)
		p.put(gap, ">")
	case types.Map:
		p.put("MAP<", gap)
		p.typeName(*t.Key)
		p.put(", ")
		p.typeName(*t.Elem)
		p.put(gap, ">")
	case types.Row:
		p.put("ROW<", gap)
		p.list(len(t.Fields), func(i int) {
			f := t.Fields[i]
			p.ident(f.Name)
			p.put(" ")
			p.typeName(f.Type)
			p.comment(" ", f.Comment)
		})
		p.put(gap, ">")
	default:
		name := t.Type.Name()
		if p.quoted {
			name = definedType(name)
		}
		p.put(name)
	}
	if t.Type.NotNull {
		p.put(" NOT NULL")
	}
}

// comment writes a text behind a prefix, if there is one.
func (p *printer) comment(prefix string, t *Text) {
	if t != nil {
		p.put(prefix)
		p.text(t.Value)
	}
}

func (p *printer) options(os []Option) {
	p.put("(")
	p.list(len(os), func(i int) {
		p.text(os[i].Key.Value)
		p.put(" = ")
		p.text(os[i].Value.Value)
	})
	p.put(")")
}

func (p *printer) hints(hs []Hint) {
	if len(hs) == 0 {
		return
	}
	p.put(" /*+ ")
	p.list(len(hs), func(i int) { p.hint(hs[i]) })
	p.put(" */")
}

func (p *printer) hint(h Hint) {
	p.ident(h.Name)
	if len(h.Args)+len(h.Options) == 0 {
		return
	}
	p.put("(")
	p.list(len(h.Args), func(i int) { p.text(h.Args[i].Value) })
	if len(h.Args) > 0 && len(h.Options) > 0 {
		p.put(", ")
	}
	p.list(len(h.Options), func(i int) {
		p.text(h.Options[i].Key.Value)
		p.put("=")
		p.text(h.Options[i].Value.Value)
	})
	p.put(")")
}
