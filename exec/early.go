package exec

import (
	"sort"
	"unsafe"

	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/stream"
)

// Where a reader decodes ahead in several goroutines, these also do the work of the
// first operators that depends on nothing but the batch: they evaluate expressions,
// and find the rises of the watermark inside the batch. The operators still run in
// order, in one goroutine, with their books and errors; they only find the work done.

// forker is an operator with such work.
type forker interface {
	// fork returns the work with memory of its own, nil if there is none.
	fork() early
	// use gives the operator the work that was done for its next batch.
	use(e early)
}

// early is the work of one operator on one batch.
type early interface {
	// work takes the operator's input. It returns what the operator will send, with
	// the rises of the watermark only those inside the batch; nil if the operator has to
	// do the work itself.
	work(b *stream.Batch) *stream.Batch
}

// preparation is the early work on one batch along a chain of operators.
type preparation struct {
	works []early
	done  int // works that were done
}

func (p *preparation) run(b *stream.Batch) {
	p.done = 0
	for _, w := range p.works {
		if b = w.work(b); b == nil {
			return
		}
		p.done++
	}
}

// earlyChain returns the operators behind a head whose work can be done early: up to
// the first other one, or one that several read, or last.
func (h *head) earlyChain(last *node) []forker {
	var chain []forker
	for n := h.scan; n != last && len(n.out) == 1; {
		n = n.out[0].n
		f, ok := n.op.(forker)
		if !ok || n.env.ports != 1 || f.fork() == nil {
			break
		}
		chain = append(chain, f)
	}
	return chain
}

// prepare is connector.OpenOptions.Prepare for a chain.
func prepare(chain []forker) func(b *stream.Batch, old any) any {
	if len(chain) == 0 {
		return nil
	}
	return func(b *stream.Batch, old any) any {
		p, _ := old.(*preparation)
		if p == nil {
			p = new(preparation)
			for _, f := range chain {
				p.works = append(p.works, f.fork())
			}
		}
		p.run(b)
		return p
	}
}

// hand gives the operators of a chain what was prepared for the next batch.
func hand(chain []forker, prepared any) {
	p, _ := prepared.(*preparation)
	if p == nil {
		return
	}
	for i, f := range chain[:p.done] {
		f.use(p.works[i])
	}
}

// rowOnly reports whether expressions depend on nothing but the row.
func rowOnly(exprs []expr.Expr) bool {
	ok := true
	for _, e := range exprs {
		expr.Walk(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case *expr.CurrentWatermark, *expr.Proctime:
				ok = false
			case *expr.Call:
				ok = ok && (x.Func == nil || !x.Func.NonDeterministic)
			}
			return ok
		})
	}
	return ok
}

// earlyProgram compiles expressions for work that is done early, nil if they do not
// allow it.
func earlyProgram(exprs []expr.Expr, env *Env) *eval.Program {
	if !rowOnly(exprs) {
		return nil
	}
	p, err := eval.Compile(exprs, env.Zone)
	if err != nil {
		return nil // Open has compiled the same
	}
	return p
}

// earlyProject are the columns of a projection.
type earlyProject struct {
	program *eval.Program
	moment  eval.Env
	rows    int
	out     stream.Batch
	shared  []sharedDict
}

// sharedDict is a column of the result that is one of the input, with a dictionary:
// the reader may give the input's another one later.
type sharedDict struct{ out, in int }

func (o *project) fork() early {
	p := earlyProgram(o.exprs, o.env)
	if p == nil {
		return nil
	}
	return &earlyProject{program: p, out: stream.Batch{Cols: make([]stream.Vec, len(o.exprs))}}
}

func (o *project) use(e early) { o.early, _ = e.(*earlyProject) }

func (e *earlyProject) work(b *stream.Batch) *stream.Batch {
	cols := e.out.Cols
	if e.program.Run(b, &e.moment, cols) != nil {
		return nil
	}
	e.out = *b
	e.out.Cols = cols
	e.rows = b.N
	e.shared = e.shared[:0]
	for i := range cols {
		if cols[i].Enc != stream.Dict {
			continue
		}
		for k := range b.Cols {
			if unsafe.SliceData(b.Cols[k].Data) == unsafe.SliceData(cols[i].Data) {
				e.shared = append(e.shared, sharedDict{i, k})
				break
			}
		}
	}
	return &e.out
}

// columns returns the result for b.
func (e *earlyProject) columns(b *stream.Batch) []stream.Vec {
	for _, s := range e.shared {
		e.out.Cols[s.out].Dict = b.Cols[s.in].Dict
	}
	return e.out.Cols
}

// earlyFilter is the selection of a filter.
type earlyFilter struct {
	program *eval.Program
	moment  eval.Env
	rows    int
	sel     []int32
	out     stream.Batch
}

func (o *filter) fork() early {
	p := earlyProgram([]expr.Expr{o.cond}, o.env)
	if p == nil {
		return nil
	}
	return &earlyFilter{program: p}
}

func (o *filter) use(e early) { o.early, _ = e.(*earlyFilter) }

func (e *earlyFilter) work(b *stream.Batch) *stream.Batch {
	var err error
	if e.sel, err = e.program.Filter(b, &e.moment, e.sel); err != nil {
		return nil
	}
	e.rows = b.N
	e.out = *b
	e.out.Sel = chosen(b, e.sel)
	return &e.out
}

// earlyRises are the rises of the watermark inside a batch, as if it were the first.
type earlyRises struct {
	program *eval.Program
	moment  eval.Env
	time    int
	unit    int64
	rows    int
	top     stream.Timestamp // highest event time
	val     []stream.Vec
	millis  []stream.Timestamp
	after   []stream.Timestamp
	marks   []stream.Mark
	dense   bool
	out     stream.Batch
}

func (o *watermarkAssigner) fork() early {
	p := earlyProgram([]expr.Expr{o.expr}, o.env)
	if p == nil {
		return nil
	}
	return &earlyRises{program: p, time: o.time, unit: o.unit, val: make([]stream.Vec, 1)}
}

func (o *watermarkAssigner) use(e early) { o.early, _ = e.(*earlyRises) }

func (e *earlyRises) work(b *stream.Batch) *stream.Batch {
	if b.N == 0 || b.Live() == 0 || b.HasMarks() || firstNull(&b.Cols[e.time], b) >= 0 || e.program.Run(b, &e.moment, e.val) != nil {
		return nil
	}
	e.rows = b.N
	e.top = highest(&b.Cols[e.time], b, stream.MinWatermark)
	w := rowTimes(&e.val[0], b, e.unit, &e.millis)
	_, e.dense = rises(w, stream.MinWatermark, &e.after, &e.marks)
	e.out = *b
	e.out.After, e.out.Marks = nil, nil // nothing behind reads them early
	return &e.out
}

// behind returns the marks and the dense form for the watermark w in force before b,
// and the watermark behind it. Rises up to w are none.
func (e *earlyRises) behind(b *stream.Batch, w stream.Timestamp) (marks []stream.Mark, after []stream.Timestamp, last stream.Timestamp) {
	if !e.dense {
		k := sort.Search(len(e.marks), func(i int) bool { return e.marks[i].W > w })
		marks = e.marks[k:]
		for i := range marks {
			marks[i].Ord = b.Ordinal(int(marks[i].Pos)-1) + 1
			w = marks[i].W
		}
		return marks, nil, w
	}
	after = e.after[:e.rows]
	k := sort.Search(len(after), func(i int) bool { return after[i] > w })
	if k == len(after) {
		return nil, nil, w
	}
	for i := range after[:k] {
		after[i] = w
	}
	return nil, after, after[len(after)-1]
}
