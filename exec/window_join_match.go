package exec

import (
	"context"
	"errors"

	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// joinMatch joins the rows of one window: left rows by arrival, for each its matches
// by arrival, then the right rows without a match. A pair is two row numbers; -1 stands
// for the NULLs of an outer join.
type joinMatch struct {
	op      *windowJoin
	program *eval.Program // of the further condition; nil: none
	used    []bool        // columns that the condition reads
	moment  eval.Env
	outer   [2]bool // rows of this side are sent without a match, too

	pane   *joinPane
	ord    int64
	offset []int32 // right rows by group: those of group g are sorted[offset[g]:offset[g+1]]
	sorted []int32
	found  []bool // right rows with a match

	left, right   []int32 // pairs to be sent
	candL, candR  []int32 // pairs to be judged by the condition; right -1: the left row has none
	batch         stream.Batch
	sel, selected []int32
	current       int32 // left row whose candidates are being judged; -1: none
	matched       bool  // it has a match
}

func (m *joinMatch) init(o *windowJoin) error {
	m.op = o
	p := o.plan
	m.outer[0] = p.Kind == physical.LeftOuter || p.Kind == physical.FullOuter
	m.outer[1] = p.Kind == physical.RightOuter || p.Kind == physical.FullOuter
	if p.Cond == nil {
		return nil
	}
	m.moment.Now = o.env.Now
	m.used = make([]bool, len(o.sides[0].columns)+len(o.sides[1].columns))
	m.batch.Cols = make([]stream.Vec, len(m.used))
	expr.Walk(p.Cond, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Column); ok {
			m.used[c.Index] = true
		}
		return true
	})
	var err error
	m.program, err = eval.Compile([]expr.Expr{p.Cond}, o.env.Zone)
	return err
}

// run joins a window that the mark of ordinal ord closes.
func (m *joinMatch) run(ctx context.Context, p *joinPane, ord int64, out Output) error {
	m.pane, m.ord, m.current = p, ord, -1
	m.index()
	for l, g := range p.groups[0] {
		var matches []int32
		if g >= 0 {
			matches = m.sorted[m.offset[g]:m.offset[g+1]]
		}
		var err error
		if m.program == nil {
			err = m.direct(ctx, int32(l), matches, out)
		} else {
			err = m.candidates(ctx, int32(l), matches, out)
		}
		if err != nil {
			return err
		}
	}
	if m.program != nil {
		if err := m.judge(ctx, out); err != nil {
			return err
		}
		if err := m.close(ctx, out); err != nil {
			return err
		}
	}
	if m.outer[1] {
		for r, found := range m.found {
			if !found {
				if err := m.pair(ctx, -1, int32(r), out); err != nil {
					return err
				}
			}
		}
	}
	return m.send(ctx, out)
}

// index sorts the right rows by group, each group by arrival.
func (m *joinMatch) index() {
	groups := m.pane.groups[1]
	n := m.pane.table.Len()
	m.offset = resize(m.offset, n+1)
	clear(m.offset)
	total := int32(0)
	for _, g := range groups {
		if g >= 0 {
			m.offset[g]++
			total++
		}
	}
	m.sorted = resize(m.sorted, int(total))
	m.offset[n] = total
	for g := n - 1; g >= 0; g-- {
		m.offset[g] = m.offset[g+1] - m.offset[g]
	}
	// offset[g] is now where group g starts; it moves to its end and back.
	for r, g := range groups {
		if g >= 0 {
			m.sorted[m.offset[g]] = int32(r)
			m.offset[g]++
		}
	}
	for g := n; g > 0; g-- {
		m.offset[g] = m.offset[g-1]
	}
	if n > 0 {
		m.offset[0] = 0
	}
	m.found = resize(m.found, len(groups))
	clear(m.found)
}

// direct takes all right rows of equal keys as matches.
func (m *joinMatch) direct(ctx context.Context, l int32, matches []int32, out Output) error {
	switch kind := m.op.plan.Kind; {
	case kind == physical.LeftSemi || kind == physical.LeftAnti:
		if len(matches) > 0 == (kind == physical.LeftSemi) {
			return m.pair(ctx, l, -1, out)
		}
		return nil
	case len(matches) == 0 && m.outer[0]:
		return m.pair(ctx, l, -1, out)
	}
	for _, r := range matches {
		m.found[r] = true
		if err := m.pair(ctx, l, r, out); err != nil {
			return err
		}
	}
	return nil
}

// candidates hands the right rows of equal keys to the condition.
func (m *joinMatch) candidates(ctx context.Context, l int32, matches []int32, out Output) error {
	if len(matches) == 0 {
		m.candL, m.candR = append(m.candL, l), append(m.candR, -1)
	}
	for _, r := range matches {
		m.candL, m.candR = append(m.candL, l), append(m.candR, r)
		if len(m.candL) >= m.op.out.size {
			if err := m.judge(ctx, out); err != nil {
				return err
			}
		}
	}
	if len(m.candL) >= m.op.out.size {
		return m.judge(ctx, out)
	}
	return nil
}

// judge evaluates the condition over the candidates. Where it fails, the pairs before
// that one count.
func (m *joinMatch) judge(ctx context.Context, out Output) error {
	n := len(m.candL)
	defer func() { m.candL, m.candR = m.candL[:0], m.candR[:0] }()
	if err := out.Poll(ctx); err != nil {
		return err
	}
	nl := len(m.op.sides[0].columns)
	m.sel = m.sel[:0]
	for k, r := range m.candR {
		if r >= 0 {
			m.sel = append(m.sel, int32(k))
		}
	}
	for c, used := range m.used {
		switch {
		case !used:
		case c < nl:
			m.pane.rows[0].GatherColumn(c, m.candL, &m.batch.Cols[c])
		default:
			m.pane.rows[1].GatherColumn(c-nl, m.candR, &m.batch.Cols[c])
		}
	}
	m.batch.N, m.batch.Sel = n, m.sel
	m.moment.Watermark = m.op.list.watermark
	var failed error
	m.selected = m.selected[:0]
	if len(m.sel) > 0 {
		m.selected, failed = m.program.Filter(&m.batch, &m.moment, m.selected)
		if failed != nil {
			var e *eval.Error
			if !errors.As(failed, &e) {
				return failed
			}
			n = e.Row
		}
	}
	next := 0
	for k := range n {
		hit := next < len(m.selected) && int(m.selected[next]) == k
		if hit {
			next++
		}
		if err := m.judged(ctx, m.candL[k], m.candR[k], hit, out); err != nil {
			return err
		}
	}
	if failed != nil {
		if err := m.send(ctx, out); err != nil {
			return err
		}
		return m.op.out.fail(ctx, out, m.ord, diag.As(failed))
	}
	return nil
}

// judged takes one candidate and what the condition said of it.
func (m *joinMatch) judged(ctx context.Context, l, r int32, hit bool, out Output) error {
	if l != m.current {
		if err := m.close(ctx, out); err != nil {
			return err
		}
		m.current, m.matched = l, false
	}
	if !hit {
		return nil
	}
	again := m.matched
	m.matched = true
	switch m.op.plan.Kind {
	case physical.LeftAnti:
		return nil
	case physical.LeftSemi:
		if again {
			return nil
		}
		return m.pair(ctx, l, -1, out)
	}
	m.found[r] = true
	return m.pair(ctx, l, r, out)
}

// close ends the candidates of a left row.
func (m *joinMatch) close(ctx context.Context, out Output) error {
	if m.current >= 0 && !m.matched && (m.outer[0] || m.op.plan.Kind == physical.LeftAnti) {
		return m.pair(ctx, m.current, -1, out)
	}
	return nil
}

// pair takes one row of the output.
func (m *joinMatch) pair(ctx context.Context, l, r int32, out Output) error {
	m.left, m.right = append(m.left, l), append(m.right, r)
	if len(m.left) < m.op.out.size {
		return nil
	}
	return m.send(ctx, out)
}

// send moves the pairs to the output.
func (m *joinMatch) send(ctx context.Context, out Output) error {
	n := len(m.left)
	if n == 0 {
		return nil
	}
	defer func() { m.left, m.right = m.left[:0], m.right[:0] }()
	f := &m.op.out
	if err := f.room(ctx, out, n, m.ord-1); err != nil {
		return err
	}
	dst := f.target()
	nl := len(m.op.sides[0].columns)
	m.pane.rows[0].Gather(m.left, dst[:nl])
	m.pane.rows[1].Gather(m.right, dst[nl:])
	for i := range dst {
		dst[i].Type = m.op.plan.Schema.Fields[i].Type
	}
	f.commit(n, m.ord)
	return out.Poll(ctx)
}
