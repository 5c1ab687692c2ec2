package optest

import (
	"fmt"
	"strconv"
	"strings"

	"streamsql/planner/physical"
	"streamsql/stream"
)

var joinKinds = map[string]physical.JoinKind{
	"inner": physical.Inner, "left": physical.LeftOuter, "right": physical.RightOuter, "full": physical.FullOuter,
	"semi": physical.LeftSemi, "anti": physical.LeftAnti,
}

// near makes a join by an interval of time.
func near(p *physical.Join, times [2]int, bounds [3]int64) *physical.IntervalJoin {
	return &physical.IntervalJoin{
		Base: p.Base, Left: p.Left, Right: p.Right, Kind: p.Kind, LeftKeys: p.LeftKeys, RightKeys: p.RightKeys, NullSafe: p.NullSafe, Cond: p.Cond,
		LeftTime: times[0], RightTime: times[1], Lower: bounds[0], Upper: bounds[1], MinCleanup: bounds[2],
	}
}

// join takes "KIND, keys LEFT RIGHT [nullsafe], ..., on EXPR" for a join of windows, and
// for one of all rows also "retract", "leftkey K...", "rightkey K..." and "ttl
// MILLISECONDS", for one by an interval "times L R LOWER UPPER MINCLEANUP". The columns of the right side are called r_NAME in EXPR.
func (b *planBuilder) join(name, node string, inputs []physical.Node, p []string) (physical.Node, error) {
	if len(inputs) != 2 {
		return nil, fmt.Errorf("a join has 2 inputs, not %d", len(inputs))
	}
	l, r := inputs[0].Info().Schema, inputs[1].Info().Schema
	kind, ok := joinKinds[p[0]]
	if !ok {
		return nil, fmt.Errorf("no join %q", p[0])
	}
	both := stream.Schema{Fields: append([]stream.Field(nil), l.Fields...)}
	for _, f := range r.Fields {
		f.Name = "r_" + f.Name
		both.Fields = append(both.Fields, f)
	}
	n := &physical.Join{Left: inputs[0], Right: inputs[1], Kind: kind}
	mode := physical.Append
	var times [2]int
	var bounds [3]int64
	for _, part := range p[1:] {
		words := strings.Fields(part)
		var err error
		switch words[0] {
		case "keys":
			n.LeftKeys, n.RightKeys = append(n.LeftKeys, column(l, words[1])), append(n.RightKeys, column(r, words[2]))
			n.NullSafe = append(n.NullSafe, len(words) > 3)
		case "on":
			n.Cond, err = (exprParser{schema: both, registry: b.registry}).parse(strings.TrimPrefix(part, "on "))
		case "retract":
			mode = physical.Retract
		case "leftkey":
			n.LeftUnique = append([]int{}, columnList(l, words[1:])...)
		case "rightkey":
			n.RightUnique = append([]int{}, columnList(r, words[1:])...)
		case "ttl":
			n.TTL, err = strconv.ParseInt(words[1], 10, 64)
		case "times":
			times = [2]int{column(l, words[1]), column(r, words[2])}
			for i, w := range words[3:] {
				if bounds[i], err = strconv.ParseInt(w, 10, 64); err != nil {
					return nil, err
				}
			}
		default:
			err = fmt.Errorf("no %q in a join", words[0])
		}
		if err != nil {
			return nil, err
		}
	}
	s := both
	if kind == physical.LeftSemi || kind == physical.LeftAnti {
		s = l
	}
	n.Base = base(name, s)
	switch node {
	case "near":
		return near(n, times, bounds), nil
	case "join":
		return &physical.WindowJoin{
			Base: n.Base, Left: n.Left, Right: n.Right, Kind: kind, LeftWindow: windowColumns(l), RightWindow: windowColumns(r),
			LeftKeys: n.LeftKeys, RightKeys: n.RightKeys, NullSafe: n.NullSafe, Cond: n.Cond,
		}, nil
	}
	if mode == physical.Retract {
		inputs[0].Info().Mode, inputs[1].Info().Mode, n.Mode = mode, mode, mode
	}
	if kind != physical.Inner && kind != physical.LeftSemi {
		n.Mode = physical.Retract
	}
	return n, nil
}
