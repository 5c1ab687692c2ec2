package sql

import (
	"strconv"
	"strings"
)

func (p *printer) expr(x Expr) {
	switch x := x.(type) {
	case *ColumnRef:
		p.name(x.Name)
	case *Literal:
		p.literal(x)
	case *Interval:
		p.interval(x)
	case *IntervalOf:
		p.put("INTERVAL ")
		p.expr(x.Expr)
		p.put(" ", x.Unit)
	case *Binary, *Test:
		p.chain(x)
	case *Unary:
		p.unary(x)
	case *Between:
		p.between(x)
	case *In:
		p.expr(x.Expr)
		p.not(x.Not)
		p.put(" IN (")
		if x.Query != nil {
			p.query(x.Query)
		} else {
			p.exprs(x.List)
		}
		p.put(")")
	case *Like:
		p.like(x)
	case *Case:
		p.caseOf(x)
	case *Cast:
		if x.Try {
			p.put("TRY_")
		}
		p.put("CAST(")
		p.expr(x.Expr)
		p.put(" AS ")
		p.typeName(x.Type)
		p.put(")")
	case *Call:
		p.call(x)
	case *Word:
		p.put(x.Text)
	case *TypeArg:
		p.typeName(x.Type)
	case *Descriptor:
		p.put("DESCRIPTOR(")
		p.list(len(x.Columns), func(i int) { p.name(x.Columns[i]) })
		p.put(")")
	case *TableArg:
		p.tableArg(x)
	case *Subquery:
		p.nested(x.Query)
	case *Exists:
		p.put("EXISTS ")
		p.nested(x.Query)
	case *RowValue:
		p.put("ROW(")
		p.exprs(x.Items)
		p.put(")")
	case *ArrayValue:
		p.put("ARRAY[")
		p.exprs(x.Items)
		p.put("]")
	case *MapValue:
		p.put("MAP[")
		p.exprs(x.Items)
		p.put("]")
	case *Index:
		p.expr(x.Expr)
		p.put("[")
		p.expr(x.Index)
		p.put("]")
	case *Field:
		p.expr(x.Expr)
		if l, ok := x.Expr.(*Literal); ok && l.Kind == NumberLiteral {
			p.put(" ") // else the dot were the number's
		}
		p.put(".")
		p.ident(x.Name)
	case *Paren:
		p.put("(")
		p.expr(x.Expr)
		p.put(")")
		if x.Unit != "" {
			p.put(" ", x.Unit)
		}
	}
}

func (p *printer) between(x *Between) {
	p.expr(x.Expr)
	p.not(x.Not)
	p.put(" BETWEEN ")
	if x.Symmetric {
		p.put("SYMMETRIC ")
	} else if p.quoted {
		p.put("ASYMMETRIC ")
	}
	p.expr(x.Low)
	p.put(" AND ")
	p.expr(x.High)
}

func (p *printer) not(not bool) {
	if not {
		p.put(" NOT")
	}
}

func (p *printer) nested(q *Query) {
	p.put("(")
	p.query(q)
	p.put(")")
}

// chain writes operators that lean to the left in a loop, for long chains.
func (p *printer) chain(x Expr) {
	var stack []Expr
	for {
		if b, ok := x.(*Binary); ok {
			stack, x = append(stack, x), b.Left
		} else if t, ok := x.(*Test); ok {
			stack, x = append(stack, x), t.Expr
		} else {
			break
		}
	}
	p.expr(x)
	for k := len(stack) - 1; k >= 0; k-- {
		switch x := stack[k].(type) {
		case *Test:
			p.put(" IS")
			p.not(x.Not)
			p.put(" ", x.What)
			if p.quoted && x.What == "JSON" {
				p.put(" VALUE")
			}
		case *Binary:
			p.put(" ", x.Op, " ")
			if r, ok := x.Right.(*RowValue); ok && (strings.HasSuffix(x.Op, " ANY") || strings.HasSuffix(x.Op, " ALL")) {
				p.put("(")
				p.exprs(r.Items)
				p.put(")")
			} else {
				p.expr(x.Right)
			}
		}
	}
}

func (p *printer) unary(x *Unary) {
	if l, ok := x.Expr.(*Literal); p.quoted && x.Op != "NOT" && (!ok || l.Kind != NumberLiteral) {
		p.definedUnary(x)
		return
	}
	p.put(x.Op)
	if u, ok := x.Expr.(*Unary); ok || x.Op == "NOT" {
		if !ok || u.Op == x.Op || x.Op == "NOT" || u.Op == "NOT" {
			p.put(" ") // also: "--" were a comment
		}
	}
	p.expr(x.Expr)
}

func (p *printer) like(x *Like) {
	p.expr(x.Expr)
	p.not(x.Not)
	if x.Similar {
		p.put(" SIMILAR TO ")
	} else {
		p.put(" LIKE ")
	}
	p.expr(x.Pattern)
	if x.Escape != nil {
		p.put(" ESCAPE ")
		p.expr(x.Escape)
	}
}

func (p *printer) caseOf(x *Case) {
	if p.quoted {
		p.definedCase(x)
		return
	}
	p.put("CASE")
	if x.Operand != nil {
		p.put(" ")
		p.expr(x.Operand)
	}
	for _, w := range x.Whens {
		p.put(" WHEN ")
		p.exprs(w.Conds)
		p.put(" THEN ")
		p.expr(w.Then)
	}
	if x.Else != nil {
		p.put(" ELSE ")
		p.expr(x.Else)
	}
	p.put(" END")
}

func (p *printer) literal(x *Literal) {
	switch x.Kind {
	case HexLiteral:
		p.put("X")
	case DateLiteral:
		p.put("DATE ")
	case TimeLiteral:
		p.put("TIME ")
	case TimestampLiteral:
		p.put("TIMESTAMP ")
	case TimestampLTZLiteral:
		p.put("TIMESTAMP WITH LOCAL TIME ZONE ")
	case DecimalLiteral:
		p.put("DECIMAL ")
	case StringLiteral:
	default:
		p.put(x.Text)
		return
	}
	p.text(x.Text)
}

func (p *printer) interval(x *Interval) {
	p.put("INTERVAL ")
	if x.Negative {
		p.put("-")
	}
	p.text(x.Text)
	p.put(" ")
	p.units(x)
}

// units writes the units of an interval behind its value.
func (p *printer) units(x *Interval) {
	p.put(x.From)
	if x.LeadPrecision >= 0 {
		p.put("(", strconv.Itoa(x.LeadPrecision))
		if x.To == "" && x.FracPrecision >= 0 {
			p.put(", ", strconv.Itoa(x.FracPrecision))
		}
		p.put(")")
	}
	if x.To != "" {
		p.put(" TO ", x.To)
		if x.FracPrecision >= 0 {
			p.put("(", strconv.Itoa(x.FracPrecision), ")")
		}
	}
}

func (p *printer) call(x *Call) {
	if p.quoted && len(x.Name.Parts) == 1 {
		name := strings.ToUpper(x.Name.Parts[0].Name)
		if p.definedCall(name, x) {
			return
		}
		p.functionName(name)
	} else {
		p.name(x.Name)
	}
	if len(x.Name.Parts) == 1 && len(x.Args) == 0 && !x.Star && !x.Name.Parts[0].Quoted && isBareFunction(strings.ToUpper(x.Name.Parts[0].Name)) {
		return
	}
	p.put("(")
	switch {
	case x.Distinct:
		p.put("DISTINCT ")
	case x.All:
		p.put("ALL ")
	}
	if x.Star {
		p.put("*")
	}
	p.args(x)
	p.put(")")
	if x.NullsMode != "" {
		p.put(" ", x.NullsMode)
	}
	if x.OrderBy != nil {
		p.put(" WITHIN GROUP (")
		p.order(x.OrderBy)
		p.put(")")
	}
	if x.Filter != nil {
		p.put(" FILTER (WHERE ")
		p.expr(x.Filter)
		p.put(")")
	}
	if x.Over != nil {
		p.put(" OVER ")
		p.window(x.Over)
	}
}

// args writes arguments with the words that their function has between them.
func (p *printer) args(x *Call) {
	name := ""
	if len(x.Name.Parts) == 1 && !x.Name.Parts[0].Quoted {
		name = strings.ToUpper(x.Name.Parts[0].Name)
	}
	clauses := false // behind the arguments of a JSON function
	for i, a := range x.Args {
		_, isWord := a.(*Word)
		clauses = clauses || isWord && strings.HasPrefix(name, "JSON_")
		if i > 0 {
			p.put(separator(name, x.Args, i, clauses))
		} else if strings.HasPrefix(name, "JSON_OBJECT") && !isWord {
			p.put("KEY ")
		}
		if x.ArgNames != nil && x.ArgNames[i] != nil {
			p.ident(*x.ArgNames[i])
			p.put(" => ")
		}
		p.expr(a)
	}
}

// separator is what stands before argument i.
func separator(name string, args []Expr, i int, clauses bool) string {
	_, first := args[0].(*Word)
	_, last := args[len(args)-1].(*Word)
	switch {
	case clauses:
		return " "
	case name == "EXTRACT" && first:
		return " FROM "
	case (name == "FLOOR" || name == "CEIL" || name == "CEILING") && last:
		return " TO "
	case name == "TRIM" && first && i == 1 && len(args) > 2:
		return " "
	case name == "TRIM":
		return " FROM "
	case name == "POSITION" && i == 1:
		return " IN "
	case name == "POSITION":
		return " FROM "
	case strings.HasPrefix(name, "JSON_OBJECT") && i%2 == 1:
		return " VALUE "
	case strings.HasPrefix(name, "JSON_OBJECT"):
		return ", KEY "
	}
	return ", "
}

func (p *printer) tableArg(x *TableArg) {
	p.put("TABLE ")
	switch {
	case x.Query != nil:
		p.nested(x.Query)
	case x.File != nil:
		p.text(x.File.Value)
	default:
		p.name(*x.Name)
		p.hints(x.Hints)
	}
	if x.PartitionBy != nil {
		p.put(" PARTITION BY (")
		p.exprs(x.PartitionBy)
		p.put(")")
	}
	if x.OrderBy != nil {
		p.put(" ORDER BY (")
		p.list(len(x.OrderBy), func(i int) { p.orderItem(x.OrderBy[i]) })
		p.put(")")
	}
}

func (p *printer) order(items []OrderItem) {
	p.put("ORDER BY ")
	p.list(len(items), func(i int) { p.orderItem(items[i]) })
}

func (p *printer) orderItem(o OrderItem) {
	p.expr(o.Expr)
	if o.Desc {
		p.put(" DESC")
	}
	switch o.Nulls {
	case NullsFirst:
		p.put(" NULLS FIRST")
	case NullsLast:
		p.put(" NULLS LAST")
	}
}

func (p *printer) window(w *WindowSpec) {
	if w.Ref != nil && w.PartitionBy == nil && w.OrderBy == nil && w.Frame == nil {
		p.ident(*w.Ref)
		return
	}
	p.windowSpec(w)
}

func (p *printer) windowSpec(w *WindowSpec) {
	p.put("(")
	sep := ""
	if w.Ref != nil {
		p.ident(*w.Ref)
		sep = " "
	}
	if w.PartitionBy != nil {
		p.put(sep, "PARTITION BY ")
		p.exprs(w.PartitionBy)
		sep = " "
	}
	if w.OrderBy != nil {
		p.put(sep)
		p.order(w.OrderBy)
		sep = " "
	}
	if f := w.Frame; f != nil {
		p.put(sep)
		if f.Rows {
			p.put("ROWS BETWEEN ")
		} else {
			p.put("RANGE BETWEEN ")
		}
		p.bound(f.From)
		p.put(" AND ")
		p.bound(f.To)
	}
	p.put(")")
}

func (p *printer) bound(b FrameBound) {
	switch b.Kind {
	case UnboundedPreceding:
		p.put("UNBOUNDED PRECEDING")
	case CurrentRow:
		p.put("CURRENT ROW")
	case UnboundedFollowing:
		p.put("UNBOUNDED FOLLOWING")
	case Preceding:
		p.expr(b.Expr)
		p.put(" PRECEDING")
	case Following:
		p.expr(b.Expr)
		p.put(" FOLLOWING")
	}
}
