package sql

import (
	"os"
	"strings"
	"testing"
)

// TestGrouping compares how expressions group with what Flink's own parser says.
// Each line of testdata/grouping.txt is an expression, a tab and Flink's tree; a
// third field "refused" marks what we want parentheses for.
func TestGrouping(t *testing.T) {
	data, err := os.ReadFile("testdata/grouping.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) < 1000 {
		t.Fatalf("only %d expressions", len(lines))
	}
	for _, line := range lines {
		f := strings.Split(line, "\t")
		x, err := ParseExpr(f[0])
		refused := len(f) > 2
		switch {
		case err != nil && !refused:
			t.Errorf("%s: %v", f[0], err)
		case err == nil && refused:
			t.Errorf("%s: accepted as %s, Flink's tree is %s", f[0], tree(x), f[1])
		case err == nil && tree(x) != f[1]:
			t.Errorf("%s:\n got %s\nwant %s", f[0], tree(x), f[1])
		}
	}
}

// tree prints an expression as a prefix form with Flink's names of operators.
func tree(x Expr) string {
	node := func(op string, xs ...Expr) string {
		s := "(" + strings.ReplaceAll(op, " ", "_")
		for _, x := range xs {
			if x != nil {
				s += " " + tree(x)
			}
		}
		return s + ")"
	}
	list := func(xs []Expr) string {
		s := make([]string, len(xs))
		for i, x := range xs {
			s[i] = tree(x)
		}
		return "[" + strings.Join(s, " ") + "]"
	}
	not := func(not bool) string {
		if not {
			return "NOT "
		}
		return ""
	}
	switch x := x.(type) {
	case *ColumnRef:
		return Print(x.Name)
	case *Literal:
		return x.Text
	case *Paren:
		return tree(x.Expr)
	case *Unary:
		return node(x.Op, x.Expr)
	case *Binary:
		return node(strings.Replace(x.Op, " ANY", " SOME", 1), x.Left, x.Right)
	case *Test:
		return node("IS "+not(x.Not)+x.What, x.Expr)
	case *Between:
		return node(not(x.Not)+"BETWEEN ASYMMETRIC", x.Expr, x.Low, x.High)
	case *In:
		return "(" + strings.ReplaceAll(not(x.Not)+"IN", " ", "_") + " " + tree(x.Expr) + " " + list(x.List) + ")"
	case *RowValue:
		return list(x.Items)
	case *Like:
		op := "LIKE"
		if x.Similar {
			op = "SIMILAR TO"
		}
		return node(not(x.Not)+op, x.Expr, x.Pattern, x.Escape)
	case *Index:
		return node("ITEM", x.Expr, x.Index)
	case *Field:
		return "(DOT " + tree(x.Expr) + " " + x.Name.Name + ")"
	case *Call:
		return node(Print(x.Name), x.Args...)
	case *Cast:
		return "(CAST " + tree(x.Expr) + " INTEGER)"
	case *Case:
		var whens, thens []Expr
		for _, w := range x.Whens {
			for _, c := range w.Conds {
				if x.Operand != nil {
					c = &Binary{Op: "=", Left: x.Operand, Right: c}
				}
				whens = append(whens, c)
			}
			thens = append(thens, w.Then)
		}
		other := "NULL"
		if x.Else != nil {
			other = tree(x.Else)
		}
		return "(CASE _ " + list(whens) + " " + list(thens) + " " + other + ")"
	}
	return "?"
}
