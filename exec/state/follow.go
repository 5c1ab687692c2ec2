package state

import (
	"errors"
	"slices"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// Follower is the scratch of Aggregates.Follow: it can serve several of them, one at a
// time.
type Follower struct {
	base, steps []int8 // by physical row: what it does
	sel         []int32
	seen        []int32 // by group: rows met so far; all 0 between calls
	level       []int32 // by position: rows of the same group before it
	order       []int32 // positions by level
	starts      []int32 // by level: where it starts in order
	levels      bool    // level and order are those of the rows at hand
	pass        passRows
}

// passRows is what one pass over rows of different groups needs.
type passRows struct {
	at, to      []int32 // positions and groups
	adds, takes []int32
	part        stream.Vec
	text        []byte // of Bytes results, which come in another order than they are wanted
	places      []textPlace
}

type textPlace struct{ from, to int32 }

// Follow accounts rows of b to their groups one after the other, additions and
// retractions by their kinds. out gets for each call the results of a row's group: that
// before the row at position k of rows at 2k, that after it at 2k+1. A row after which
// a result differs, as Flink compares, is noted in changed, by position; who wants to
// know needs to set all to false before. There are n groups now.
//
// A result that cannot be given ends it: whole is the number of rows in front, for
// which all is in place.
func (a *Aggregates) Follow(b *stream.Batch, groups []int32, rows expr.Rows, n int, f *Follower, out []stream.Vec, changed []bool) (whole int, err error) {
	if n > a.n {
		a.Grow(n)
		a.n = n
	}
	f.levels = false
	base := f.directions(b, rows)
	for i := range a.calls {
		c := &a.calls[i]
		for k, col := range c.args {
			c.vecs[k] = &b.Cols[col]
		}
		steps := f.stepsOf(c, b, groups, rows, base)
		at, fault := c.follow(f, groups, rows, steps, n, &out[i])
		if fault != nil {
			rows = f.first(rows, at)
			err = c.explain(fault)
			f.levels = false
		}
		c.compare(&out[i], rows, steps, changed)
	}
	return rows.Len(), err
}

// directions returns 1 for rows that add and -1 for rows that take back, nil if all
// add.
func (f *Follower) directions(b *stream.Batch, rows expr.Rows) []int8 {
	if b.Kinds == nil {
		return nil
	}
	f.base = sized(f.base, b.N)
	each(rows, func(i int32) {
		f.base[i] = 1
		if b.Kinds[i].Retracts() {
			f.base[i] = -1
		}
	})
	return f.base
}

// stepsOf returns what rows do to a call: FILTER and DISTINCT make that nothing for
// some.
func (f *Follower) stepsOf(c *call, b *stream.Batch, groups []int32, rows expr.Rows, base []int8) []int8 {
	if c.filter < 0 && c.distinct == nil {
		return base
	}
	f.steps = sized(f.steps, b.N)
	each(rows, func(i int32) { f.steps[i] = 0 })
	if c.filter >= 0 {
		f.sel = filterRows(f.sel[:0], &b.Cols[c.filter], rows)
		if f.sel == nil {
			f.sel = []int32{}
		}
		rows.Sel = f.sel
	}
	each(rows, func(i int32) {
		f.steps[i] = 1
		if base != nil {
			f.steps[i] = base[i]
		}
	})
	if c.distinct != nil {
		c.distinct.Steps(groups, c.vecs, rows, f.steps)
	}
	return f.steps
}

// first returns the first n rows.
func (f *Follower) first(rows expr.Rows, n int) expr.Rows {
	if rows.Sel != nil {
		rows.Sel = rows.Sel[:n]
		return rows
	}
	rows.Sel = make([]int32, n)
	for i := range rows.Sel {
		rows.Sel[i] = int32(i)
	}
	return rows
}

// follow accounts the rows of one call. at is the position of the row at fault.
func (c *call) follow(f *Follower, groups []int32, rows expr.Rows, steps []int8, n int, out *stream.Vec) (at int, err error) {
	out.Reset(c.Res.Result, 2*rows.Len())
	if a, ok := c.acc.(expr.Follower); ok {
		if err = a.Follow(groups, c.vecs, rows, steps, out); err != nil {
			at = positionOf(err)
		}
		return at, err
	}
	return c.passes(f, groups, rows, steps, n, out)
}

// positionOf returns the row that an error of an accumulator names.
func positionOf(err error) int {
	var re *expr.RowError
	if errors.As(err, &re) {
		return re.Row
	}
	return 0
}

// passes accounts rows in passes in which no group comes twice: the first row of each
// group, the second of each, and so on. Rows of different groups do not meet, so their
// order among each other is free.
func (c *call) passes(f *Follower, groups []int32, rows expr.Rows, steps []int8, n int, out *stream.Vec) (at int, err error) {
	f.sort(groups, rows, n)
	total := rows.Len()
	at = total
	p := &f.pass
	p.text, p.places = p.text[:0], sized(p.places, 2*total)
	for l := range len(f.starts) - 1 {
		p.choose(f.order[f.starts[l]:f.starts[l+1]], groups, rows, steps, at)
		if len(p.at) == 0 {
			continue
		}
		// A row further in front may be at fault in a later pass.
		if k, e := c.pass(p, groups, rows, total, out); e != nil {
			at, err = k, e
		}
	}
	if out.Type.Layout() == types.Bytes {
		for _, x := range p.places[:2*at] {
			out.AppendBytes(p.text[x.from:x.to])
		}
	}
	return at, err
}

// sort lists the positions of rows by how many rows of their group stand in front.
func (f *Follower) sort(groups []int32, rows expr.Rows, n int) {
	if f.levels {
		return
	}
	f.levels = true
	if len(f.seen) < n {
		f.seen = append(f.seen, make([]int32, n-len(f.seen))...)
	}
	f.level, f.starts = f.level[:0], append(f.starts[:0], 0)
	each(rows, func(i int32) {
		l := f.seen[groups[i]]
		f.seen[groups[i]]++
		f.level = append(f.level, l)
		if int(l)+2 > len(f.starts) {
			f.starts = append(f.starts, 0)
		}
		f.starts[l+1]++
	})
	each(rows, func(i int32) { f.seen[groups[i]] = 0 })
	for l := 1; l < len(f.starts); l++ {
		f.starts[l] += f.starts[l-1]
	}
	f.order = sized(f.order, len(f.level))
	next := append(f.sel[:0], f.starts...)
	for k, l := range f.level {
		f.order[next[l]] = int32(k)
		next[l]++
	}
	f.sel = next[:0]
}

// choose takes the positions below limit of one pass.
func (p *passRows) choose(positions, groups []int32, rows expr.Rows, steps []int8, limit int) {
	p.at, p.to, p.adds, p.takes = p.at[:0], p.to[:0], p.adds[:0], p.takes[:0]
	for _, k := range positions {
		if int(k) >= limit {
			break
		}
		i := rowAt(rows, k)
		p.at, p.to = append(p.at, k), append(p.to, groups[i])
		switch {
		case steps == nil || steps[i] > 0:
			p.adds = append(p.adds, i)
		case steps[i] < 0:
			p.takes = append(p.takes, i)
		}
	}
}

func rowAt(rows expr.Rows, k int32) int32 {
	if rows.Sel != nil {
		return rows.Sel[k]
	}
	return k
}

// pass accounts the rows of one pass. On a fault k is the position of its row.
func (c *call) pass(p *passRows, groups []int32, rows expr.Rows, total int, out *stream.Vec) (k int, err error) {
	j, err := c.results(p, 0, total, out)
	k = p.cut(j, rows, k)
	for _, s := range [...]struct {
		sel *[]int32
		do  func([]int32, []*stream.Vec, expr.Rows) error
	}{{&p.adds, c.acc.Add}, {&p.takes, c.acc.Retract}} {
		if len(*s.sel) == 0 {
			continue
		}
		if e := s.do(groups, c.vecs, expr.Rows{N: rows.N, Sel: *s.sel}); e != nil {
			row := int32(positionOf(e))
			j, err = 0, e
			for j < len(p.at) && rowAt(rows, p.at[j]) < row {
				j++
			}
			k = p.cut(j, rows, k)
		}
	}
	if j, e := c.results(p, 1, total, out); e != nil {
		return p.cut(j, rows, k), e
	}
	return k, err
}

// cut leaves the first j rows of the pass, and returns the position of the next one, or
// k if there is none.
func (p *passRows) cut(j int, rows expr.Rows, k int) int {
	if j >= len(p.at) {
		return k
	}
	k = int(p.at[j])
	row := rowAt(rows, p.at[j])
	p.at, p.to = p.at[:j], p.to[:j]
	for _, sel := range []*[]int32{&p.adds, &p.takes} {
		n, _ := slices.BinarySearch(*sel, row)
		*sel = (*sel)[:n]
	}
	return k
}

// results writes the results of a pass: side is 0 before and 1 after its rows. It
// returns how many it gave.
func (c *call) results(p *passRows, side int32, total int, out *stream.Vec) (n int, err error) {
	v := &p.part
	v.Reset(c.Res.Result, len(p.to))
	if n, err = len(p.to), c.acc.Result(p.to, len(p.to), v); err != nil {
		n = positionOf(err)
	}
	l := out.Type.Layout()
	for j := range n {
		to := int(2*p.at[j] + side)
		null := v.IsNull(j)
		switch {
		case l == types.Bytes:
			from := int32(len(p.text))
			if !null {
				p.text = append(p.text, v.Bytes(j)...)
			}
			p.places[to] = textPlace{from, int32(len(p.text))}
		case l == types.Bits:
			out.SetBool(to, !null && v.Bool(j))
		default:
			w := l.Width()
			copy(out.Data[to*w:to*w+w], v.Data[j*w:j*w+w])
		}
		if null {
			out.SetNull(to, 2*total)
		}
	}
	return n, err
}

// compare notes the rows after which the results differ.
func (c *call) compare(out *stream.Vec, rows expr.Rows, steps []int8, changed []bool) {
	n := rows.Len()
	if c.Res.CountsValues {
		for k := range n {
			i := int(rowAt(rows, int32(k)))
			if (steps == nil || steps[i] != 0) && !c.vecs[0].IsNull(i) {
				changed[k] = true
			}
		}
	}
	switch out.Type.Layout() {
	case types.Float32:
		differ[float32](out, n, changed)
	case types.Float64:
		differ[float64](out, n, changed)
	case types.Int8:
		differ[int8](out, n, changed)
	case types.Int16:
		differ[int16](out, n, changed)
	case types.Int32:
		differ[int32](out, n, changed)
	case types.Int64:
		differ[int64](out, n, changed)
	case types.Int128:
		differ[types.Num128](out, n, changed)
	case types.Bits:
		differAt(out, n, changed, func(k int) bool { return out.Bool(2*k) != out.Bool(2*k+1) })
	case types.Bytes:
		switch t := out.Type; {
		case !t.IsNested():
			differAt(out, n, changed, func(k int) bool { return string(out.Bytes(2*k)) != string(out.Bytes(2*k+1)) })
		case t.Kind == types.Multiset && c.Res.MakesValue:
			differAt(out, n, changed, func(k int) bool { return !types.EqualRaw(t, out.Bytes(2*k), out.Bytes(2*k+1)) })
		default:
			differAt(out, n, changed, func(k int) bool {
				return !sameNested(t, out.Bytes(2*k), out.Bytes(2*k+1), c.Res.MakesValue)
			})
		}
	}
}

// differ notes the pairs of values that are not equal. NaN is equal to nothing, NULL to
// NULL.
func differ[T stream.Fixed](out *stream.Vec, n int, changed []bool) {
	vals := stream.Values[T](out)
	if out.Valid != nil {
		differAt(out, n, changed, func(k int) bool { return vals[2*k] != vals[2*k+1] })
		return
	}
	changed = changed[:n]
	for k := range changed {
		if vals[2*k] != vals[2*k+1] {
			changed[k] = true
		}
	}
}

func differAt(out *stream.Vec, n int, changed []bool, values func(k int) bool) {
	for k := range n {
		if changed[k] {
			continue
		}
		before, after := out.IsNull(2*k), out.IsNull(2*k+1)
		changed[k] = before != after || !before && values(k)
	}
}

// sized returns s with length n; contents are undefined.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, 2*cap(s)))
	}
	return s[:n]
}
