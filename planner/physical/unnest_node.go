package physical

import "streamsql/expr"

// Unnest makes rows of the elements of the collection in a column. The output is the
// columns Keep of the input, then the columns of an element: the fields of a ROW, key
// and value of a MAP, else the element, and with Ordinality its place from 1. Elements
// that are a NULL of a ROW type give no row.
type Unnest struct {
	Base
	Input      Node
	Column     int
	Keep       []int
	Outer      bool      // a row without elements comes once, with NULLs
	On         expr.Expr // with Outer: which elements count, over the output; nil: all
	Ordinality bool
}

// Inputs returns the input.
func (n *Unnest) Inputs() []Node { return []Node{n.Input} }

// Describe names the collection.
func (n *Unnest) Describe() (string, []Attr) {
	f := n.Input.Info().Schema.Fields[n.Column]
	return "Unnest", UnnestAttrs(&expr.Column{Info: expr.Info{T: f.Type}, Index: n.Column, Name: f.Name}, n.Outer, n.On, n.Ordinality)
}

// UnnestAttrs describes an Unnest for EXPLAIN.
func UnnestAttrs(value expr.Expr, outer bool, on expr.Expr, ordinality bool) []Attr {
	attrs := []Attr{{"collection", ExprText(value)}}
	if outer {
		attrs = append(attrs, Attr{"join", "left"})
	}
	if on != nil {
		attrs = append(attrs, Attr{"on", ExprText(on)})
	}
	if ordinality {
		attrs = append(attrs, Attr{"ordinality", "true"})
	}
	return attrs
}
