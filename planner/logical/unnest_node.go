package logical

import (
	"streamsql/expr"
	"streamsql/planner/physical"
)

// Unnest makes rows of the elements of a collection in each row: the output is the
// input's columns, then those of an element and, with Ordinality, its place.
type Unnest struct {
	Lateral
	Value      expr.Expr // an ARRAY, MAP or MULTISET over the input
	Ordinality bool
}

// Describe names the collection.
func (n *Unnest) Describe() (string, []physical.Attr) {
	return "Unnest", physical.UnnestAttrs(n.Value, n.Outer, n.On, n.Ordinality)
}
