package logical

import "streamsql/expr"

// Lateral is what Unnest and TableFunction have in common: they make rows of each row of
// the input. The output is the input's columns, then those of the rows made.
type Lateral struct {
	Base
	Input Node
	// Outer: a row of which no row is made for which On is TRUE comes once, with NULLs.
	Outer bool
	On    expr.Expr // over the output; nil: all rows count
}

// Inputs returns the input.
func (n *Lateral) Inputs() []Node { return []Node{n.Input} }

// LateralOf returns n as what makes rows of rows, or nil.
func LateralOf(n Node) *Lateral {
	switch n := n.(type) {
	case *Unnest:
		return &n.Lateral
	case *TableFunction:
		return &n.Lateral
	}
	return nil
}
