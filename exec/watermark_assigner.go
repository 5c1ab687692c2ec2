package exec

import (
	"context"

	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// watermarkAssigner raises the watermark behind each row to the maximum of a SQL
// expression. As in Flink the maximum starts at zero: a watermark of 1970 or before is
// never sent. Marks of the source itself pass and take part.
type watermarkAssigner struct {
	env     *Env
	time    int
	column  string
	span    diag.Span
	expr    expr.Expr
	unit    int64 // stored units of the expression's type per millisecond
	program *eval.Program
	moment  eval.Env
	state   watermarkState // the watermark sent
	maxTime stream.Timestamp
	val     []stream.Vec
	millis  []stream.Timestamp
	after   []stream.Timestamp
	marks   []stream.Mark
	out     stream.Batch
	cut     stream.Batch
	early   *earlyRises // work done for the next batch
}

func newWatermarkAssigner(p *physical.WatermarkAssigner) (Operator, error) {
	t := p.Watermark.Type()
	if !t.IsTimestamp() {
		return nil, badPlan(p, "the watermark expression is %s", t)
	}
	return &watermarkAssigner{
		time: p.Time, column: p.Schema.Fields[p.Time].Name, span: p.Span, expr: p.Watermark,
		unit: t.TimeUnit() / 1000, val: make([]stream.Vec, 1),
	}, nil
}

// Open implements Operator.
func (o *watermarkAssigner) Open(_ context.Context, env *Env) (err error) {
	o.env = env
	o.moment.Now = env.Now
	o.state.w, o.maxTime = stream.MinWatermark, stream.MinWatermark
	if o.program, err = eval.Compile([]expr.Expr{o.expr}, env.Zone); err != nil {
		return err
	}
	return env.State.Register("watermark", 1, &o.state)
}

// ProcessBatch implements Operator.
func (o *watermarkAssigner) ProcessBatch(ctx context.Context, _ int, b *stream.Batch, out Output) error {
	var bad, err error
	if row := firstNull(&b.Cols[o.time], b); row >= 0 {
		ord := b.Ordinal(row)
		bad = Fail(ord, o.nullTime(b, row))
		prefix(&o.cut, b, row)
		o.cut.Thru = ord - 1
		b = &o.cut
	}
	done := o.early
	o.early = nil
	if done != nil && done.rows == b.N {
		o.adopt(b, done)
	} else if b, err = o.assign(b); b == nil {
		return err
	} else if err != nil {
		bad = err // at an earlier row than the NULL
	}
	o.env.Counters.Used.Add(int64(b.Live()))
	if err := out.Batch(ctx, &o.out); err != nil {
		return err
	}
	return bad
}

// unread implements unreader.
func (o *watermarkAssigner) unread(int64) { o.env.Counters.Used.Store(o.env.Counters.In.Load()) }

// assign gives the output batch its marks. It returns the batch up to where the
// expression fails, and the failure.
func (o *watermarkAssigner) assign(b *stream.Batch) (_ *stream.Batch, failed error) {
	o.moment.Watermark = o.state.w
	if err := o.program.Run(b, &o.moment, o.val); err != nil {
		if b, failed = failAt(&o.cut, b, err); b == nil {
			return nil, failed
		}
	}
	o.out = *b
	if b.N > 0 && b.Live() > 0 {
		o.noteTime(highest(&b.Cols[o.time], b, o.maxTime))
		o.raise(b)
	} else if b.HasMarks() {
		o.state.w = b.LastMark(o.state.w)
	}
	return b, failed
}

// adopt is assign where the work was done early.
func (o *watermarkAssigner) adopt(b *stream.Batch, done *earlyRises) {
	o.out = *b
	o.noteTime(done.top)
	o.out.Marks, o.out.After, o.state.w = done.behind(b, o.state.w)
}

func (o *watermarkAssigner) nullTime(b *stream.Batch, row int) error {
	e := diag.New(diag.Watermark, o.span, "rowtime column %q is NULL", o.column).
		WithHint("make the rowtime a computed column that is never NULL, for example with COALESCE")
	if file, line := b.OriginOf(row); line > 0 && file != "" {
		e.Detail = file + " line " + itoa(line)
	} else if line > 0 {
		e.Detail = "line " + itoa(line)
	}
	return e
}

// noteTime keeps the highest event time.
func (o *watermarkAssigner) noteTime(top stream.Timestamp) {
	if top > o.maxTime {
		o.maxTime = top
		o.env.Counters.MaxTime.Store(int64(top))
	}
}

// highest returns the highest of top and the live rows' times.
func highest(v *stream.Vec, b *stream.Batch, top stream.Timestamp) stream.Timestamp {
	if ts := stream.Values[stream.Timestamp](v); v.Enc == stream.Const {
		top = max(top, ts[0])
	} else if b.Sel == nil {
		for _, t := range ts[:b.N] {
			top = max(top, t)
		}
	} else {
		for _, r := range b.Sel {
			top = max(top, ts[r])
		}
	}
	return top
}

// raise gives the output batch its marks.
func (o *watermarkAssigner) raise(b *stream.Batch) {
	w := rowTimes(&o.val[0], b, o.unit, &o.millis)
	if len(b.Marks) > 0 || b.After != nil {
		o.merge(b, w)
		return
	}
	last, dense := rises(w, o.state.w, &o.after, &o.marks)
	o.state.w = last
	if dense {
		o.out.After, o.out.Marks = o.after, nil
		return
	}
	for i := range o.marks {
		o.marks[i].Ord = b.Ordinal(int(o.marks[i].Pos)-1) + 1
	}
	o.out.After, o.out.Marks = nil, o.marks
}

// rises finds the rises of the watermark from cur on, over values by row, and returns
// the last one: in the dense form in after, or as marks without ordinals.
func rises(w []stream.Timestamp, cur stream.Timestamp, after *[]stream.Timestamp, marks *[]stream.Mark) (last stream.Timestamp, dense bool) {
	n, first := len(w), cur
	if cap(*after) < n {
		*after = make([]stream.Timestamp, max(n, 64))
	}
	a := (*after)[:n]
	count, i := 0, 0
	if cur < 0 {
		// Before the first watermark that is sent only values above zero count.
		for ; i < n && w[i] <= 0; i++ {
			a[i] = cur
		}
	}
	for ; i < n; i++ {
		if w[i] > cur {
			cur = w[i]
			count++
		}
		a[i] = cur
	}
	*after, *marks = a, (*marks)[:0]
	if count > n/2 {
		return cur, true
	}
	if count > 0 {
		for i, t := range a {
			if t > first {
				*marks = append(*marks, stream.Mark{Pos: int32(i + 1), W: t})
				first = t
			}
		}
	}
	return cur, false
}

// merge raises the watermark in a batch that brings marks of its own.
func (o *watermarkAssigner) merge(b *stream.Batch, w []stream.Timestamp) {
	o.marks = o.marks[:0]
	cur, k := o.state.w, 0
	own := func(pos int) {
		for ; k < len(b.Marks) && int(b.Marks[k].Pos) <= pos; k++ {
			if m := b.Marks[k]; m.W > cur {
				cur = m.W
				o.marks = append(o.marks, m)
			}
		}
	}
	for i := range b.N {
		own(i)
		t := w[i]
		if cur == stream.MinWatermark && t <= 0 {
			t = cur
		}
		if b.After != nil {
			t = max(t, b.After[i])
		}
		if t > cur {
			cur = t
			o.marks = append(o.marks, stream.Mark{Pos: int32(i + 1), Ord: b.Ordinal(i) + 1, W: t})
		}
	}
	own(b.N)
	o.out.After, o.out.Marks = nil, o.marks
	o.state.w = cur
}

// rowTimes returns the values of the watermark expression, in stored units, by physical
// row in milliseconds; rows that are NULL or not live have MinWatermark.
func rowTimes(v *stream.Vec, b *stream.Batch, unit int64, buf *[]stream.Timestamp) []stream.Timestamp {
	n := b.N
	stored := stream.Values[stream.Timestamp](v)
	if v.Enc == stream.Flat && v.Valid == nil && b.Sel == nil && unit == 1 {
		return stored[:n]
	}
	if cap(*buf) < n {
		*buf = make([]stream.Timestamp, max(n, 64))
	}
	ms := (*buf)[:n]
	for i := range ms {
		ms[i] = stream.MinWatermark
	}
	for i := range b.Live() {
		r := liveRow(b, i)
		if v.IsNull(r) {
			continue
		}
		ms[r] = stream.Timestamp(floorDiv(int64(stored[v.At(r)]), unit))
	}
	return ms
}

// Finish implements Operator.
func (o *watermarkAssigner) Finish(context.Context, Output) error { return nil }

// Close implements Operator.
func (o *watermarkAssigner) Close() error { return nil }
