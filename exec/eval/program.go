package eval

import (
	"errors"
	"math"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// Env is what the operator that runs a program knows about the moment.
type Env struct {
	Watermark stream.Timestamp // in force before the batch
	Now       func() int64     // processing time, milliseconds since 1970; read at most once a run; nil: 0
}

// Error is the failure of one row. Everything that the call was asked for holds for
// the rows before Row: the caller passes those on and then stops. So the answer up
// to an error does not depend on how rows were cut into batches.
type Error struct {
	Row  int // physical row of the batch
	Diag *diag.Error
}

// Error returns the message.
func (e *Error) Error() string { return e.Diag.Error() }

// Unwrap returns the *diag.Error.
func (e *Error) Unwrap() error { return e.Diag }

// Program is a list of compiled expressions. It owns scratch memory and is used by
// one goroutine at a time; Clone makes another one.
type Program struct {
	exprs []expr.Expr
	types []types.Type // of exprs
	zone  expr.Zone
	roots []node
	bases []*state // of the nodes that write the roots' values
	plain []int    // the roots that are columns
	other []int    // and those that are not
	clock bool     // some node reads the processing time

	ctx  expr.Context
	in   *stream.Batch
	env  *Env
	gen  uint64 // of the run: a node whose generation is equal has been computed
	outs []stream.Vec
	to   *stream.Vec // the first of the vectors that the nodes write to
}

// Clone returns an independent program for the same expressions.
func (p *Program) Clone() (*Program, error) { return Compile(p.exprs, p.zone) }

// Exprs returns the expressions of the program.
func (p *Program) Exprs() []expr.Expr { return p.exprs }

// Run evaluates all expressions for the live rows of in. out[i] gets the result of
// expression i with values at the physical positions of in; other positions are
// undefined. Columns are passed on as they are, sharing memory with in; constants
// become Const vectors. The memory of out is reused when it is passed again. On an
// *Error, out holds the rows before the failed one.
func (p *Program) Run(in *stream.Batch, env *Env, out []stream.Vec) error {
	rows := expr.Rows{N: in.N, Sel: in.Sel}
	p.begin(in, env)
	var failed error
	for {
		err := p.pass(rows, out)
		if err == nil {
			p.in, p.env = nil, nil
			return failed
		}
		failed = err
		var e *Error
		if !errors.As(err, &e) {
			return err
		}
		rows = p.before(rows, e.Row)
	}
}

// Filter evaluates the program's only expression, a BOOLEAN, and appends to sel[:0]
// the live rows for which it is TRUE. On an *Error these are the rows before the
// failed one.
func (p *Program) Filter(in *stream.Batch, env *Env, sel []int32) ([]int32, error) {
	if p.outs == nil {
		p.outs = make([]stream.Vec, 1)
	}
	err := p.Run(in, env, p.outs)
	n := in.N
	live := in.Sel
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return sel[:0], err
		}
		n = e.Row
		live = p.upTo(live, n)
	}
	return trueRows(&p.outs[0], n, live, sel[:0]), err
}

func (p *Program) begin(in *stream.Batch, env *Env) {
	p.in, p.env = in, env
	p.ctx.Zone = p.zone
	if p.clock && env != nil && env.Now != nil {
		p.ctx.Now = env.Now()
	}
}

// pass evaluates every root for the rows.
func (p *Program) pass(rows expr.Rows, out []stream.Vec) error {
	p.gen++
	if len(out) > 0 && &out[0] != p.to {
		p.direct(out)
	}
	return p.fill(rows, out)
}

// direct makes the roots' nodes write into out. A node of several roots writes to the
// first of them.
func (p *Program) direct(out []stream.Vec) {
	for _, s := range p.bases {
		s.target = nil
	}
	for i, s := range p.bases {
		if s.target == nil {
			s.target = &out[i]
		}
	}
	p.to = &out[0]
}

// fill writes the value of every root.
func (p *Program) fill(rows expr.Rows, out []stream.Vec) error {
	if rows.Len() == 0 {
		p.none(out)
		return nil
	}
	for _, i := range p.plain {
		share(&out[i], &p.in.Cols[p.roots[i].(*column).index])
		p.retype(i, &out[i])
	}
	for _, i := range p.other {
		v, err := p.eval(p.roots[i], rows)
		if err != nil {
			return err
		}
		if v != &out[i] {
			share(&out[i], v)
		}
		p.retype(i, &out[i])
	}
	return nil
}

// retype gives the value of a root the type of its expression.
func (p *Program) retype(root int, v *stream.Vec) {
	t := &p.types[root]
	if v.Type.Kind == t.Kind && t.Kind != types.Decimal || v.Type.Layout() == t.Layout() {
		v.Type = *t
	}
}

// none fills out for a batch without a row to compute.
func (p *Program) none(out []stream.Vec) {
	for i, r := range p.roots {
		m := maker(r)
		switch m := m.(type) {
		case *column:
			share(&out[i], &p.in.Cols[m.index])
		case *constant:
			share(&out[i], &m.own)
		default:
			if t := m.base().target; t == &out[i] {
				t.SetConst(p.exprs[i].Type(), types.NullValue)
			} else {
				share(&out[i], t)
			}
		}
	}
}

// maker returns the node that writes the value of n: n itself unless it only gives
// another node's value a new type.
func maker(n node) node {
	for {
		r, ok := n.(*retyped)
		if !ok {
			return n
		}
		n = r.arg
	}
}

// eval returns the value of a node for the rows of its scope, computing it if that
// has not happened in this run.
func (p *Program) eval(n node, rows expr.Rows) (*stream.Vec, error) {
	s := n.base()
	if s.gen == p.gen {
		return s.vec, nil
	}
	out := s.target
	if out == nil {
		out = &s.own
	}
	v, err := n.compute(p, rows, out)
	if err != nil {
		return nil, err
	}
	if len(v.Data) > mostBytes {
		return nil, tooLong(n, v, rows)
	}
	s.vec, s.gen = v, p.gen
	return v, nil
}

// mostBytes is how many bytes the texts of a vector may have together: so far offsets reach.
var mostBytes = math.MaxInt32

// tooLong is the failure of the first row whose text goes beyond mostBytes.
func tooLong(n node, v *stream.Vec, rows expr.Rows) error {
	row, total := 0, int64(0)
	for ; row < v.N-1; row++ {
		// The difference of offsets holds beyond their range, too.
		if total += int64(uint32(v.Off[row+1]) - uint32(v.Off[row])); total > int64(mostBytes) {
			break
		}
	}
	var span diag.Span
	if c, ok := n.(*call); ok {
		span = c.at.Span()
	}
	d := diag.New(diag.Runtime, span, "the texts of a batch have more than %d bytes together", mostBytes)
	if rows.N > 1 {
		d.Hint = "run it with smaller batches (--batch-size 100)"
	}
	return &Error{Row: row, Diag: d}
}

// operand is eval for nodes that read values: they know no dictionaries.
func (p *Program) operand(n node, rows expr.Rows) (*stream.Vec, error) {
	switch n := n.(type) {
	case *constant:
		return &n.own, nil
	case *column:
		if v := &p.in.Cols[n.index]; v.Enc != stream.Dict {
			return v, nil
		}
	}
	v, err := p.eval(n, rows)
	if err != nil || v.Enc != stream.Dict {
		return v, err
	}
	s := n.base()
	if s.flatGen != p.gen {
		flatten(&s.flat, v)
		s.flatGen = p.gen
	}
	return &s.flat, nil
}

// before returns the rows that stand before physical row n.
func (p *Program) before(rows expr.Rows, n int) expr.Rows {
	if rows.Sel == nil {
		return expr.Rows{N: n}
	}
	return expr.Rows{N: n, Sel: p.upTo(rows.Sel, n)}
}

// upTo returns the start of an ascending selection that is below n; nil stays nil.
func (p *Program) upTo(sel []int32, n int) []int32 {
	for i, r := range sel {
		if int(r) >= n {
			return sel[:i:i]
		}
	}
	return sel
}

// share makes dst a header over the memory of src.
func share(dst, src *stream.Vec) { *dst = *src }

// fail makes the Error of a kernel's failure. Constant operands are computed as one
// row, so their failure belongs to the first row that was asked for.
func fail(e expr.Expr, err error, rows expr.Rows, constant bool) error {
	row, d := 0, diag.New(diag.Runtime, e.Span(), "%s", err.Error())
	var r *expr.RowError
	if errors.As(err, &r) {
		row, d.Hint = r.Row, r.Hint
	} else {
		constant = true
	}
	if constant {
		row = 0
		if rows.Sel != nil {
			row = int(rows.Sel[0])
		}
	}
	return &Error{Row: row, Diag: d}
}
