package optest

import (
	"strings"

	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// made takes "COLUMN [outer], keep C..., on EXPR". The function counts: for n it gives the
// rows (1, '*'), (2, '**') to n, the text of 3 is NULL, and it fails behind 6.
func (b *planBuilder) made(name string, in physical.Node, p []string) (physical.Node, error) {
	schema := in.Info().Schema
	n := &physical.TableFunction{Input: in, Name: "STARS", New: func() expr.TableKernel { return stars }}
	var s stream.Schema
	for i, part := range p {
		words := strings.Fields(part)
		switch {
		case i == 0:
			n.Args, n.Call = []int{column(schema, words[0])}, words[:1]
			n.Outer = len(words) > 1
		case words[0] == "keep":
			n.Keep = columnList(schema, words[1:])
			for _, c := range n.Keep {
				s.Fields = append(s.Fields, schema.Fields[c])
			}
		}
	}
	s.Fields = append(s.Fields, stream.Field{Name: "i", Type: types.Of(types.BigInt)}, stream.Field{Name: "text", Type: types.Of(types.Varchar)})
	on, err := b.condition(p, s)
	if err != nil {
		return nil, err
	}
	n.On = on
	n.Base = derived(name, s, in)
	return n, nil
}

func stars(args []*stream.Vec, i int, out *expr.TableRows) error {
	if args[0].IsNull(i) {
		return nil
	}
	for k := range args[0].Value(i).I {
		if k == 6 {
			return &expr.RowError{Row: i, Msg: "too many stars"}
		}
		if !out.Room() {
			return nil
		}
		out.Cols[0].Put(out.N, out.Size, types.IntValue(k+1))
		out.Cols[1].AppendString(strings.Repeat("*", int(k+1)))
		if k == 2 {
			out.Cols[1].SetNull(out.N, out.Size)
		}
		out.Wrote()
	}
	return nil
}
