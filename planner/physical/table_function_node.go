package physical

import (
	"strings"

	"streamsql/expr"
)

// TableFunction sends for each row those that a function gives for it, with the ordinal
// and kind of the row. The output is the columns Keep of the input, then the columns of
// the function.
type TableFunction struct {
	Base
	Input Node
	Name  string
	New   func() expr.TableKernel
	Args  []int // columns of the input
	Keep  []int
	Outer bool      // a row without rows of the function comes once, with NULLs
	On    expr.Expr // with Outer: which rows count, over the output; nil: all
	Call  []string  // the arguments as EXPLAIN shows them
}

// Inputs returns the input.
func (n *TableFunction) Inputs() []Node { return []Node{n.Input} }

// Describe names the function.
func (n *TableFunction) Describe() (string, []Attr) {
	return "TableFunction", TableFunctionAttrs(n.Name, n.Call, n.Outer, n.On)
}

// TableFunctionAttrs describes a TableFunction for EXPLAIN.
func TableFunctionAttrs(name string, args []string, outer bool, on expr.Expr) []Attr {
	attrs := []Attr{{"call", name + "(" + strings.Join(args, ", ") + ")"}}
	if outer {
		attrs = append(attrs, Attr{"type", LeftOuter.String()})
	}
	if on != nil {
		attrs = append(attrs, Attr{"condition", ExprText(on)})
	}
	return attrs
}
