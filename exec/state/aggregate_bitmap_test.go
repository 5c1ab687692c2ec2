package state

import (
	"fmt"
	"slices"
	"strings"

	"streamsql/types"
	"streamsql/types/bitmap"
)

// bitmapRules are the rules of the aggregates that give sets of numbers: by name without
// what they have in common.
func bitmapRules() map[string]aggregateRule {
	m := map[string]aggregateRule{}
	for name, in := range map[string]func(times, rows int) bool{
		"BUILD": func(times, _ int) bool { return times > 0 },
		"OR":    func(times, _ int) bool { return times > 0 },
		"AND":   func(times, rows int) bool { return times == rows },
		"XOR":   func(times, _ int) bool { return times%2 == 1 },
	} {
		takes := func(t types.Type) bool {
			if name == "BUILD" {
				return t.Kind == types.TinyInt || t.Kind == types.SmallInt || t.Kind == types.Int
			}
			return t.Kind == types.Bitmap
		}
		set := func(g *ruleGroup) (l []string) {
			times := map[uint32]int{}
			for _, r := range g.rows {
				for _, x := range numbersOf(r.args[0]) {
					times[x]++
				}
			}
			var numbers []uint32
			for x, n := range times {
				if in(n, len(g.rows)) {
					numbers = append(numbers, x)
				}
			}
			slices.Sort(numbers)
			for _, x := range numbers {
				l = append(l, fmt.Sprint(x))
			}
			return l
		}
		m["BITMAP_"+name+"_AGG"] = aggregateRule{takes: takes, result: func(g *ruleGroup, _ []ruleArg, _ types.Type) string {
			if len(g.rows) == 0 {
				return "NULL"
			}
			return "{" + strings.Join(set(g), ",") + "}"
		}}
		m["BITMAP_"+name+"_CARDINALITY_AGG"] = aggregateRule{takes: takes, result: func(g *ruleGroup, _ []ruleArg, _ types.Type) string {
			if len(g.rows) == 0 {
				return "NULL"
			}
			return fmt.Sprint(len(set(g)))
		}}
	}
	return m
}

// numbersOf returns the numbers of a bitmap, or the number itself.
func numbersOf(x types.Value) (l []uint32) {
	if x.S == "" {
		return []uint32{uint32(x.I)}
	}
	bitmap.Each([]byte(x.S), func(n uint32) bool {
		l = append(l, n)
		return true
	})
	return l
}

func bitmapOf(numbers ...uint32) types.Value {
	var m bitmap.Memory
	var s bitmap.Set
	s.Use(&m)
	for _, x := range numbers {
		s.Add(x)
	}
	return types.TextValue(string(s.AppendTo(nil)))
}
