package builtin

import (
	"bytes"
	"cmp"
	"unsafe"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// extreme is MIN or MAX of fixed-width values without retraction. A value replaces
// the one held only if it compares as better, so a NaN that came first stays and a
// later one is ignored.
type extreme[T fixedOrdered] struct {
	max  bool
	vals expr.Cells[T]
	has  expr.Cells[bool]
	arg  argument[T]
}

type fixedOrdered interface {
	int8 | int16 | int32 | int64 | uint8 | float32 | float64
	cmp.Ordered
}

func (a *extreme[T]) Grow(n int) { a.vals.Grow(n); a.has.Grow(n) }
func (a *extreme[T]) Reset()     { a.vals.Reset(); a.has.Reset() }

// Touch implements expr.Toucher.
func (a *extreme[T]) Touch(g int32) byte { return a.vals.Touch(g) + a.has.Touch(g) }

func (a *extreme[T]) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	vals, sel, all := a.read(args[0], rows)
	held, ok := a.vals.Flat()
	has, _ := a.has.Flat()
	switch {
	case ok && all && a.max:
		groups = groups[:len(vals)]
		for i, x := range vals {
			if g := groups[i]; x > held[g] || !has[g] {
				held[g], has[g] = x, true
			}
		}
	case ok && all:
		groups = groups[:len(vals)]
		for i, x := range vals {
			if g := groups[i]; x < held[g] || !has[g] {
				held[g], has[g] = x, true
			}
		}
	case all:
		for i, x := range vals {
			a.offer(groups[i], x)
		}
	default:
		for _, i := range sel {
			a.offer(groups[i], vals[i])
		}
	}
	return nil
}

// read is argument.read; the bits of a BOOLEAN become bytes first.
func (a *extreme[T]) read(v *stream.Vec, rows expr.Rows) (vals []T, sel []int32, all bool) {
	if v.Type.Layout() != types.Bits {
		return a.arg.read(v, rows)
	}
	sel, all = notNull(&a.arg.sel, v, rows)
	vals = extend(a.arg.buf[:0], rows.N)
	a.arg.buf = vals
	for i := range vals {
		if v.Bool(i) {
			vals[i] = 1
		}
	}
	return vals, sel, all
}

func (a *extreme[T]) offer(g int32, x T) {
	held, has := a.vals.At(int(g)), a.has.At(int(g))
	if !*has || a.max && x > *held || !a.max && x < *held {
		*held, *has = x, true
	}
}

func (a *extreme[T]) Retract([]int32, []*stream.Vec, expr.Rows) error { return errNoRetract }

func (a *extreme[T]) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*extreme[T])
	for i, g := range groups {
		if h := int(fromGroups[i]); *f.has.At(h) {
			a.offer(g, *f.vals.At(h))
		}
	}
	return nil
}

func (a *extreme[T]) Result(groups []int32, n int, out *stream.Vec) error {
	for k := range n {
		if err := a.put(int32(groupAt(groups, k)), k, n, out); err != nil {
			return err
		}
	}
	return nil
}

func (a *extreme[T]) put(g int32, k, n int, out *stream.Vec) error {
	x := *a.vals.At(int(g))
	if out.Type.Layout() == types.Bits {
		out.SetBool(k, x != 0)
	} else {
		stream.Values[T](out)[k] = x
	}
	if !*a.has.At(int(g)) {
		out.SetNull(k, n)
	}
	return nil
}

func (a *extreme[T]) Bytes() int64 {
	return a.vals.Bytes() + a.has.Bytes() + a.arg.bytes()
}

func (a *extreme[T]) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(a.vals.Len()))
	for g := range a.vals.Len() {
		x, has := *a.vals.At(g), *a.has.At(g)
		e.Bool(has)
		if has {
			e.Blob(unsafe.Slice((*byte)(unsafe.Pointer(&x)), unsafe.Sizeof(x)))
		}
	}
}

func (a *extreme[T]) Restore(d *stream.Decoder) error {
	a.Reset()
	a.Grow(d.Count(1))
	for g := range a.vals.Len() {
		if *a.has.At(g) = d.Bool(); *a.has.At(g) {
			x := a.vals.At(g)
			copy(unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x)), d.Blob())
		}
	}
	return d.Err()
}

// wideExtreme is MIN or MAX of DECIMALs of more than 18 digits.
type wideExtreme struct {
	max  bool
	vals expr.Cells[types.Num128]
	has  expr.Cells[bool]
	arg  argument[types.Num128]
}

func (a *wideExtreme) Grow(n int) { a.vals.Grow(n); a.has.Grow(n) }
func (a *wideExtreme) Reset()     { a.vals.Reset(); a.has.Reset() }

func (a *wideExtreme) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	vals, sel, all := a.arg.read(args[0], rows)
	if all {
		for i, x := range vals {
			a.offer(groups[i], x)
		}
		return nil
	}
	for _, i := range sel {
		a.offer(groups[i], vals[i])
	}
	return nil
}

func (a *wideExtreme) offer(g int32, x types.Num128) {
	held, has := a.vals.At(int(g)), a.has.At(int(g))
	if !*has || a.max && held.Less(x) || !a.max && x.Less(*held) {
		*held, *has = x, true
	}
}

func (a *wideExtreme) Retract([]int32, []*stream.Vec, expr.Rows) error { return errNoRetract }

func (a *wideExtreme) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*wideExtreme)
	for i, g := range groups {
		if h := int(fromGroups[i]); *f.has.At(h) {
			a.offer(g, *f.vals.At(h))
		}
	}
	return nil
}

func (a *wideExtreme) Result(groups []int32, n int, out *stream.Vec) error {
	return putAll(a, groups, n, out)
}

func (a *wideExtreme) put(g int32, k, n int, out *stream.Vec) error {
	stream.Values[types.Num128](out)[k] = *a.vals.At(int(g))
	if !*a.has.At(int(g)) {
		out.SetNull(k, n)
	}
	return nil
}

func (a *wideExtreme) Bytes() int64 {
	return a.vals.Bytes() + a.has.Bytes() + a.arg.bytes()
}

func (a *wideExtreme) Snapshot(e *stream.Encoder) {
	e.Uint64(uint64(a.vals.Len()))
	for g := range a.vals.Len() {
		x := a.vals.At(g)
		e.Bool(*a.has.At(g))
		e.Uint64(x.LowBits())
		e.Int64(x.HighBits())
	}
}

func (a *wideExtreme) Restore(d *stream.Decoder) error {
	a.Reset()
	a.Grow(d.Count(17))
	for g := range a.vals.Len() {
		*a.has.At(g) = d.Bool()
		lo := d.Uint64()
		*a.vals.At(g) = num128(d.Int64(), lo)
	}
	return d.Err()
}

// textExtreme is MIN or MAX of texts without retraction, by bytes.
type textExtreme struct {
	max  bool
	text texts
	sel  []int32
}

func (a *textExtreme) Grow(n int) { a.text.grow(n) }
func (a *textExtreme) Reset()     { a.text.reset() }

func (a *textExtreme) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	v := args[0]
	sel, all := notNull(&a.sel, v, rows)
	if all {
		for i := range rows.N {
			a.offer(groups[i], v.Bytes(i))
		}
		return nil
	}
	for _, i := range sel {
		a.offer(groups[i], v.Bytes(int(i)))
	}
	return nil
}

func (a *textExtreme) offer(g int32, b []byte) {
	if a.text.has(int(g)) {
		c := bytes.Compare(b, a.text.get(int(g)))
		if a.max && c <= 0 || !a.max && c >= 0 {
			return
		}
	}
	a.text.set(int(g), b)
}

func (a *textExtreme) Retract([]int32, []*stream.Vec, expr.Rows) error { return errNoRetract }

func (a *textExtreme) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	f := from.(*textExtreme)
	for i, g := range groups {
		if h := fromGroups[i]; f.text.has(int(h)) {
			a.offer(g, f.text.get(int(h)))
		}
	}
	return nil
}

func (a *textExtreme) Result(groups []int32, n int, out *stream.Vec) error {
	a.text.result(groups, n, out)
	return nil
}

func (a *textExtreme) put(g int32, k, n int, out *stream.Vec) error {
	a.text.put(int(g), k, n, out)
	return nil
}

func (a *textExtreme) Bytes() int64                    { return a.text.bytes() + int64(cap(a.sel))*4 }
func (a *textExtreme) Snapshot(e *stream.Encoder)      { a.text.snapshot(e) }
func (a *textExtreme) Restore(d *stream.Decoder) error { return a.text.restore(d) }

// texts holds one text a group in an arena. A text that fits takes its
// predecessor's place; the arena is packed when half of it is garbage.
type texts struct {
	refs    expr.Cells[textRef]
	arena   []byte
	garbage int
}

type textRef struct {
	off      int64
	len, cap int32
	has      bool
}

func (t *texts) grow(n int) { t.refs.Grow(n) }

func (t *texts) reset() {
	t.refs.Reset()
	t.arena, t.garbage = t.arena[:0], 0
}

func (t *texts) has(g int) bool { return t.refs.At(g).has }

func (t *texts) get(g int) []byte {
	r := t.refs.At(g)
	return t.arena[r.off : r.off+int64(r.len)]
}

func (t *texts) set(g int, b []byte) {
	r := t.refs.At(g)
	if len(b) > int(r.cap) {
		t.garbage += int(r.cap)
		r.cap = 0
		r.len = 0
		if t.garbage > 1<<12 && t.garbage > len(t.arena)/2 {
			t.pack()
		}
		r.off, r.cap = int64(len(t.arena)), int32(len(b))
		t.arena = append(t.arena, b...)
	} else {
		copy(t.arena[r.off:], b)
	}
	r.len, r.has = int32(len(b)), true
}

func (t *texts) pack() {
	live := make([]byte, 0, len(t.arena)-t.garbage)
	for g := range t.refs.Len() {
		r := t.refs.At(g)
		off := int64(len(live))
		live = append(live, t.arena[r.off:r.off+int64(r.len)]...)
		r.off, r.cap = off, r.len
	}
	t.arena, t.garbage = live, 0
}

func (t *texts) result(groups []int32, n int, out *stream.Vec) {
	for k := range n {
		t.put(groupAt(groups, k), k, n, out)
	}
}

func (t *texts) put(g, k, n int, out *stream.Vec) {
	out.AppendBytes(t.get(g))
	if !t.has(g) {
		out.SetNull(k, n)
	}
}

func (t *texts) bytes() int64 { return t.refs.Bytes() + int64(cap(t.arena)) }

func (t *texts) snapshot(e *stream.Encoder) {
	e.Uint64(uint64(t.refs.Len()))
	for g := range t.refs.Len() {
		e.Bool(t.has(g))
		e.Blob(t.get(g))
	}
}

func (t *texts) restore(d *stream.Decoder) error {
	t.reset()
	t.grow(d.Count(9))
	for g := range t.refs.Len() {
		has, b := d.Bool(), d.Blob()
		if has {
			t.set(g, b)
		}
	}
	return d.Err()
}
