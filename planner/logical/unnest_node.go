package logical

import (
	"streamsql/expr"
	"streamsql/planner/physical"
)

// Unnest makes rows of the elements of a collection in each row: the output is the
// input's columns, then those of an element and, with Ordinality, its place.
type Unnest struct {
	Base
	Input Node
	Value expr.Expr // an ARRAY, MAP or MULTISET over the input
	// Outer: a row whose collection has no element for which On is TRUE comes once, with
	// NULLs.
	Outer      bool
	On         expr.Expr // over the output; nil: every element counts
	Ordinality bool
}

// Inputs returns the input.
func (n *Unnest) Inputs() []Node { return []Node{n.Input} }

// Describe names the collection.
func (n *Unnest) Describe() (string, []physical.Attr) {
	return "Unnest", physical.UnnestAttrs(n.Value, n.Outer, n.On, n.Ordinality)
}
