package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// stepper is an accumulator that can account one row and give one result.
type stepper interface {
	// step adds row i to group g or, with take, takes it out.
	step(g int32, args []*stream.Vec, i int, take bool) error
	// put gives the result of a group as value k of out, which has n in the end.
	put(g int32, k, n int, out *stream.Vec) error
}

// follow is expr.Follower's Follow, row by row.
func follow(a stepper, groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	n := rows.Len()
	for k := range n {
		i := k
		if rows.Sel != nil {
			i = int(rows.Sel[k])
		}
		g, step := groups[i], int8(1)
		if steps != nil {
			step = steps[i]
		}
		err := a.put(g, 2*k, 2*n, out)
		if err == nil && step != 0 {
			err = a.step(g, args, i, step < 0)
		}
		if err == nil {
			err = a.put(g, 2*k+1, 2*n, out)
		}
		if err != nil {
			return faultAt(err, k)
		}
	}
	return nil
}

// putAll is expr.Accumulator's Result, group by group.
func putAll(a stepper, groups []int32, n int, out *stream.Vec) error {
	for k := range n {
		if err := a.put(int32(groupAt(groups, k)), k, n, out); err != nil {
			return err
		}
	}
	return nil
}

// faultAt gives an error of a row the place k.
func faultAt(err error, k int) error {
	if e, ok := err.(*expr.RowError); ok {
		c := *e
		c.Row = k
		return &c
	}
	return &expr.RowError{Row: k, Msg: err.Error()}
}

// Follow implements expr.Follower.
func (c *countRows) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	if len(args) > 0 || steps != nil {
		return follow(c, groups, args, rows, steps, out)
	}
	dst, n := stream.Values[int64](out), rows.Len()
	flat, ok := c.n.Flat()
	if !ok {
		return follow(c, groups, args, rows, steps, out)
	}
	if rows.Sel == nil {
		for k, g := range groups[:n] {
			x := flat[g]
			flat[g] = x + 1
			dst[2*k], dst[2*k+1] = x, x+1
		}
		return nil
	}
	for k, i := range rows.Sel {
		g := groups[i]
		x := flat[g]
		flat[g] = x + 1
		dst[2*k], dst[2*k+1] = x, x+1
	}
	return nil
}

func (c *countRows) step(g int32, args []*stream.Vec, i int, take bool) error {
	for _, v := range args {
		if v.IsNull(i) {
			return nil
		}
	}
	if take {
		*c.n.At(int(g))--
	} else {
		*c.n.At(int(g))++
	}
	return nil
}

func (c *countRows) put(g int32, k, _ int, out *stream.Vec) error {
	stream.Values[int64](out)[k] = *c.n.At(int(g))
	return nil
}

// Follow implements expr.Follower.
func (a *intSum[T]) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	a.reserve(int64(rows.Len()))
	flat, ok := a.sums.Flat()
	if steps != nil || a.isWide || a.finish.mean || !ok || !out.Type.IsInteger() || args[0].Enc != stream.Flat {
		return follow(a, groups, args, rows, steps, out)
	}
	n, v := rows.Len(), args[0]
	vals, dst := stream.Values[T](v), stream.Values[T](out)
	for k := range n {
		i := k
		if rows.Sel != nil {
			i = int(rows.Sel[k])
		}
		c := &flat[groups[i]]
		dst[2*k] = T(c.lo)
		if c.n == 0 && !a.finish.zero {
			out.SetNull(2*k, 2*n)
		}
		if v.Valid == nil || v.Valid[i>>6]&(1<<(i&63)) != 0 {
			c.add(int64(vals[i]))
		}
		x := T(c.lo)
		dst[2*k+1] = x
		if c.n == 0 || int64(x) != int64(c.lo) || int64(c.hi) != int64(x)>>63 {
			if err := a.finish.put(c.widen().widen(), 2*k+1, 2*n, out); err != nil {
				return faultAt(err, k)
			}
		}
	}
	return nil
}

func (a *intSum[T]) step(g int32, args []*stream.Vec, i int, take bool) error {
	v := args[0]
	if v.IsNull(i) {
		return nil
	}
	x := int64(stream.Values[T](v)[v.At(i)])
	switch {
	case a.isWide && take:
		a.wide.At(int(g)).take(x)
	case a.isWide:
		a.wide.At(int(g)).add(x)
	case take:
		a.sums.At(int(g)).take(x)
	default:
		a.sums.At(int(g)).add(x)
	}
	return nil
}

func (a *intSum[T]) put(g int32, k, n int, out *stream.Vec) error {
	return a.finish.put(a.at(int(g)).widen(), k, n, out)
}

// Follow implements expr.Follower.
func (a *decimalSum) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

func (a *decimalSum) step(g int32, args []*stream.Vec, i int, take bool) error {
	v := args[0]
	if v.IsNull(i) {
		return nil
	}
	x, s := stream.Values[types.Num128](v)[v.At(i)], a.sums.At(int(g))
	if take {
		x = x.Negate()
		s.n--
	} else {
		s.n++
	}
	s.add(x.LowBits(), uint64(x.HighBits()), x.HighBits()>>63)
	return nil
}

func (a *decimalSum) put(g int32, k, n int, out *stream.Vec) error {
	return a.finish.put(*a.sums.At(int(g)), k, n, out)
}

// Follow implements expr.Follower.
func (a *floatSum[T]) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

func (a *floatSum[T]) step(g int32, args []*stream.Vec, i int, take bool) error {
	v := args[0]
	if v.IsNull(i) {
		return nil
	}
	c, x := a.cells.At(int(g)), float64(stream.Values[T](v)[v.At(i)])
	if take {
		c.sum -= x
		c.n--
	} else {
		c.sum += x
		c.n++
	}
	if a.rounded {
		c.sum = float64(float32(c.sum))
	}
	return nil
}

// Follow implements expr.Follower.
func (a *spread) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

func (a *spread) step(g int32, args []*stream.Vec, i int, take bool) error {
	v := args[0]
	if v.IsNull(i) {
		return nil
	}
	x, c := stream.Values[float64](v)[v.At(i)], a.cells.At(int(g))
	if take {
		c.take(x)
	} else {
		c.add(x)
	}
	return nil
}
