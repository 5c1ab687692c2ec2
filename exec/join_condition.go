package exec

import (
	"context"
	"errors"

	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// joinCondition judges pairs by the further condition of a join.
type joinCondition struct {
	o       *join
	program *eval.Program // nil: there is none
	used    []bool        // columns that it reads
	moment  eval.Env
	batch   stream.Batch

	matched  []int32 // the matches of the row at hand
	pairs    [2][]int32
	ends     []int // by row: where its pairs end
	selected []int32
	hits     []int32 // pairs that meet the condition
}

func (m *joinCondition) init(o *join) error {
	m.o = o
	cond := o.plan.Cond
	if cond == nil {
		return nil
	}
	m.moment.Now = o.env.Now
	m.used = make([]bool, o.out.width+len(o.plan.Right.Info().Schema.Fields))
	m.batch.Cols = make([]stream.Vec, len(m.used))
	expr.Walk(cond, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Column); ok {
			m.used[c.Index] = true
		}
		return true
	})
	var err error
	m.program, err = eval.Compile([]expr.Expr{cond}, o.env.Zone)
	return err
}

// run answers the begun rows [from, to) of a side, which nothing of the other side comes
// between.
func (m *joinCondition) run(ctx context.Context, side int, b *stream.Batch, from, to int, out Output) error {
	for from < to {
		next := m.collect(side, from, to)
		failed, err := m.judge(ctx, out)
		if err != nil {
			return err
		}
		hit := 0
		for k := from; k < next; k++ {
			end := m.ends[k-from]
			if failed != nil && failed.Row < end {
				return m.o.out.fail(ctx, out, b.Ordinal(int(m.o.sides[side].rows[k])), diag.As(failed))
			}
			m.matched = m.matched[:0]
			for ; hit < len(m.hits) && int(m.hits[hit]) < end; hit++ {
				m.matched = append(m.matched, m.pairs[1-side][m.hits[hit]])
			}
			if err := m.o.answer(ctx, side, b, k, m.matched, out); err != nil {
				return err
			}
		}
		from = next
	}
	return nil
}

// collect puts the pairs of rows together until they make a batch, and returns the row
// behind them.
func (m *joinCondition) collect(side, from, to int) int {
	s, others := &m.o.sides[side], &m.o.state.sides[1-side]
	m.pairs[0], m.pairs[1], m.ends = m.pairs[0][:0], m.pairs[1][:0], m.ends[:0]
	k := from
	for ; k < to && len(m.pairs[0]) < m.o.out.size; k++ {
		if g := s.groups[s.rows[k]]; g >= 0 {
			m.pairs[1-side] = others.matches(g, m.o.now, m.pairs[1-side])
		}
		for len(m.pairs[side]) < len(m.pairs[1-side]) {
			m.pairs[side] = append(m.pairs[side], s.ids[k])
		}
		m.ends = append(m.ends, len(m.pairs[0]))
	}
	return k
}

// filter returns those of the rows of the other side that make a pair with a row.
func (m *joinCondition) filter(ctx context.Context, side int, id int32, matched []int32, out Output) ([]int32, *eval.Error, error) {
	if m.program == nil || len(matched) == 0 {
		return matched, nil, nil
	}
	m.pairs[1-side] = append(m.pairs[1-side][:0], matched...)
	m.pairs[side] = m.pairs[side][:0]
	for range matched {
		m.pairs[side] = append(m.pairs[side], id)
	}
	failed, err := m.judge(ctx, out)
	matched = matched[:0]
	for _, k := range m.hits {
		matched = append(matched, m.pairs[1-side][k])
	}
	return matched, failed, err
}

// judge evaluates the condition over all pairs. It returns the first failure, at the
// place of its pair.
func (m *joinCondition) judge(ctx context.Context, out Output) (*eval.Error, error) {
	m.hits = m.hits[:0]
	m.moment.Watermark = m.o.state.watermark
	for from := 0; from < len(m.pairs[0]); {
		to := min(from+m.o.out.size, len(m.pairs[0]))
		if from > 0 {
			if err := out.Poll(ctx); err != nil {
				return nil, err
			}
		}
		for c, used := range m.used {
			switch {
			case !used:
			case c < m.o.out.width:
				m.o.state.sides[0].store.GatherColumn(c, m.pairs[0][from:to], &m.batch.Cols[c])
			default:
				m.o.state.sides[1].store.GatherColumn(c-m.o.out.width, m.pairs[1][from:to], &m.batch.Cols[c])
			}
		}
		m.batch.N = to - from
		var err error
		m.selected, err = m.program.Filter(&m.batch, &m.moment, m.selected[:0])
		for _, k := range m.selected {
			m.hits = append(m.hits, int32(from)+k)
		}
		if err != nil {
			var e *eval.Error
			if !errors.As(err, &e) {
				return nil, err
			}
			at := *e
			at.Row += from
			return &at, nil
		}
		from = to
	}
	return nil, nil
}
