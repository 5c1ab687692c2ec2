package exec

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// modelSession is a session in a list of all.
type modelSession struct{ key, start, end, first int64 }

// modelSessions keeps sessions the plain way.
type modelSessions struct {
	gap  int64
	w    stream.Timestamp
	open []modelSession
}

func (m *modelSessions) row(key, t, arrival int64) (taken bool) {
	s := modelSession{key, t, t + m.gap, arrival}
	var rest []modelSession
	for _, o := range m.open {
		if o.key != key || o.start > t+m.gap || o.end < t {
			rest = append(rest, o)
			continue
		}
		s.start, s.end, s.first = min(s.start, o.start), max(s.end, o.end), min(s.first, o.first)
	}
	if stream.Timestamp(s.end-1) <= m.w {
		return false
	}
	m.open = append(rest, s)
	return true
}

func (m *modelSessions) close(w stream.Timestamp) (due []modelSession) {
	m.w = w
	m.open = slices.DeleteFunc(m.open, func(s modelSession) bool {
		if stream.Timestamp(s.end-1) > w {
			return false
		}
		due = append(due, s)
		return true
	})
	slices.SortFunc(due, func(a, b modelSession) int {
		return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.start, b.start), cmp.Compare(a.first, b.first))
	})
	return due
}

// TestSessionsCloseInOrder holds the sessions that each watermark closes, and their
// order, against a list of all sessions that is sorted each time: with few and many
// sessions of one end, watermarks after each row and far apart, and times out of order.
func TestSessionsCloseInOrder(t *testing.T) {
	total := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		gap := []int64{1, 7, 100, 1000, 50_000}[r.IntN(5)]
		keys, step, every := 1+r.Int64N(400), 1+r.Int64N(gap), 1+r.IntN(300)
		unit := 1 + r.Int64N(max(1, gap/5)) // times are multiples of it
		s := &sessionSet{grid: window.Grid{Spec: window.Spec{Kind: window.Session, Gap: gap}}, keys: []types.Type{types.Of(types.BigInt)}}
		s.init()
		m := &modelSessions{gap: gap, w: stream.MinWatermark}
		names, key := map[int32]int64{}, []*stream.Vec{new(stream.Vec)}
		key[0].Reset(types.Of(types.BigInt), 1)
		now, late := int64(-3*gap), 0
		advance := func(w stream.Timestamp) {
			var got []modelSession
			if s.timer() <= w {
				for _, id := range s.close(w) {
					p := s.sessions[id]
					got = append(got, modelSession{names[p.key], p.start, p.end, p.first})
					s.remove(id)
				}
			}
			s.watermark = w
			if want := m.close(w); !slices.Equal(got, want) {
				t.Fatalf("seed %d, watermark %d: closed %v\nwant %v", seed, w, got, want)
			}
			if s.rows() != int64(len(m.open)) {
				t.Fatalf("seed %d: %d sessions are open, want %d", seed, s.rows(), len(m.open))
			}
		}
		for i := range int64(2000) {
			k, at := r.Int64N(keys), (now-r.Int64N(3*gap)+r.Int64N(gap))/unit*unit
			stream.Values[int64](key[0])[0] = k
			var g [1]int32
			s.table.Find(key, expr.Rows{N: 1}, g[:])
			s.grow()
			names[g[0]] = k
			id, err := s.take(g[0], at, i, func(into, from int32) error {
				if s.sessions[into].first >= s.sessions[from].first {
					t.Fatalf("seed %d: the later session goes on", seed)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if taken := m.row(k, at, i); taken != (id != noSession) {
				t.Fatalf("seed %d, row %d: taken %v, want %v", seed, i, !taken, taken)
			} else if !taken {
				late++
			}
			if r.IntN(every) > 0 {
				continue
			}
			if r.IntN(4) > 0 {
				now += r.Int64N(step + 1)
			}
			advance(max(m.w, stream.Timestamp(now-r.Int64N(2*gap))))
			if s.over > 0 && r.IntN(5) == 0 {
				renumberSessions(t, s, names)
			}
		}
		advance(max(m.w, stream.Timestamp(now+gap)))
		advance(stream.MaxWatermark)
		if total += late; s.rows() > 0 {
			t.Errorf("seed %d: %d sessions are left", seed, s.rows())
		}
	}
	if total == 0 {
		t.Error("no row was late")
	}
}

// renumberSessions renumbers sessions and, now and then, keys; names follow.
func renumberSessions(t *testing.T, s *sessionSet, names map[int32]int64) {
	by := map[int64]int64{} // first arrival to key: no two sessions have the same
	for _, p := range s.sessions {
		if p.key >= 0 {
			by[p.first] = names[p.key]
		}
	}
	if _, err := s.renumber(); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.sessions {
		names[p.key] = by[p.first]
	}
}
