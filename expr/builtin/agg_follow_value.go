package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// Follow implements expr.Follower.
func (a *extreme[T]) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

func (a *extreme[T]) step(g int32, args []*stream.Vec, i int, take bool) error {
	v := args[0]
	switch {
	case take:
		return errNoRetract
	case v.IsNull(i):
	case v.Type.Layout() == types.Bits:
		var x T
		if v.Bool(i) {
			x = 1
		}
		a.offer(g, x)
	default:
		a.offer(g, stream.Values[T](v)[v.At(i)])
	}
	return nil
}

// Follow implements expr.Follower.
func (a *wideExtreme) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

func (a *wideExtreme) step(g int32, args []*stream.Vec, i int, take bool) error {
	v := args[0]
	switch {
	case take:
		return errNoRetract
	case !v.IsNull(i):
		a.offer(g, stream.Values[types.Num128](v)[v.At(i)])
	}
	return nil
}

// Follow implements expr.Follower.
func (a *textExtreme) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

func (a *textExtreme) step(g int32, args []*stream.Vec, i int, take bool) error {
	switch {
	case take:
		return errNoRetract
	case !args[0].IsNull(i):
		a.offer(g, args[0].Bytes(i))
	}
	return nil
}

// Follow implements expr.Follower.
func (a *retractableExtreme) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

func (a *retractableExtreme) step(g int32, args []*stream.Vec, i int, take bool) error {
	v := args[0]
	if v.IsNull(i) {
		return nil
	}
	var p probe
	p.load(v, a.typ.Layout(), v.At(i))
	if take {
		a.set.add(g, &p, -1)
	} else {
		a.set.add(g, &p, 1)
	}
	return nil
}

// Follow implements expr.Follower.
func (a *edge) Follow(groups []int32, args []*stream.Vec, rows expr.Rows, steps []int8, out *stream.Vec) error {
	return follow(a, groups, args, rows, steps, out)
}

func (a *edge) step(g int32, args []*stream.Vec, i int, take bool) error {
	switch {
	case take:
		return errNoRetract
	case !args[0].IsNull(i):
		a.offer(g, args[0], i)
	}
	return nil
}
