package exec

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/stream"
	"streamsql/window"
)

// lateBook holds the late rows of the batch in flight until it is clear that they
// happened: a batch that a LIMIT or a failure cuts short has read rows that a run row
// by row would never have seen. Then they are counted, and delivered by ordinal and
// plan order.
type lateBook struct {
	deliver func(stream.LateRow) // nil: only count
	zone    expr.Zone
	sources []*lateSource // by head
	head    int
	src     *stream.Batch
	entries []lateEntry
	rows    []stream.LateRow
	several bool // entries of more than one operator
	columns map[lateInput][]string
}

// lateInput is one input of an operator.
type lateInput struct {
	n    *node
	port int
}

type lateEntry struct {
	ord int64
	by  int64 // additional watermark delay that would have kept the row
	n   *node
	row int // index of the delivered form; -1: none
}

// lateSource is what is known about the late rows of one source.
type lateSource struct {
	table string

	mu   sync.Mutex // readers of the statistics come from other goroutines
	hist *histogram // made at the first late row
}

// advice returns the number of late rows, and by how much the watermark's delay
// falls short of keeping 99 % and all of them.
func (s *lateSource) advice() (late, keep99, keepAll int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hist == nil {
		return 0, 0, 0
	}
	return s.hist.count, s.hist.percentile(99), s.hist.max
}

// source says which source batch is in flight.
func (l *lateBook) source(head int, src *stream.Batch) { l.head, l.src = head, src }

// add records late rows of operator n.
func (l *lateBook) add(n *node, r *LateRows) {
	if len(l.entries) > 0 && l.entries[0].n != n {
		l.several = true
	}
	for k, row := range r.Rows {
		e := lateEntry{ord: r.Batch.Ordinal(int(row)), n: n, row: -1}
		closed := window.CleanedAt(r.End[k], r.Lateness)
		e.by = satAdd(satAdd(int64(r.Watermark[k]), -int64(closed)), 1)
		if l.deliver != nil {
			e.row = len(l.rows)
			l.rows = append(l.rows, l.describe(n, r, k))
		}
		l.entries = append(l.entries, e)
	}
}

// commit accounts the recorded rows with ordinals up to ord and forgets the others,
// as if their operators had never got them.
func (l *lateBook) commit(ord int64) {
	if len(l.entries) == 0 {
		return
	}
	if l.several {
		slices.SortStableFunc(l.entries, func(a, b lateEntry) int {
			switch {
			case a.ord != b.ord:
				if a.ord < b.ord {
					return -1
				}
				return 1
			default:
				return a.n.index - b.n.index
			}
		})
	}
	s := l.sources[l.head]
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range l.entries {
		if e.ord > ord {
			e.n.counters.In.Add(-1)
			continue
		}
		e.n.counters.Late.Add(1)
		if s.hist == nil {
			s.hist = new(histogram)
		}
		s.hist.add(e.by)
		if e.row >= 0 {
			l.deliver(l.rows[e.row])
		}
	}
	clear(l.rows)
	l.entries, l.rows, l.several = l.entries[:0], l.rows[:0], false
}

// describe makes the readable form of late row k.
func (l *lateBook) describe(n *node, r *LateRows, k int) stream.LateRow {
	row := int(r.Rows[k])
	out := stream.LateRow{
		Operator: n.plan.Info().ID, Ord: r.Batch.Ordinal(row),
		WindowStart: stream.Timestamp(r.Start[k]), WindowEnd: stream.Timestamp(r.End[k]), Watermark: r.Watermark[k], Location: n.inputLocation(),
		Columns: l.names(lateInput{n, r.Port}), Values: make([]string, len(r.Batch.Cols)), Nulls: make([]bool, len(r.Batch.Cols)),
	}
	if t := &r.Batch.Cols[r.Time]; !t.IsNull(row) {
		out.Time = stream.Timestamp(t.Value(row).I)
	}
	if out.Ord&1 == 0 {
		// A row of the source itself; one that a window emitted has no line.
		out.Table = l.sources[l.head].table
		if i := (out.Ord - l.src.Base) / 2; i >= 0 && i < int64(l.src.N) {
			out.File, out.Line = l.src.OriginOf(int(i))
		}
	} else if len(l.sources) == 1 {
		out.Table = l.sources[0].table
	}
	for c := range r.Batch.Cols {
		v := &r.Batch.Cols[c]
		if out.Nulls[c] = v.IsNull(row); !out.Nulls[c] {
			out.Values[c] = string(builtin.AppendText(nil, v, row, l.zone))
		}
	}
	return out
}

// names returns the columns of an input.
func (l *lateBook) names(in lateInput) []string {
	names := l.columns[in]
	if names == nil {
		names = in.n.plan.Inputs()[in.port].Info().Schema.Names()
		if l.columns == nil {
			l.columns = map[lateInput][]string{}
		}
		l.columns[in] = names
	}
	return names
}

// histogram counts positive numbers in buckets that are at most 1 % wide: 128 per
// power of two, exact below 256.
type histogram struct {
	count   int64
	max     int64
	buckets [64 * 128]int64
}

func (h *histogram) add(x int64) {
	h.count++
	h.max = max(h.max, x)
	h.buckets[bucketOf(x)]++
}

// percentile returns a number that at least p percent of the added ones do not
// exceed: the upper end of its bucket.
func (h *histogram) percentile(p int64) int64 {
	need := h.count - h.count*(100-p)/100
	for i, n := range h.buckets {
		if need -= n; need <= 0 {
			return min(bucketEnd(i), h.max)
		}
	}
	return h.max
}

// bucketOf returns the bucket of x: its exponent above the seventh bit, and the
// seven bits below the leading one.
func bucketOf(x int64) int {
	if x < 128 {
		return int(max(x, 0))
	}
	exp := bits.Len64(uint64(x)) - 8
	return exp<<7 + int(x>>exp)
}

// bucketEnd returns the largest number in bucket i.
func bucketEnd(i int) int64 {
	if i < 256 {
		return int64(i)
	}
	exp := i>>7 - 1
	top := int64(i&127 + 128)
	return (top+1)<<exp - 1
}

// satAdd adds and stays within int64.
func satAdd(a, b int64) int64 {
	s := a + b
	if b > 0 && s < a {
		return math.MaxInt64
	}
	if b < 0 && s > a {
		return math.MinInt64
	}
	return s
}
