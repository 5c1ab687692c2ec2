package optest

import (
	"fmt"
	"strconv"
	"strings"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// windowNode makes the operators over rows that carry their window in the columns
// window_start and window_end.
func (b *planBuilder) windowNode(name, kind string, inputs []physical.Node, p []string) (physical.Node, error) {
	in := inputs[0]
	schema := in.Info().Schema
	switch kind {
	case "rank":
		return b.rank(name, in, p)
	case "dedup":
		n := &physical.WindowDeduplicate{Base: base(name, schema), Input: in, Window: windowColumns(schema)}
		for _, part := range p {
			words := strings.Fields(part)
			switch words[0] {
			case "partition":
				n.Partition = columnList(schema, words[1:])
			case "first", "last":
				n.Order, n.Last = column(schema, words[1]), words[0] == "last"
			}
		}
		return n, nil
	case "join", "pairs", "near":
		return b.join(name, kind, inputs, p)
	case "keep", "topn", "timesort", "sort":
		return rankNode(name, kind, in, p)
	case "expand":
		return expand(name, in, p)
	case "made":
		return b.made(name, in, p)
	case "unnest":
		return b.unnest(name, in, p)
	case "changes":
		n := &physical.FromChangelog{Input: in, Op: column(schema, p[0])}
		s := stream.Schema{Fields: append(append([]stream.Field(nil), schema.Fields[:n.Op]...), schema.Fields[n.Op+1:]...)}
		n.Codes = []physical.ChangeCode{{Code: "c", Kind: stream.Insert}, {Code: "b", Kind: stream.UpdateBefore}, {Code: "a", Kind: stream.UpdateAfter}, {Code: "d", Kind: stream.Delete}}
		n.Base = base(name, s)
		n.Mode = physical.Retract
		return n, nil
	case "kinds":
		n := &physical.ToChangelog{Input: in, Codes: []physical.ChangeCode{{Code: "new", Kind: stream.Insert}, {Code: "new", Kind: stream.UpdateAfter}, {Code: "gone", Kind: stream.Delete}}}
		n.Base = base(name, stream.Schema{Fields: append([]stream.Field{{Name: "op", Type: types.Of(types.Varchar)}}, schema.Fields...)})
		return n, nil
	case "group":
		return b.group(name, in, p)
	}
	return nil, fmt.Errorf("no kind of node %q", kind)
}

func windowColumns(s stream.Schema) physical.WindowColumns {
	start := column(s, "window_start")
	return physical.WindowColumns{Start: start, End: column(s, "window_end"), Time: start}
}

func columnList(s stream.Schema, names []string) []int {
	var list []int
	for _, n := range names {
		list = append(list, column(s, n))
	}
	return list
}

// rank takes "partition K..., order K [desc] [nullsfirst|nullslast], ..., rows FROM TO
// [number]".
func (b *planBuilder) rank(name string, in physical.Node, p []string) (physical.Node, error) {
	schema := in.Info().Schema
	n := &physical.WindowRank{Input: in, Window: windowColumns(schema)}
	s := stream.Schema{Fields: append([]stream.Field(nil), schema.Fields...)}
	for _, part := range p {
		words := strings.Fields(part)
		switch words[0] {
		case "partition":
			n.Partition = columnList(schema, words[1:])
		case "order":
			n.Order = append(n.Order, sortKey(schema, words[1:]))
		case "rows":
			n.From, _ = strconv.ParseInt(words[1], 10, 64)
			n.To, _ = strconv.ParseInt(words[2], 10, 64)
			if n.Number = len(words) > 3; n.Number {
				s.Fields = append(s.Fields, stream.Field{Name: "rn", Type: types.Of(types.BigInt).Required()})
			}
		}
	}
	n.Base = base(name, s)
	return n, nil
}

// sortKey takes "K [desc] [nullsfirst|nullslast]".
func sortKey(s stream.Schema, words []string) physical.SortKey {
	k := physical.SortKey{Column: column(s, words[0])}
	for _, w := range words[1:] {
		switch w {
		case "desc":
			k.Desc, k.NullsLast = true, true
		case "nullsfirst":
			k.NullsLast = false
		case "nullslast":
			k.NullsLast = true
		}
	}
	return k
}

// expand takes "keys K..., set K..., set K...".
func expand(name string, in physical.Node, p []string) (physical.Node, error) {
	schema := in.Info().Schema
	n := &physical.Expand{Input: in}
	s := stream.Schema{Fields: append([]stream.Field(nil), schema.Fields...)}
	for _, part := range p {
		words := strings.Fields(part)
		switch words[0] {
		case "keys":
			n.Keys = columnList(schema, words[1:])
			for _, k := range n.Keys {
				f := schema.Fields[k]
				f.Name, f.Time = "key_"+f.Name, stream.NoTime
				s.Fields = append(s.Fields, f)
			}
		case "set":
			set := make([]bool, len(n.Keys))
			for i, k := range n.Keys {
				set[i] = true
				for _, w := range words[1:] {
					if column(schema, w) == k {
						set[i] = false
					}
				}
			}
			n.Sets = append(n.Sets, set)
		}
	}
	s.Fields = append(s.Fields, stream.Field{Name: "set", Type: types.Of(types.Int).Required()})
	n.Base = derived(name, s, in)
	return n, nil
}
