package builtin

import (
	"bytes"
	"errors"
	"math"

	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// errNoRetract guards accumulators that were resolved for insert-only input.
var errNoRetract = errors.New("the aggregate was planned for insert-only input but got a retraction")

func num128(hi int64, lo uint64) types.Num128 { return decimal128.New(hi, lo) }

// multiset keeps, for each group, its values in order with how often each is there:
// a treap a group, all in one array of nodes. Fixed-width values become 128-bit
// integers of the same order; texts lie in an arena.
type multiset struct {
	text    bool
	roots   expr.Cells[int32] // by group: node + 1; 0: empty
	nodes   expr.Cells[msNode]
	free    int32 // node + 1, linked through left
	arena   []byte
	garbage int
	rand    uint64 // shapes the trees; no answer depends on it
}

// msNode is one value. key is (hi, lo) or, for text, hi the offset and lo the length
// in the arena. Children are node + 1. A node on the free list has priority 0.
type msNode struct {
	hi          int64
	lo          uint64
	count       int64 // never 0; below it if a value was taken before it came
	left, right int32
	priority    uint32
}

// probe is a value to look for.
type probe struct {
	hi   int64
	lo   uint64
	text []byte
}

func (m *multiset) compare(p *probe, n *msNode) int {
	if m.text {
		return bytes.Compare(p.text, m.arena[n.hi:n.hi+int64(n.lo)])
	}
	switch {
	case p.hi != n.hi:
		if p.hi < n.hi {
			return -1
		}
		return 1
	case p.lo < n.lo:
		return -1
	case p.lo > n.lo:
		return 1
	}
	return 0
}

// bytesOf returns the text of a node; it is never nil.
func (m *multiset) bytesOf(n *msNode) []byte {
	if n.lo == 0 {
		return []byte{}
	}
	return m.arena[n.hi : n.hi+int64(n.lo)]
}

// node returns the node that a root or child names.
func (m *multiset) node(id int32) *msNode { return m.nodes.At(int(id - 1)) }

// add changes how often p is in group g and returns that.
func (m *multiset) add(g int32, p *probe, step int64) int64 {
	link := m.roots.At(int(g))
	for *link != 0 {
		n := m.node(*link)
		c := m.compare(p, n)
		if c == 0 {
			n.count += step
			count := n.count
			if count == 0 {
				id := *link
				*link = m.join(n.left, n.right)
				m.release(id)
			}
			return count
		}
		if c < 0 {
			link = &n.left
		} else {
			link = &n.right
		}
	}
	id := m.acquire(p, step)
	root := m.roots.At(int(g))
	*root = m.insert(*root, id, p)
	return step
}

// find returns the node + 1 of a value that is in group g, or 0.
func (m *multiset) find(g int32, p *probe) int32 {
	id := *m.roots.At(int(g))
	for id != 0 {
		n := m.node(id)
		c := m.compare(p, n)
		if c == 0 {
			return id
		}
		if c < 0 {
			id = n.left
		} else {
			id = n.right
		}
	}
	return 0
}

// insert puts node id into the tree at root and returns the new root.
func (m *multiset) insert(root, id int32, p *probe) int32 {
	if root == 0 {
		return id
	}
	n, x := m.node(root), m.node(id)
	if x.priority > n.priority {
		x.left, x.right = m.split(root, p)
		return id
	}
	if m.compare(p, n) < 0 {
		n.left = m.insert(n.left, id, p)
	} else {
		n.right = m.insert(n.right, id, p)
	}
	return root
}

// split cuts a tree into the values below and above p, which it does not hold.
func (m *multiset) split(root int32, p *probe) (below, above int32) {
	if root == 0 {
		return 0, 0
	}
	n := m.node(root)
	if m.compare(p, n) < 0 {
		below, n.left = m.split(n.left, p)
		return below, root
	}
	n.right, above = m.split(n.right, p)
	return root, above
}

// join makes one tree of two, all values of a below those of b.
func (m *multiset) join(a, b int32) int32 {
	if a == 0 {
		return b
	}
	if b == 0 {
		return a
	}
	x, y := m.node(a), m.node(b)
	if x.priority > y.priority {
		x.right = m.join(x.right, b)
		return a
	}
	y.left = m.join(a, y.left)
	return b
}

func (m *multiset) acquire(p *probe, count int64) int32 {
	id := m.free
	if id != 0 {
		m.free = m.node(id).left
	} else {
		m.nodes.Append(msNode{})
		id = int32(m.nodes.Len())
	}
	m.rand = m.rand*6364136223846793005 + 1442695040888963407
	n := msNode{hi: p.hi, lo: p.lo, count: count, priority: uint32(m.rand>>32) | 1}
	if m.text {
		n.hi, n.lo = int64(len(m.arena)), uint64(len(p.text))
		m.arena = append(m.arena, p.text...)
	}
	*m.node(id) = n
	return id
}

func (m *multiset) release(id int32) {
	n := m.node(id)
	if m.text {
		m.garbage += int(n.lo)
	}
	*n = msNode{left: m.free}
	m.free = id
	if m.garbage > 1<<12 && m.garbage > len(m.arena)/2 {
		m.pack()
	}
}

func (m *multiset) pack() {
	live := make([]byte, 0, len(m.arena)-m.garbage)
	for i := range m.nodes.Len() {
		if n := m.nodes.At(i); n.priority != 0 {
			off := int64(len(live))
			live = append(live, m.arena[n.hi:n.hi+int64(n.lo)]...)
			n.hi = off
		}
	}
	m.arena, m.garbage = live, 0
}

// edge returns the least (or greatest) value that is really there, or nil.
func (m *multiset) edge(root int32, greatest bool) *msNode {
	for root != 0 {
		n := m.node(root)
		near, far := n.left, n.right
		if greatest {
			near, far = far, near
		}
		if x := m.edge(near, greatest); x != nil {
			return x
		}
		if n.count > 0 {
			return n
		}
		root = far
	}
	return nil
}

// walk visits the values of a tree in order.
func (m *multiset) walk(root int32, f func(n *msNode)) {
	for root != 0 {
		n := m.node(root)
		m.walk(n.left, f)
		f(n)
		root = n.right
	}
}

// bytes is the memory held.
func (m *multiset) bytes() int64 {
	return m.roots.Bytes() + m.nodes.Bytes() + int64(cap(m.arena))
}

func (m *multiset) reset() {
	m.roots.Reset()
	m.nodes.Reset()
	m.arena = m.arena[:0]
	m.free, m.garbage = 0, 0
}

// merge adds groups of f to groups of m.
func (m *multiset) merge(groups []int32, f *multiset, fromGroups []int32) {
	for i, g := range groups {
		f.walk(*f.roots.At(int(fromGroups[i])), func(n *msNode) {
			p := probe{hi: n.hi, lo: n.lo}
			if f.text {
				p.text = f.arena[n.hi : n.hi+int64(n.lo)]
			}
			m.add(g, &p, n.count)
		})
	}
}

// snapshot writes the values in order, so it does not depend on the trees' shapes.
func (m *multiset) snapshot(e *stream.Encoder) {
	e.Uint64(uint64(m.roots.Len()))
	for g := range m.roots.Len() {
		root := *m.roots.At(g)
		n := uint64(0)
		m.walk(root, func(*msNode) { n++ })
		e.Uint64(n)
		m.walk(root, func(n *msNode) {
			e.Int64(n.count)
			if m.text {
				e.Blob(m.arena[n.hi : n.hi+int64(n.lo)])
			} else {
				e.Int64(n.hi)
				e.Uint64(n.lo)
			}
		})
	}
}

// restore reads what snapshot has written.
func (m *multiset) restore(d *stream.Decoder) error {
	m.reset()
	m.roots.Grow(d.Count(8))
	for g := range m.roots.Len() {
		for range d.Count(16) {
			count := d.Int64()
			var p probe
			if m.text {
				p.text = d.Blob()
			} else {
				p.hi, p.lo = d.Int64(), d.Uint64()
			}
			if d.Err() != nil || count == 0 {
				return d.Fail(stream.ErrSnapshot)
			}
			m.add(int32(g), &p, count)
		}
	}
	return d.Err()
}

// retractableExtreme is MIN or MAX that can take values back. Floating-point values
// are in total order: -0.0 below 0.0, NaN above all (as Flink does here).
type retractableExtreme struct {
	max bool
	typ types.Type
	set multiset
	sel []int32
}

func newRetractableExtreme(t types.Type, greatest bool) *retractableExtreme {
	return &retractableExtreme{max: greatest, typ: t, set: multiset{text: t.Layout() == types.Bytes}}
}

func (a *retractableExtreme) Grow(n int) { a.set.roots.Grow(n) }
func (a *retractableExtreme) Reset()     { a.set.reset() }

func (a *retractableExtreme) Add(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.count(groups, args[0], rows, 1)
	return nil
}

func (a *retractableExtreme) Retract(groups []int32, args []*stream.Vec, rows expr.Rows) error {
	a.count(groups, args[0], rows, -1)
	return nil
}

func (a *retractableExtreme) count(groups []int32, v *stream.Vec, rows expr.Rows, step int64) {
	sel, all := notNull(&a.sel, v, rows)
	lay := a.typ.Layout()
	var p probe
	if all {
		for i := range rows.N {
			p.load(v, lay, v.At(i))
			a.set.add(groups[i], &p, step)
		}
		return
	}
	for _, i := range sel {
		p.load(v, lay, v.At(int(i)))
		a.set.add(groups[i], &p, step)
	}
}

// load takes stored value i of v.
func (p *probe) load(v *stream.Vec, lay types.Layout, i int) {
	switch lay {
	case types.Bits:
		p.hi = int64(v.Data[i>>3] >> (i & 7) & 1)
	case types.Int8:
		p.hi = int64(stream.Values[int8](v)[i])
	case types.Int16:
		p.hi = int64(stream.Values[int16](v)[i])
	case types.Int32:
		p.hi = int64(stream.Values[int32](v)[i])
	case types.Int64:
		p.hi = stream.Values[int64](v)[i]
	case types.Float32:
		p.hi = totalOrder(float64(stream.Values[float32](v)[i]))
	case types.Float64:
		p.hi = totalOrder(stream.Values[float64](v)[i])
	case types.Int128:
		x := stream.Values[types.Num128](v)[i]
		p.hi, p.lo = x.HighBits(), x.LowBits()
	case types.Bytes:
		p.text = v.Bytes(i)
	}
}

// totalOrder maps floats to integers of the same order; NaN is the greatest.
func totalOrder(f float64) int64 {
	if f != f {
		return math.MaxInt64
	}
	b := int64(math.Float64bits(f))
	return b ^ int64(uint64(b>>63)>>1)
}

func fromTotalOrder(b int64) float64 {
	if b == math.MaxInt64 {
		return math.NaN()
	}
	return math.Float64frombits(uint64(b ^ int64(uint64(b>>63)>>1)))
}

func (a *retractableExtreme) Merge(groups []int32, from expr.Accumulator, fromGroups []int32) error {
	a.set.merge(groups, &from.(*retractableExtreme).set, fromGroups)
	return nil
}

func (a *retractableExtreme) Result(groups []int32, n int, out *stream.Vec) error {
	return putAll(a, groups, n, out)
}

func (a *retractableExtreme) put(g int32, k, n int, out *stream.Vec) error {
	lay := a.typ.Layout()
	x := a.set.edge(*a.set.roots.At(int(g)), a.max)
	switch {
	case x == nil && lay == types.Bytes:
		out.AppendBytes(nil)
	case x == nil:
		putFixed(out, lay, k, &msNode{})
	case lay == types.Bytes:
		out.AppendBytes(a.set.arena[x.hi : x.hi+int64(x.lo)])
	default:
		putFixed(out, lay, k, x)
	}
	if x == nil {
		out.SetNull(k, n)
	}
	return nil
}

func putFixed(out *stream.Vec, lay types.Layout, k int, x *msNode) {
	switch lay {
	case types.Bits:
		out.SetBool(k, x.hi != 0)
	case types.Int8:
		stream.Values[int8](out)[k] = int8(x.hi)
	case types.Int16:
		stream.Values[int16](out)[k] = int16(x.hi)
	case types.Int32:
		stream.Values[int32](out)[k] = int32(x.hi)
	case types.Int64:
		stream.Values[int64](out)[k] = x.hi
	case types.Float32:
		stream.Values[float32](out)[k] = float32(fromTotalOrder(x.hi))
	case types.Float64:
		stream.Values[float64](out)[k] = fromTotalOrder(x.hi)
	case types.Int128:
		stream.Values[types.Num128](out)[k] = num128(x.hi, x.lo)
	}
}

func (a *retractableExtreme) Bytes() int64 {
	return a.set.bytes() + int64(cap(a.sel))*4
}

// Snapshot implements expr.Accumulator.
func (a *retractableExtreme) Snapshot(e *stream.Encoder) { a.set.snapshot(e) }

// Restore implements expr.Accumulator.
func (a *retractableExtreme) Restore(d *stream.Decoder) error { return a.set.restore(d) }
