package eval

import (
	"slices"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// node is one expression of a program.
type node interface {
	base() *state
	// compute fills out, or returns another vector that holds the value.
	compute(p *Program, rows expr.Rows, out *stream.Vec) (*stream.Vec, error)
}

// state is what every node has.
type state struct {
	id      int
	fails   bool // it or something below it can fail
	costly  bool // worth being evaluated for fewer rows
	gen     uint64
	flatGen uint64
	vec     *stream.Vec // result of generation gen
	own     stream.Vec  // scratch for the result
	flat    stream.Vec  // the Flat form of a Dict result of generation flatGen
	target  *stream.Vec // the caller's vector, if the node is a root
}

func (s *state) base() *state { return s }

// column is a column of the input.
type column struct {
	state
	index int
}

func (n *column) compute(p *Program, _ expr.Rows, _ *stream.Vec) (*stream.Vec, error) {
	return &p.in.Cols[n.index], nil
}

// flatten makes dst the Flat form of a Dict vector.
func flatten(dst, src *stream.Vec) {
	n, d, ids := src.N, src.Dict, src.IDs()
	dst.Reset(src.Type, n)
	switch l := src.Type.Layout(); {
	case l == types.Bytes:
		for i, id := range ids {
			if src.IsNull(i) {
				dst.AppendBytes(nil)
			} else {
				dst.AppendBytes(d.Data[d.Off[id]:d.Off[id+1]])
			}
		}
	case l == types.Bits:
		for i, id := range ids {
			if !src.IsNull(i) {
				dst.SetBool(i, d.Bool(int(id)))
			}
		}
	case l.Width() > 0:
		w := l.Width()
		for i, id := range ids {
			if !src.IsNull(i) {
				copy(dst.Data[i*w:(i+1)*w], d.Data[int(id)*w:(int(id)+1)*w])
			}
		}
	}
	if src.Valid != nil {
		copy(dst.OwnValid(n), src.Valid)
	}
}

// constant is a literal or a folded expression.
type constant struct {
	state
}

func newConstant(t types.Type, v types.Value) *constant {
	n := new(constant)
	n.own.SetConst(t, v)
	n.pad()
	return n
}

// pad makes room behind a text, so that it can be copied in words (stream.Slack).
func (n *constant) pad() {
	if n.own.Type.Layout() == types.Bytes {
		n.own.Data = slices.Grow(n.own.Data, stream.Slack)
	}
}

func (n *constant) compute(*Program, expr.Rows, *stream.Vec) (*stream.Vec, error) {
	return &n.own, nil
}

// retyped is the value of another node under another type of the same layout.
type retyped struct {
	state
	arg node
	typ types.Type
}

func (n *retyped) compute(p *Program, rows expr.Rows, _ *stream.Vec) (*stream.Vec, error) {
	v, err := p.eval(n.arg, rows)
	if err != nil {
		return nil, err
	}
	n.own = *v
	n.own.Type = n.typ
	return &n.own, nil
}

// call is a function or cast: a kernel over the values of its arguments.
type call struct {
	state
	at        expr.Expr
	args      []node
	typ       types.Type
	kernel    expr.Kernel
	canFail   bool
	nullAware bool
	perRow    bool
	light     bool          // a few instructions per row, whatever its arguments cost
	vecs      []*stream.Vec // of the arguments; those of constants stay
	varying   []int         // the arguments that are no constants
	never     bool          // a constant NULL among them makes all results NULL
	sel       []int32
}

func (n *call) compute(p *Program, rows expr.Rows, out *stream.Vec) (*stream.Vec, error) {
	isConst, isNull, mayBeNull := !n.perRow, n.never, false
	for _, i := range n.varying {
		v, err := p.operand(n.args[i], rows)
		if err != nil {
			return nil, err
		}
		n.vecs[i] = v
		if v.Enc != stream.Const {
			isConst = false
			mayBeNull = mayBeNull || v.Valid != nil
		} else if v.IsNull(0) {
			isNull = true
		}
	}
	if isNull && !n.nullAware {
		out.SetConst(n.typ, types.NullValue)
		return out, nil
	}
	if isConst {
		return out, n.computeConst(p, rows, out)
	}
	out.Reset(n.typ, rows.N)
	if mayBeNull && !n.nullAware && n.meet(out, rows.N) && n.canFail {
		rows.Sel = n.notNull(out.Valid, rows)
		if len(rows.Sel) == 0 {
			out.SetConst(n.typ, types.NullValue)
			return out, nil
		}
	}
	if err := n.kernel(&p.ctx, n.vecs, out, rows); err != nil {
		return nil, fail(n.at, err, rows, false)
	}
	tidy(out, rows.N)
	return out, nil
}

// computeConst computes a call whose arguments are all constants, as one row.
func (n *call) computeConst(p *Program, rows expr.Rows, out *stream.Vec) error {
	out.Reset(n.typ, 1)
	if err := n.kernel(&p.ctx, n.vecs, out, expr.Rows{N: 1}); err != nil {
		return fail(n.at, err, rows, true)
	}
	tidy(out, 1)
	out.Enc = stream.Const
	return nil
}

// meet sets the validity of out to the AND of the arguments', and reports whether
// there may be a NULL.
func (n *call) meet(out *stream.Vec, rows int) bool {
	var valid []uint64
	for _, v := range n.vecs {
		if v.Valid == nil || v.Enc == stream.Const {
			continue
		}
		if valid == nil {
			valid = out.OwnValid(rows)
			copy(valid, v.Valid)
			continue
		}
		for k, w := range v.Valid[:len(valid)] {
			valid[k] &= w
		}
	}
	return valid != nil
}

// notNull returns the rows that are valid.
func (n *call) notNull(valid []uint64, rows expr.Rows) []int32 {
	if rows.Sel != nil {
		n.sel = keepRows(valid, nil, rows.Sel, n.sel[:0])
	} else {
		n.sel = setRows(valid, nil, rows.N, n.sel[:0])
	}
	return n.sel
}

// tidy drops validity words without a NULL among n rows, so that those who read the
// vector can take the short way.
func tidy(v *stream.Vec, n int) {
	if v.Valid == nil {
		return
	}
	full := n >> 6
	for _, w := range v.Valid[:full] {
		if w != ^uint64(0) {
			return
		}
	}
	if rest := n & 63; rest > 0 {
		if mask := uint64(1)<<rest - 1; v.Valid[full]&mask != mask {
			return
		}
	}
	v.Valid = nil
}

// watermark is CURRENT_WATERMARK: what each row sees.
type watermark struct {
	state
	typ  types.Type
	seen []stream.Timestamp
}

func (n *watermark) compute(p *Program, rows expr.Rows, out *stream.Vec) (*stream.Vec, error) {
	before := stream.MinWatermark
	if p.env != nil {
		before = p.env.Watermark
	}
	if cap(n.seen) < p.in.N {
		n.seen = make([]stream.Timestamp, p.in.N)
	}
	seen := n.seen[:p.in.N]
	p.in.Watermarks(seen, before)
	out.Reset(n.typ, rows.N)
	unit := n.typ.TimeUnit() / 1e3
	dst := stream.Values[int64](out)
	for i, w := range seen[:rows.N] {
		dst[i] = int64(w) * unit
		if w == stream.MinWatermark {
			out.SetNull(i, rows.N)
		}
	}
	return out, nil
}

// proctime is PROCTIME().
type proctime struct {
	state
	typ types.Type
}

func (n *proctime) compute(p *Program, _ expr.Rows, out *stream.Vec) (*stream.Vec, error) {
	out.SetConst(n.typ, types.IntValue(p.ctx.Now*(n.typ.TimeUnit()/1e3)))
	return out, nil
}
