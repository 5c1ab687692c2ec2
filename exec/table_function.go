package exec

import (
	"context"
	"errors"
	"slices"

	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// tableFunction sends for each row those that a function gives for it, with the ordinal
// and kind of the row. It sends them on while the function is still at it, so a function
// without an end stops when nobody wants more rows.
type tableFunction struct {
	plan   *physical.TableFunction
	env    *Env
	kernel expr.TableKernel
	on     *eval.Program
	time   eval.Env
	marks  watermarkState
	cut    cutter

	// The batch at work, the row of it for which the function is called, and where its
	// rows go.
	ctx    context.Context
	in     *stream.Batch
	row    int32
	to     Output
	failed error // of what takes the rows

	args []*stream.Vec
	rows expr.TableRows
	from []int32 // rows of the input, one for each row that is there
	gone int     // rows sent on since the batch began
	pads []int32 // with a condition: places of rows of NULLs, which count if none before them of the same row does
	kept bool    // one does, in what has been sent on of the row whose rows come first

	out   stream.Batch
	cols  []stream.Vec
	ords  []int64
	kinds []stream.RowKind
	// Of choose: the rows to send, those that are no padding, and those of them for which
	// the condition is TRUE.
	sel, told, passed []int32
}

func newTableFunction(p *physical.TableFunction) (Operator, error) {
	if p.New == nil {
		return nil, badPlan(p, "no function")
	}
	return &tableFunction{plan: p}, nil
}

// Open implements Operator.
func (o *tableFunction) Open(_ context.Context, env *Env) (err error) {
	o.env = env
	o.kernel = o.plan.New()
	o.time.Now = env.Now
	o.marks.w = stream.MinWatermark
	o.cols = make([]stream.Vec, len(o.plan.Schema.Fields))
	o.ords = []int64{} // nil would mean that ordinals follow from places
	o.args = make([]*stream.Vec, len(o.plan.Args))
	o.rows = expr.TableRows{Cols: o.cols[len(o.plan.Keep):], Size: max(1, env.BatchSize), Full: o.full}
	if o.plan.On != nil {
		if o.on, err = eval.Compile([]expr.Expr{o.plan.On}, env.Zone); err != nil {
			return err
		}
	}
	return env.State.Register("watermark", 1, &o.marks)
}

// ProcessBatch implements Operator.
func (o *tableFunction) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	o.ctx, o.in, o.to = ctx, b, out
	defer func() { o.ctx, o.in, o.to = nil, nil, nil }()
	for i, c := range o.plan.Args {
		o.args[i] = &b.Cols[c]
	}
	o.gone, o.kept = 0, false
	o.begin()
	o.cut.start(b, o.marks.w)
	live := b.Live()
	for k := range live {
		o.row = int32(liveRow(b, k))
		o.pass(o.row)
		if err := o.call(); err != nil {
			o.env.Counters.Used.Add(int64(k))
			return err
		}
	}
	o.pass(int32(b.N))
	o.env.Counters.Used.Add(int64(live))
	return o.send(b.Thru)
}

// pass moves on what the watermark does up to a row.
func (o *tableFunction) pass(limit int32) {
	o.out.Marks = o.cut.pass(limit, &o.marks.w, o.out.Marks, o.rows.N)
}

// call lets the function write the rows of one row.
func (o *tableFunction) call() error {
	o.failed = nil
	before := o.gone + o.rows.N
	err := o.kernel(o.args, int(o.row), &o.rows)
	switch {
	case o.failed != nil:
		return o.failed
	case err != nil:
		return o.fail(err)
	}
	if o.plan.Outer && (o.on != nil || o.gone+o.rows.N == before) {
		if !o.rows.Room() {
			return o.failed
		}
		o.pad()
	}
	o.note()
	return nil
}

// pad writes a row of NULLs.
func (o *tableFunction) pad() {
	if o.on != nil {
		o.pads = append(o.pads, int32(o.rows.N))
	}
	for c := range o.rows.Cols {
		v := &o.rows.Cols[c]
		if v.Type.Layout() == types.Bytes {
			v.AppendBytes(nil)
		}
		v.SetNull(o.rows.N, o.rows.Size)
	}
	o.rows.Wrote()
}

// note says of which row the rows are that have been written since.
func (o *tableFunction) note() {
	for len(o.from) < o.rows.N {
		o.from = append(o.from, o.row)
	}
}

// fail sends what the function gave before it failed at the row, and returns the failure.
func (o *tableFunction) fail(err error) error {
	ord := o.in.Ordinal(int(o.row))
	if err := o.send(ord - 1); err != nil {
		return err
	}
	d := diag.New(diag.Runtime, o.plan.Span, "%s", err.Error())
	var r *expr.RowError
	if errors.As(err, &r) {
		d.Hint = r.Hint
	}
	return Fail(ord, d)
}

// full sends the rows that are there while the function is at its row.
func (o *tableFunction) full() bool {
	if o.failed = o.to.Poll(o.ctx); o.failed == nil {
		o.failed = o.send(o.in.Ordinal(int(o.row)) - 1)
	}
	if o.failed != nil {
		return false
	}
	o.gone += o.rows.N
	o.begin()
	return true
}

func (o *tableFunction) begin() {
	made := o.plan.Schema.Fields[len(o.plan.Keep):]
	for c := range o.rows.Cols {
		o.rows.Cols[c].Reset(made[c].Type, o.rows.Size)
	}
	o.rows.N = 0
	o.from, o.pads = o.from[:0], o.pads[:0]
	o.out.Marks = o.out.Marks[:0]
	o.time.Watermark = o.marks.w
}

// send hands the rows on; everything up to ordinal thru is then delivered.
func (o *tableFunction) send(thru int64) error {
	o.note()
	b, n := o.in, o.rows.N
	for k, c := range o.plan.Keep {
		repeat(&o.cols[k], &b.Cols[c], o.from, o.plan.Schema.Fields[k].Type)
	}
	for c := range o.rows.Cols {
		o.rows.Cols[c].N = n
	}
	o.ords = o.ords[:0]
	for _, i := range o.from {
		o.ords = append(o.ords, b.Ordinal(int(i)))
	}
	o.out = stream.Batch{N: n, Cols: o.cols, Marks: o.out.Marks, Base: b.Base, Ord: o.ords, Thru: thru}
	if b.Kinds != nil {
		o.kinds = o.kinds[:0]
		for _, i := range o.from {
			o.kinds = append(o.kinds, b.Kinds[i])
		}
		o.out.Kinds = o.kinds
	}
	var bad error
	if o.on != nil {
		if err := o.choose(&bad); err != nil {
			return err
		}
	}
	if err := o.to.Batch(o.ctx, &o.out); err != nil {
		return err
	}
	return bad
}

// choose selects the rows for which the condition is TRUE, and rows of NULLs where there
// is none. If the condition fails at a row, bad is that, and only what stands before the
// row is left.
func (o *tableFunction) choose(bad *error) error {
	o.told = o.told[:0]
	pads := o.pads
	for i := range int32(o.out.N) {
		if len(pads) > 0 && pads[0] == i {
			pads = pads[1:]
		} else {
			o.told = append(o.told, i)
		}
	}
	test := o.out
	test.Sel = o.told
	if len(o.told) == 0 {
		test.Sel = none
	}
	var err error
	o.passed, err = o.on.Filter(&test, &o.time, o.passed)
	if err != nil {
		var at *eval.Error
		if !errors.As(err, &at) {
			return err
		}
		ord := o.out.Ordinal(at.Row)
		*bad = Fail(ord, at.Diag)
		o.out.Thru = ord - 1
		for i, m := range o.out.Marks {
			if int(m.Pos) > at.Row {
				o.out.Marks = o.out.Marks[:i]
				break
			}
		}
		o.pads = slices.DeleteFunc(o.pads, func(p int32) bool { return int(p) > at.Row })
	}
	passed := o.passed
	o.sel = o.sel[:0]
	for _, p := range o.pads {
		for len(passed) > 0 && passed[0] < p {
			o.sel, passed, o.kept = append(o.sel, passed[0]), passed[1:], true
		}
		if !o.kept {
			o.sel = append(o.sel, p)
		}
		o.kept = false
	}
	o.kept = o.kept || len(passed) > 0
	o.sel = append(o.sel, passed...)
	o.out.Sel = o.sel
	if len(o.sel) == 0 {
		o.out.Sel = none
	}
	return nil
}

// unread implements unreader.
func (o *tableFunction) unread(int64) { o.env.Counters.Used.Store(o.env.Counters.In.Load()) }

// Finish implements Operator.
func (o *tableFunction) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *tableFunction) Close() error { return nil }
