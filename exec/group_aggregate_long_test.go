package exec

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// sizes is an output that notes how much a batch holds at most, and checks the text of
// each change.
type sizes struct {
	t       testing.TB
	largest int
	rows    int
	last    int // bytes of the last text
	thru    int64
}

func (s *sizes) Batch(_ context.Context, b *stream.Batch) error {
	s.largest = max(s.largest, len(b.Cols[1].Data))
	for i := range b.N {
		n := len(b.Cols[1].Bytes(i))
		if (b.Kind(i) == stream.UpdateBefore) != (n == s.last) {
			s.t.Errorf("change %d is %v with %d bytes after one with %d", s.rows, b.Kind(i), n, s.last)
		}
		s.rows, s.last = s.rows+1, n
		if b.Ordinal(i) <= s.thru {
			s.t.Errorf("ordinal %d behind %d", b.Ordinal(i), s.thru)
		}
	}
	s.thru = b.Thru
	return nil
}

func (*sizes) Poll(context.Context) error { return nil }

// TestGroupsOfLongResults: a group that keeps its values gives all of them twice for
// each row. A batch of such answers is sent in parts, which together are what one batch
// would be.
func TestGroupsOfLongResults(t *testing.T) {
	const rows, length = 300, 4096
	p := groupPlan(physical.Append)
	text := groupInput.Fields[0].Type
	c := expr.AggregateCall{Agg: builtin.NewRegistry().Aggregate("LISTAGG"), Args: []expr.Expr{&expr.Column{Info: expr.Info{T: text}, Index: 0, Name: "k"}}}
	var err error
	if c.Res, err = c.Agg.Resolve([]types.Type{text}, false, false); err != nil {
		t.Fatal(err)
	}
	c.T = c.Res.Result
	p.Keys, p.Aggs = []int{1}, []expr.AggregateCall{c}
	p.Schema.Fields = []stream.Field{groupInput.Fields[1], {Name: "l", Type: c.T}}
	op, _ := openGroups(t, p, nil)

	b := &stream.Batch{N: rows, Cols: make([]stream.Vec, 2), Thru: 2 * rows}
	b.Cols[0].Reset(text, rows)
	b.Cols[1].Reset(groupInput.Fields[1].Type, rows)
	for i := range rows {
		b.Cols[0].AppendString(strings.Repeat("x", length))
		stream.Values[int64](&b.Cols[1])[i] = 7
		b.Marks = append(b.Marks, stream.Mark{Pos: int32(i + 1), Ord: int64(2*i + 1), W: stream.Timestamp(i)})
	}
	out := &sizes{t: t, thru: -1}
	if err := op.ProcessBatch(context.Background(), 0, b, out); err != nil {
		t.Fatal(err)
	}
	if want := 2*rows - 1; out.rows != want || out.thru != b.Thru {
		t.Errorf("%d changes up to %d, want %d up to %d", out.rows, out.thru, want, b.Thru)
	}
	if want := rows*(length+1) - 1; out.last != want {
		t.Errorf("the last result has %d bytes, want %d", out.last, want)
	}
	if out.largest > 2*resultBytes {
		t.Error(fmt.Sprint("a batch of ", out.largest, " bytes"))
	}
}
