package state

import (
	"math/bits"

	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// Aggregates is the state of all aggregate calls of an operator for the groups of
// one table: it applies FILTER and DISTINCT and drives the accumulators.
type Aggregates struct {
	calls []call
	// mixed: additions and retractions of a batch may be applied apart.
	mixed bool
	sum   byte // of what touch has read
	n     int  // groups that the last Update knew of

	sel   []int32
	adds  []int32
	takes []int32
}

type call struct {
	expr.AggregateCall
	acc      expr.Accumulator
	toucher  expr.Toucher // acc, or nil
	distinct *Distinct    // nil: all values count
	args     []int        // input columns
	filter   int          // input column; -1: none
	vecs     []*stream.Vec
}

// NewAggregates returns empty state for calls, whose arguments and filters are
// columns of the input.
func NewAggregates(calls []expr.AggregateCall, seed uint64, s *Scratch) (*Aggregates, error) {
	// A nil selection would mean all rows.
	a := &Aggregates{mixed: true, sel: []int32{}, adds: []int32{}, takes: []int32{}}
	for i := range calls {
		c := call{AggregateCall: calls[i], acc: calls[i].Res.New(), filter: -1}
		c.toucher, _ = c.acc.(expr.Toucher)
		for _, x := range c.Args {
			col, err := columnOf(x)
			if err != nil {
				return nil, err
			}
			c.args = append(c.args, col)
		}
		c.vecs = make([]*stream.Vec, len(c.args))
		if c.Filter != nil {
			col, err := columnOf(c.Filter)
			if err != nil {
				return nil, err
			}
			c.filter = col
		}
		if c.Distinct && !c.Res.IgnoresDuplicates && len(c.args) > 0 {
			c.distinct = NewDistinct(c.Res.Args, seed+uint64(i)+1, s)
			c.distinct.ordered = !c.Res.OrderInsensitive
		}
		a.mixed = a.mixed && c.Res.OrderInsensitive && c.distinct == nil
		a.calls = append(a.calls, c)
	}
	return a, nil
}

func columnOf(x expr.Expr) (int, error) {
	if c, ok := x.(*expr.Column); ok {
		return c.Index, nil
	}
	return 0, diag.New(diag.Internal, x.Span(), "an aggregate's argument is no column of the input")
}

// Update accounts rows of b to their groups (groups[i] is that of physical row i),
// additions and retractions by their kinds. There are n groups now.
func (a *Aggregates) Update(b *stream.Batch, groups []int32, rows expr.Rows, n int) error {
	if n > a.n {
		for i := range a.calls {
			a.calls[i].acc.Grow(n)
		}
		a.n = n
	}
	if b.Kinds == nil {
		return a.apply(b, groups, rows, false)
	}
	if a.mixed {
		a.adds, a.takes = a.adds[:0], a.takes[:0]
		each(rows, func(i int32) {
			if b.Kinds[i].Retracts() {
				a.takes = append(a.takes, i)
			} else {
				a.adds = append(a.adds, i)
			}
		})
		if err := a.apply(b, groups, expr.Rows{N: b.N, Sel: a.adds}, false); err != nil {
			return err
		}
		return a.apply(b, groups, expr.Rows{N: b.N, Sel: a.takes}, true)
	}
	// In arrival order: one call for each run of rows of the same direction.
	a.adds = a.adds[:0]
	each(rows, func(i int32) { a.adds = append(a.adds, i) })
	for from := 0; from < len(a.adds); {
		retract := b.Kinds[a.adds[from]].Retracts()
		to := from + 1
		for to < len(a.adds) && b.Kinds[a.adds[to]].Retracts() == retract {
			to++
		}
		if err := a.apply(b, groups, expr.Rows{N: b.N, Sel: a.adds[from:to]}, retract); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func firstRow(rows expr.Rows) int32 {
	if rows.Sel != nil {
		return rows.Sel[0]
	}
	return 0
}

// touch asks for the state of one group, so that the misses of its parts overlap. In
// larger batches those of several groups do. Groups that came after the last Update have
// none yet.
func (a *Aggregates) touch(group int32) {
	if int(group) >= a.n {
		return
	}
	for i := range a.calls {
		if t := a.calls[i].toucher; t != nil {
			a.sum += t.Touch(group)
		}
	}
}

func each(rows expr.Rows, f func(i int32)) {
	if rows.Sel == nil {
		for i := range rows.N {
			f(int32(i))
		}
		return
	}
	for _, i := range rows.Sel {
		f(i)
	}
}

func (a *Aggregates) apply(b *stream.Batch, groups []int32, rows expr.Rows, retract bool) error {
	if rows.Len() == 0 {
		return nil
	}
	var fault error
	for i := range a.calls {
		c := &a.calls[i]
		for k, col := range c.args {
			c.vecs[k] = &b.Cols[col]
		}
		in := rows
		if c.filter >= 0 {
			a.sel = filterRows(a.sel[:0], &b.Cols[c.filter], rows)
			in.Sel = a.sel
		}
		if c.distinct != nil {
			if retract {
				in = c.distinct.Retract(groups, c.vecs, in)
			} else {
				in = c.distinct.Add(groups, c.vecs, in)
			}
		}
		if in.Len() == 0 {
			continue
		}
		var err error
		if retract {
			err = c.acc.Retract(groups, c.vecs, in)
		} else {
			err = c.acc.Add(groups, c.vecs, in)
		}
		if err != nil {
			// Another call may fail at a row in front of that.
			fault = c.explain(err)
			rows = rowsBefore(rows, FaultAt(fault, int(firstRow(rows))))
		}
	}
	return fault
}

// rowsBefore returns the rows that stand in front of one.
func rowsBefore(rows expr.Rows, row int) expr.Rows {
	before := expr.Rows{N: rows.N, Sel: []int32{}}
	each(rows, func(i int32) {
		if int(i) < row {
			before.Sel = append(before.Sel, i)
		}
	})
	return before
}

// filterRows appends the rows for which v is TRUE.
func filterRows(sel []int32, v *stream.Vec, rows expr.Rows) []int32 {
	if rows.Sel == nil && v.Enc == stream.Flat && v.Type.Kind == types.Boolean {
		words := v.Words()
		for w := 0; w<<6 < rows.N; w++ {
			x := words[w]
			if v.Valid != nil {
				x &= v.Valid[w]
			}
			if rest := rows.N - w<<6; rest < 64 {
				x &= 1<<rest - 1
			}
			for ; x != 0; x &= x - 1 {
				sel = append(sel, int32(w<<6+bits.TrailingZeros64(x)))
			}
		}
		return sel
	}
	if rows.Sel == nil {
		for i := range rows.N {
			if !v.IsNull(i) && v.Bool(i) {
				sel = append(sel, int32(i))
			}
		}
		return sel
	}
	for _, i := range rows.Sel {
		if !v.IsNull(int(i)) && v.Bool(int(i)) {
			sel = append(sel, i)
		}
	}
	return sel
}

// Results writes the results of groups (nil: 0..n-1), one vector per call. If there is
// one that cannot be given, the Fault is that of the first group in question.
func (a *Aggregates) Results(groups []int32, n int, out []stream.Vec) error {
	var fault error
	for i := range a.calls {
		c := &a.calls[i]
		out[i].Reset(c.Res.Result, n)
		if err := c.acc.Result(groups, n, &out[i]); err != nil {
			// Another call may fail at a group in front of that.
			fault = c.explain(err)
			n = FaultAt(fault, 0)
		}
	}
	return fault
}

// Reset drops all groups and keeps the memory.
func (a *Aggregates) Reset() {
	a.n = 0
	for i := range a.calls {
		a.calls[i].acc.Reset()
		if d := a.calls[i].distinct; d != nil {
			d.Reset()
		}
	}
}

// Bytes is the memory held.
func (a *Aggregates) Bytes() int64 {
	var n int64
	for i := range a.calls {
		n += a.calls[i].acc.Bytes()
		if d := a.calls[i].distinct; d != nil {
			n += d.Bytes()
		}
	}
	return n
}

// Snapshot writes the state of all calls.
func (a *Aggregates) Snapshot(e *stream.Encoder) {
	for i := range a.calls {
		a.calls[i].acc.Snapshot(e)
		if d := a.calls[i].distinct; d != nil {
			d.Snapshot(e)
		}
	}
}

// Restore reads it into empty state of the same calls.
func (a *Aggregates) Restore(d *stream.Decoder) error {
	for i := range a.calls {
		if err := a.calls[i].acc.Restore(d); err != nil {
			return err
		}
		if s := a.calls[i].distinct; s != nil {
			if err := s.Restore(d); err != nil {
				return err
			}
		}
	}
	return d.Err()
}
