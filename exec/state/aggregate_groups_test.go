package state

import (
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/types"
)

// account does to the model what a row does.
func (m *aggregateModel) account(s *modelState, g int, r ruleRow, take bool) {
	if take {
		s.there[g] = m.without(s.there[g], r)
	} else {
		s.there[g] = append(s.there[g], r)
	}
	for k, c := range m.calls {
		if c.Filter != nil && (r.filter.Null || r.filter.I == 0) {
			continue
		}
		m.step(&s.groups[k][g], c, r, take)
	}
}

// without takes the first row out that is the same.
func (m *aggregateModel) without(rows []ruleRow, r ruleRow) []ruleRow {
	k := m.index(rows, r)
	return slices.Delete(slices.Clone(rows), k, k+1)
}

func (m *aggregateModel) index(rows []ruleRow, r ruleRow) int {
	key := m.key(r)
	return slices.IndexFunc(rows, func(x ruleRow) bool { return x.filter == r.filter && m.key(x) == key })
}

// step does to a group of a call what a row does that the FILTER lets through.
func (m *aggregateModel) step(g *ruleGroup, c expr.AggregateCall, r ruleRow, take bool) {
	if !c.Distinct || c.Res.IgnoresDuplicates {
		m.change(g, r, take)
		return
	}
	key := m.key(r)
	k := slices.IndexFunc(g.values, func(s ruleSeen) bool { return s.key == key })
	switch {
	case k < 0:
		g.values = append(g.values, ruleSeen{key: key, row: r, count: 1})
		m.change(g, r, false)
	case !take:
		g.values[k].count++
	case g.values[k].count > 1:
		g.values[k].count--
	default:
		m.change(g, g.values[k].row, true)
		g.values = slices.Delete(g.values, k, k+1)
	}
}

// key is what equal rows have in common.
func (m *aggregateModel) key(r ruleRow) string {
	var l []string
	for i, a := range m.args {
		l = append(l, show(a.typ, r.args[i]))
	}
	return strings.Join(l, "\x01")
}

// change adds a value to a group or takes it out.
func (m *aggregateModel) change(g *ruleGroup, r ruleRow, take bool) {
	if !m.rule.counts(r, m.args) {
		return
	}
	if m.rule.past != nil {
		m.rule.past(&g.past, m.args[0].typ, r.args[0], take)
	}
	if !take {
		g.rows = append(g.rows, r)
		return
	}
	key := m.key(r)
	k := slices.IndexFunc(g.rows, func(x ruleRow) bool { return m.key(x) == key })
	g.rows = slices.Delete(slices.Clone(g.rows), k, k+1)
}

// merge adds the groups of s to those of want.
func (m *aggregateModel) merge(want, s *modelState, n int) {
	for g := range n {
		want.there[g] = append(slices.Clone(want.there[g]), s.there[g]...)
		for k, c := range m.calls {
			from, to := &s.groups[k][g], &want.groups[k][g]
			if c.Distinct && !c.Res.IgnoresDuplicates {
				for _, x := range from.values {
					for range x.count {
						m.step(to, c, x.row, false)
					}
				}
				continue
			}
			to.rows = append(slices.Clone(to.rows), from.rows...)
			m.mergePast(&to.past, &from.past)
		}
	}
}

func (m *aggregateModel) mergePast(to, from *rulePast) {
	to.n, to.largest, to.broken = to.n+from.n, max(to.largest, from.largest), to.broken || from.broken
	if to.n == 0 {
		to.broken = false
	}
	if !from.has {
		return
	}
	t := m.args[0].typ
	if m.agg.Name == "MIN" || m.agg.Name == "MAX" {
		m.rule.past(to, t, from.best, false)
		return
	}
	if sum := (types.Value{F: from.sum}); m.rule.past != nil {
		m.rule.past(to, t, sum, false)
	}
}

// subtract takes the rows of s out of the groups again.
func (m *aggregateModel) subtract(want, s *modelState) {
	for g, rows := range s.there {
		for _, r := range rows {
			m.account(want, g, r, true)
		}
	}
}

// holds reports whether all rows of o are still in s.
func (m *aggregateModel) holds(s, o *modelState) bool {
	for g, rows := range o.there {
		left := s.there[g]
		for _, r := range rows {
			if m.index(left, r) < 0 {
				return false
			}
			left = m.without(left, r)
		}
	}
	return true
}
