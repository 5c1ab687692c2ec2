package builtin

import (
	"errors"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// elementsOf makes v a Flat vector of the elements of a.
func elementsOf(v *stream.Vec, a *types.ArrayValue) {
	v.Reset(a.Elem(), a.Len())
	appendElements(v, a, 0, a.Len())
}

// appendElements writes the elements of a from row start on of a vector of n rows.
func appendElements(v *stream.Vec, a *types.ArrayValue, start, n int) {
	text := v.Type.Layout() == types.Bytes
	for i := range a.Len() {
		if !a.IsNull(i) {
			v.PutRaw(start+i, a.Raw(i))
			continue
		}
		if text {
			v.AppendBytes(nil)
		}
		v.SetNull(start+i, n)
	}
}

// castElements runs a kernel of CAST over a Flat vector.
func castElements(c *expr.Context, kernel expr.Kernel, in, out *stream.Vec, to types.Type) error {
	n := in.N
	out.Reset(to, n)
	rows := expr.Rows{N: n}
	if in.Valid != nil {
		copy(out.OwnValid(n), in.Valid)
		rows.Sel = make([]int32, 0, n)
		for i := range n {
			if !in.IsNull(i) {
				rows.Sel = append(rows.Sel, int32(i))
			}
		}
	}
	return kernel(c, []*stream.Vec{in}, out, rows)
}

// nested makes the kernel of a cast between nested types of one shape: the parts of all
// rows are laid side by side in vectors and cast as columns.
func (c *caster) nested() (kernel expr.Kernel, canFail bool) {
	from, to := c.from, c.to
	if from.Alike(to) {
		return copyBytes, false
	}
	if from.Kind != to.Kind || from.Kind == types.Multiset || len(from.Fields()) != len(to.Fields()) {
		return nil, false
	}
	var parts []*partCast
	add := func(from, to types.Type) bool {
		p := &partCast{from: from, to: to}
		var ok bool
		p.kernel, p.canFail, ok = CastKernel(from, to.Nullable(), false)
		canFail = canFail || p.canFail
		parts = append(parts, p)
		return ok
	}
	ok := true
	if from.Kind == types.Row {
		for i, f := range from.Fields() {
			ok = ok && add(f.Type, to.Fields()[i].Type)
		}
	} else {
		if from.Kind == types.Map {
			ok = add(from.Key(), to.Key())
		}
		ok = ok && add(from.Elem(), to.Elem())
	}
	if !ok {
		return nil, false
	}
	n := &nestedCast{caster: *c, parts: parts}
	return n.run, canFail && !c.try
}

// copyBytes is the kernel of a cast that changes nothing but the type.
func copyBytes(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	eachText(out, rows, func(i int) { out.Data = append(out.Data, args[0].Bytes(i)...) })
	return nil
}

// partCast casts the elements, keys, values or one field of many values.
type partCast struct {
	from, to types.Type
	kernel   expr.Kernel
	canFail  bool
	in, out  stream.Vec
}

// nestedCast is one compiled cast between nested types.
type nestedCast struct {
	caster
	parts []*partCast
	ends  []int // of the parts of each row that is cast
	rows  []int // these rows
	array types.ArrayBuilder
	row   types.RowBuilder
	dict  types.MapBuilder
}

func (n *nestedCast) run(c *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
	in := args[0]
	if n.try {
		// A part that fails makes the whole value NULL, so each stands for itself.
		next := 0
		_ = each(rows, func(i int) error {
			next = skipText(out, next, i) + 1
			if !isValid(out, i) || n.cast(c, in, []int{i}) != nil {
				out.SetNull(i, rows.N)
			} else {
				n.write(out, 0)
			}
			closeText(out)
			return nil
		})
		skipText(out, next, rows.N)
		return nil
	}
	n.rows = n.rows[:0]
	_ = each(rows, func(i int) error {
		if isValid(out, i) {
			n.rows = append(n.rows, i)
		}
		return nil
	})
	if err := n.cast(c, in, n.rows); err != nil {
		return err
	}
	k := 0
	eachText(out, rows, func(int) {
		n.write(out, k)
		k++
	})
	return nil
}

// cast lays out the parts of the rows and converts them.
func (n *nestedCast) cast(c *expr.Context, in *stream.Vec, rows []int) error {
	n.layOut(in, rows)
	for _, p := range n.parts {
		if err := castElements(c, p.kernel, &p.in, &p.out, p.to.Nullable()); err != nil {
			var e *expr.RowError
			if errors.As(err, &e) {
				at := *e
				for k, end := range n.ends {
					if e.Row < end {
						at.Row = rows[k]
						break
					}
				}
				return &at
			}
			return err
		}
	}
	return nil
}

// layOut fills the vectors of the parts and notes where each row ends in them.
func (n *nestedCast) layOut(in *stream.Vec, rows []int) {
	n.ends = n.ends[:0]
	total := 0
	for _, i := range rows {
		total += n.partsOf(in.Bytes(i))
		n.ends = append(n.ends, total)
	}
	for k, p := range n.parts {
		p.in.Reset(p.from, total)
		for r, i := range rows {
			start := 0
			if r > 0 {
				start = n.ends[r-1]
			}
			switch raw := in.Bytes(i); n.from.Kind {
			case types.Array:
				a := types.ReadArray(n.from, raw)
				appendElements(&p.in, &a, start, total)
			case types.Row:
				f := types.ReadRow(n.from, raw)
				switch {
				case !f.IsNull(k):
					p.in.PutRaw(r, f.Raw(k))
				default:
					if p.from.Layout() == types.Bytes {
						p.in.AppendBytes(nil)
					}
					p.in.SetNull(r, total)
				}
			default:
				m := types.ReadMap(n.from, raw)
				a := &m.Keys
				if k == 1 {
					a = &m.Values
				}
				appendElements(&p.in, a, start, total)
			}
		}
	}
}

// partsOf returns how many rows of the parts' vectors a value takes.
func (n *nestedCast) partsOf(raw []byte) int {
	switch n.from.Kind {
	case types.Array:
		a := types.ReadArray(n.from, raw)
		return a.Len()
	case types.Row:
		return 1
	}
	m := types.ReadMap(n.from, raw)
	return m.Len()
}

// write encodes the k-th of the rows that were cast behind out.Data.
func (n *nestedCast) write(out *stream.Vec, k int) {
	start := 0
	if k > 0 {
		start = n.ends[k-1]
	}
	switch n.to.Kind {
	case types.Array:
		v := &n.parts[0].out
		n.array.Reset(n.to.Elem())
		for i := start; i < n.ends[k]; i++ {
			if v.IsNull(i) {
				n.array.AppendNull()
			} else {
				n.array.AppendRaw(v.Raw(i))
			}
		}
		out.Data = n.array.AppendTo(out.Data)
	case types.Row:
		n.row.Reset(n.to)
		for _, p := range n.parts {
			if p.out.IsNull(k) {
				n.row.AppendNull()
			} else {
				n.row.AppendRaw(p.out.Raw(k))
			}
		}
		out.Data = n.row.AppendTo(out.Data)
	default:
		n.dict.Reset(n.to)
		for i := start; i < n.ends[k]; i++ {
			n.dict.PutRaw(rawOrNil(&n.parts[0].out, i), rawOrNil(&n.parts[1].out, i))
		}
		out.Data = n.dict.AppendTo(out.Data)
	}
}
