package state

import (
	"cmp"
	"slices"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Merge adds group fromGroups[i] of from, state of the same calls, to group groups[i].
// There are n groups now. No group is named twice in groups.
func (a *Aggregates) Merge(groups []int32, from *Aggregates, fromGroups []int32, n int) error {
	for i := range a.calls {
		c, f := &a.calls[i], &from.calls[i]
		c.acc.Grow(n)
		var err error
		if c.distinct != nil {
			err = c.mergeValues(groups, f.distinct, fromGroups, 1, true)
		} else {
			err = c.acc.Merge(groups, f.acc, fromGroups)
		}
		if err != nil {
			return c.explain(err)
		}
	}
	return nil
}

// Subtract undoes Merge. All calls are CanSubtract.
func (a *Aggregates) Subtract(groups []int32, from *Aggregates, fromGroups []int32) error {
	for i := range a.calls {
		c, f := &a.calls[i], &from.calls[i]
		var err error
		switch s, ok := c.acc.(expr.Subtracter); {
		case c.distinct != nil:
			err = c.mergeValues(groups, f.distinct, fromGroups, -1, true)
		case ok:
			err = s.Subtract(groups, f.acc, fromGroups)
		default:
			err = diag.New(diag.Internal, c.Span(), "%s cannot be subtracted", c.Name)
		}
		if err != nil {
			return c.explain(err)
		}
	}
	return nil
}

// CanSubtract reports whether merged state of a call can be subtracted again without a
// trace.
func CanSubtract(c expr.AggregateCall) bool {
	_, ok := c.Res.New().(expr.Subtracter)
	return ok && c.Res.OrderInsensitive
}

// Grow makes room for group ids below n.
func (a *Aggregates) Grow(n int) {
	for i := range a.calls {
		a.calls[i].acc.Grow(n)
	}
}

// Spare reports whether more than half of the values kept for DISTINCT are in no group
// any more.
func (a *Aggregates) Spare() bool {
	for i := range a.calls {
		if d := a.calls[i].distinct; d != nil && d.absent > minSlots && 2*d.absent > d.table.Len() {
			return true
		}
	}
	return false
}

// Move puts group fromGroups[i] of from, state of the same calls, into group groups[i]
// as it is. There are n groups now; those that are named have had no rows.
func (a *Aggregates) Move(groups []int32, from *Aggregates, fromGroups []int32, n int) error {
	a.Grow(n)
	a.n = max(a.n, n)
	for i := range a.calls {
		c, f := &a.calls[i], &from.calls[i]
		if c.distinct != nil {
			if err := c.mergeValues(groups, f.distinct, fromGroups, 1, false); err != nil {
				return err
			}
		}
		if err := c.acc.Merge(groups, f.acc, fromGroups); err != nil {
			return c.explain(err)
		}
	}
	return nil
}

// mergeValues adds the values of groups of another set, times sign, to the call's set
// and, if account is set, accounts those that come to or leave a group.
func (c *call) mergeValues(groups []int32, from *Distinct, fromGroups []int32, sign int64, account bool) error {
	d := c.distinct
	from.link()
	for at := 0; at < len(groups); {
		d.from, d.into = d.from[:0], d.into[:0]
		for ; at < len(groups) && len(d.from) < chunk; at++ {
			from.values(d, fromGroups[at], groups[at])
		}
		n := len(d.from)
		if n == 0 {
			continue
		}
		if len(d.cols) == 0 {
			d.cols = make([]stream.Vec, len(c.args)+1)
		}
		from.entries(d.from, n, d.cols)
		for k := range c.vecs {
			c.vecs[k] = &d.cols[k+1]
		}
		d.steps = d.steps[:0]
		for _, v := range d.from {
			d.steps = append(d.steps, sign**from.counts.At(int(v)))
		}
		come, leave := d.addCounts(c.vecs, n)
		if !account {
			continue
		}
		if len(come) > 0 {
			if err := c.acc.Add(d.into, c.vecs, expr.Rows{N: n, Sel: come}); err != nil {
				return err
			}
		}
		if len(leave) > 0 {
			if err := c.acc.Retract(d.into, c.vecs, expr.Rows{N: n, Sel: leave}); err != nil {
				return err
			}
		}
	}
	return nil
}

// link brings the lists of each group's values up to date.
func (d *Distinct) link() {
	cols := make([]stream.Vec, len(d.table.layout.types))
	for len(d.next) < d.table.Len() {
		d.from = d.from[:0]
		for v := len(d.next); v < d.table.Len() && len(d.from) < chunk; v++ {
			d.from = append(d.from, int32(v))
		}
		d.table.Keys(d.from, len(d.from), cols)
		for k, g := range stream.Values[int32](&cols[0]) {
			for int(g) >= len(d.head) {
				d.head = append(d.head, -1)
			}
			d.next = append(d.next, d.head[g])
			d.head[g] = d.from[k]
		}
	}
}

// values appends the values of group g, in order of arrival, to the list of dst, for
// dst's group into.
func (d *Distinct) values(dst *Distinct, g, into int32) {
	if int(g) >= len(d.head) {
		return
	}
	first := len(dst.from)
	for v := d.head[g]; v >= 0; v = d.next[v] {
		if *d.counts.At(int(v)) != 0 {
			dst.from = append(dst.from, v)
			dst.into = append(dst.into, into)
		}
	}
	come := dst.from[first:]
	slices.Reverse(come)
	if d.ordered {
		slices.SortStableFunc(come, func(v, w int32) int { return cmp.Compare(*d.entered.At(int(v)), *d.entered.At(int(w))) })
	}
}

// addCounts adds steps to the counts of n values for groups into, and selects those
// that come to their group and those that leave it.
func (d *Distinct) addCounts(args []*stream.Vec, n int) (come, leave []int32) {
	ids := d.find(d.into, args, expr.Rows{N: n})
	d.come, d.leave = d.come[:0], d.leave[:0]
	for k, id := range ids {
		count := d.counts.At(int(id))
		was := *count
		now := was + d.steps[k]
		*count = now
		d.note(was, now)
		switch {
		case was <= 0 && now > 0:
			d.come = append(d.come, int32(k))
			if d.ordered {
				d.enter(id)
			}
		case was > 0 && now <= 0:
			d.leave = append(d.leave, int32(k))
		}
	}
	return d.come, d.leave
}

// note keeps the number of values that are in no group.
func (d *Distinct) note(was, now int64) {
	switch {
	case was == 0 && now != 0:
		d.absent--
	case was != 0 && now == 0:
		d.absent++
	}
}
