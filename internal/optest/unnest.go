package optest

import (
	"strings"

	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// unnest takes "COLUMN [outer] [ordinality], keep C..., on EXPR". The columns of an
// element are e1, e2 and so on, its place is place.
func (b *planBuilder) unnest(name string, in physical.Node, p []string) (physical.Node, error) {
	schema := in.Info().Schema
	n := &physical.Unnest{Input: in}
	var s stream.Schema
	for i, part := range p {
		words := strings.Fields(part)
		switch {
		case i == 0:
			n.Column = column(schema, words[0])
			for _, w := range words[1:] {
				n.Outer, n.Ordinality = n.Outer || w == "outer", n.Ordinality || w == "ordinality"
			}
		case words[0] == "keep":
			n.Keep = columnList(schema, words[1:])
			for _, c := range n.Keep {
				s.Fields = append(s.Fields, schema.Fields[c])
			}
		}
	}
	t := schema.Fields[n.Column].Type
	made := []types.Type{t.Elem()}
	switch {
	case t.Kind == types.Map:
		made = []types.Type{t.Key(), t.Elem()}
	case t.Elem().Kind == types.Row:
		made = nil
		for _, f := range t.Elem().Fields() {
			made = append(made, f.Type)
		}
	}
	for i, m := range made {
		s.Fields = append(s.Fields, stream.Field{Name: "e" + string(rune('1'+i)), Type: m.Nullable()})
	}
	if n.Ordinality {
		s.Fields = append(s.Fields, stream.Field{Name: "place", Type: types.Of(types.Int)})
	}
	on, err := b.condition(p, s)
	if err != nil {
		return nil, err
	}
	n.On = on
	n.Base = derived(name, s, in)
	return n, nil
}

// condition parses the part "on EXPR" of p, over the columns of s; nil: there is none.
func (b *planBuilder) condition(p []string, s stream.Schema) (expr.Expr, error) {
	for _, part := range p {
		if on, ok := strings.CutPrefix(part, "on "); ok {
			return (exprParser{schema: s, registry: b.registry}).parse(on)
		}
	}
	return nil, nil
}
