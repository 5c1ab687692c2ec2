package exec

import (
	"math"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// groupSet is the declared state of an aggregate without a window: groups by key, and
// their accumulators.
//
// Where groups come to an end, because the input takes rows back or as they are kept
// for a time only, a group that begins anew gets another place among the accumulators,
// its slot. Places of groups that have ended are left behind until there are many.
type groupSet struct {
	keys    []types.Type
	calls   []expr.AggregateCall
	seed    uint64
	retract bool  // the input takes rows back
	ttl     int64 // milliseconds for which a group is kept; 0: forever
	scratch *state.Scratch

	table *state.Table
	aggs  *state.Aggregates
	slots expr.Cells[int32] // by group of the table: slot + 1; 0: it has ended. Unused where no group ends
	rows  expr.Cells[int64] // by slot: rows in the group
	last  expr.Cells[int64] // by slot: when its last row came
	ended int               // slots without a group
	swept int64             // when expired groups were last looked for
}

// init makes the empty state.
func (s *groupSet) init() (err error) {
	s.scratch, s.swept = state.NewScratch(), math.MinInt64
	s.table, s.aggs, err = s.make()
	return err
}

func (s *groupSet) make() (*state.Table, *state.Aggregates, error) {
	aggs, err := state.NewAggregates(s.calls, s.seed, s.scratch)
	table := state.NewTable(s.keys, s.seed, s.scratch)
	if !s.ends() && err == nil {
		table.Beside(aggs)
	}
	return table, aggs, err
}

// ends reports whether groups can come to an end.
func (s *groupSet) ends() bool { return s.retract || s.ttl > 0 }

// size is the number of slots.
func (s *groupSet) size() int {
	if s.ends() {
		return s.rows.Len()
	}
	return s.table.Len()
}

// manyEnded is how many groups must have ended before their places are given up.
const manyEnded = 4096

// What a row is to its group.
const (
	rowIgnored = iota // it is taken back from a group that is not there
	rowFirst          // the group begins
	rowLater
	rowLast // the group ends
)

// take puts one row into group g of the table and returns its slot and what it is to
// the group.
func (s *groupSet) take(g int32, retract bool, now int64) (slot int32, role uint8) {
	held := s.slots.At(int(g))
	if *held > 0 && s.ttl > 0 {
		if s.expired(*held-1, now) {
			s.end(held)
		} else {
			*s.last.At(int(*held - 1)) = now
		}
	}
	switch {
	case *held > 0 && !retract:
		*s.rows.At(int(*held - 1))++
		return *held - 1, rowLater
	case *held > 0:
		slot = *held - 1
		if n := s.rows.At(int(slot)); *n > 1 {
			*n--
			return slot, rowLater
		}
		s.end(held)
		return slot, rowLast
	case retract:
		return 0, rowIgnored
	}
	s.rows.Append(1)
	if s.ttl > 0 {
		s.last.Append(now)
	}
	*held = int32(s.rows.Len())
	return *held - 1, rowFirst
}

// end leaves the slot that held names behind.
func (s *groupSet) end(held *int32) {
	*s.rows.At(int(*held - 1)) = 0
	*held = 0
	s.ended++
}

func (s *groupSet) expired(slot int32, now int64) bool { return *s.last.At(int(slot)) <= now-s.ttl }

// tidy ends the groups whose time is over, once in that time, and gives up the slots
// and keys of groups that have ended where they are more than those that go on.
func (s *groupSet) tidy(now int64) error {
	if s.ttl > 0 && s.swept <= now-s.ttl {
		s.swept = now
		for g := range s.slots.Len() {
			if held := s.slots.At(g); *held > 0 && s.expired(*held-1, now) {
				s.end(held)
			}
		}
	}
	if s.ended < manyEnded || s.ended < s.rows.Len()/2 {
		return nil
	}
	table, aggs, err := s.make()
	if err != nil {
		return err
	}
	old := *s
	s.table, s.aggs, s.ended = table, aggs, 0
	s.slots, s.rows, s.last = expr.Cells[int32]{}, expr.Cells[int64]{}, expr.Cells[int64]{}
	const part = 4096
	var groups, from, to []int32
	cols, keys := make([]stream.Vec, len(s.keys)), make([]*stream.Vec, len(s.keys))
	for c := range cols {
		keys[c] = &cols[c]
	}
	for g := 0; g < old.slots.Len(); {
		groups, from, to = groups[:0], from[:0], to[:0]
		for ; g < old.slots.Len() && len(groups) < part; g++ {
			if held := *old.slots.At(g); held > 0 {
				groups, from, to = append(groups, int32(g)), append(from, held-1), append(to, int32(s.rows.Len()))
				s.rows.Append(*old.rows.At(int(held - 1)))
				if s.ttl > 0 {
					s.last.Append(*old.last.At(int(held - 1)))
				}
				s.slots.Append(int32(s.rows.Len()))
			}
		}
		old.table.Keys(groups, len(groups), cols)
		s.table.Find(keys, expr.Rows{N: len(groups)}, groups)
		if err := s.aggs.Move(to, old.aggs, from, s.rows.Len()); err != nil {
			return err
		}
	}
	return nil
}

// Rows is the number of groups.
func (s *groupSet) Rows() int64 { return int64(s.size() - s.ended) }

// Bytes is the memory held.
func (s *groupSet) Bytes() int64 {
	return s.table.Bytes() + s.aggs.Bytes() + s.slots.Bytes() + s.rows.Bytes() + s.last.Bytes()
}

// Snapshot writes all groups.
func (s *groupSet) Snapshot(e *stream.Encoder) {
	s.table.Snapshot(e)
	s.aggs.Snapshot(e)
	if !s.ends() {
		return
	}
	e.Int64(s.swept)
	e.Uint64(uint64(s.rows.Len()))
	for i := range s.rows.Len() {
		e.Int64(*s.rows.At(i))
		if s.ttl > 0 {
			e.Int64(*s.last.At(i))
		}
	}
	for g := range s.table.Len() {
		e.Int64(int64(*s.slots.At(g)))
	}
}

// Restore reads them.
func (s *groupSet) Restore(d *stream.Decoder) error {
	if err := s.table.Restore(d); err != nil {
		return err
	}
	if err := s.aggs.Restore(d); err != nil {
		return err
	}
	if !s.ends() {
		return d.Err()
	}
	s.swept = d.Int64()
	for range d.Count(8) {
		n := d.Int64()
		if s.rows.Append(n); n == 0 {
			s.ended++
		}
		if s.ttl > 0 {
			s.last.Append(d.Int64())
		}
	}
	for range s.table.Len() {
		slot := d.Int64()
		if slot < 0 || slot > int64(s.rows.Len()) {
			return d.Fail(stream.ErrSnapshot)
		}
		s.slots.Append(int32(slot))
	}
	return d.Err()
}
