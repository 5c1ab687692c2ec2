package exec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// manyWindows computes the answer of windowPlan for HOP, CUMULATE and SESSION row by
// row: each window holds its own rows.
type manyWindows struct {
	spec            window.Spec
	keyed, lateFire bool
	early           bool
	plain           bool
	lateness        int64
	w               stream.Timestamp
	open            []*manyPane
	sessions        []*manySession
	lines           []string
	arrived         int
	show            func(s *manySession, ord int64) // what a session sends; nil: an aggregate
}

type manyPane struct {
	start, end int64
	fired      bool
	naivePane
}

type manySession struct {
	start, end int64
	first      int
	key        string
	rows       []wrow
}

func (m *manyWindows) run(rows []wrow) []string {
	m.w = stream.MinWatermark
	for i, r := range rows {
		if !r.dead {
			m.arrived++
			r.arrival = m.arrived
			if m.spec.Kind == window.Session {
				m.join(r, 2*int64(i))
			} else {
				m.row(r, 2*int64(i))
			}
		}
		if r.mark > m.w {
			m.raise(r.mark, 2*int64(i)+1)
		}
	}
	m.raise(stream.MaxWatermark, 2*int64(len(rows))+1)
	return m.lines
}

// windowsOf lists the windows of a time, of HOP the last one first, and the last one, which also
// decides for times between windows.
func (m *manyWindows) windowsOf(t int64) (list []edges, last edges) {
	s := m.spec
	if s.Kind == window.Cumulate {
		start := window.Start(t, s.Offset, s.Size)
		for end := start + s.Slide; end <= start+s.Size; end += s.Slide {
			if t < end {
				list = append(list, edges{start, end})
			}
		}
		return list, edges{start, start + s.Size}
	}
	first := window.Start(t, s.Offset, s.Slide)
	for start := first; start+s.Size > t; start -= s.Slide {
		list = append(list, edges{start, start + s.Size})
	}
	return list, edges{first, first + s.Size}
}

func (m *manyWindows) closed(end, lateness int64) bool {
	return m.w != stream.MinWatermark && int64(m.w) >= end-1+lateness
}

func (m *manyWindows) key(r wrow) string {
	if m.keyed {
		return r.key
	}
	return ""
}

func (m *manyWindows) row(r wrow, ord int64) {
	list, last := m.windowsOf(r.at)
	if m.closed(last.end, m.lateness) {
		m.lines = append(m.lines, fmt.Sprintf("late [%d,%d) by %d @%d", last.start, last.end, m.w, ord))
		return
	}
	for _, w := range list {
		fired := m.closed(w.end, 0)
		if fired && (!m.lateFire || m.closed(w.end, m.lateness)) {
			continue
		}
		p := m.pane(w)
		p.fired = fired
		key := m.key(r)
		if !slices.Contains(p.keys, key) {
			p.keys = append(p.keys, key)
		}
		if r.kind.Retracts() {
			p.count[key]--
			if k := slices.IndexFunc(p.groups[key], func(x wrow) bool { return x.val == r.val && x.keep == r.keep }); k >= 0 {
				p.groups[key] = append(p.groups[key][:k:k], p.groups[key][k+1:]...)
			}
		} else {
			p.count[key]++
			p.groups[key] = append(p.groups[key], r)
		}
		if fired || m.early {
			m.emit(p, key, ord)
		}
	}
}

func (m *manyWindows) pane(w edges) *manyPane {
	for _, p := range m.open {
		if p.start == w.start && p.end == w.end {
			return p
		}
	}
	p := &manyPane{start: w.start, end: w.end}
	p.groups, p.count, p.sent = map[string][]wrow{}, map[string]int{}, map[string]string{}
	m.open = append(m.open, p)
	return p
}

func (m *manyWindows) emit(p *manyPane, key string, ord int64) {
	n := &naive{spec: window.Spec{Size: p.end - p.start}, keyed: m.keyed, plain: m.plain}
	n.emit(&p.naivePane, p.start, key, ord)
	m.lines = append(m.lines, n.lines...)
}

func (m *manyWindows) join(r wrow, ord int64) {
	key := m.key(r)
	s := &manySession{start: r.at, end: r.at + m.spec.Gap, first: m.arrived, key: key}
	var touched []*manySession
	for _, o := range m.sessions {
		if o.key == key && o.start <= s.end && o.end >= s.start {
			touched = append(touched, o)
		}
	}
	if len(touched) == 0 && m.closed(s.end, 0) {
		m.lines = append(m.lines, fmt.Sprintf("late [%d,%d) by %d @%d", s.start, s.end, m.w, ord))
		return
	}
	for _, o := range touched {
		s.start, s.end, s.first = min(s.start, o.start), max(s.end, o.end), min(s.first, o.first)
		s.rows = append(s.rows, o.rows...)
		m.sessions = slices.DeleteFunc(m.sessions, func(x *manySession) bool { return x == o })
	}
	s.rows = append(s.rows, r)
	m.sessions = append(m.sessions, s)
}

func (m *manyWindows) raise(w stream.Timestamp, ord int64) {
	m.w = w
	var due []*manyPane
	for _, p := range m.open {
		if !p.fired && m.closed(p.end, 0) {
			due = append(due, p)
		}
	}
	sort.Slice(due, func(i, j int) bool {
		a, b := due[i], due[j]
		return a.end < b.end || a.end == b.end && a.start < b.start
	})
	for _, p := range due {
		p.fired = true
		if m.early {
			continue
		}
		for _, key := range p.keys {
			m.emit(p, key, ord)
		}
	}
	if !m.lateFire {
		m.open = slices.DeleteFunc(m.open, func(p *manyPane) bool { return p.fired })
	}
	m.endSessions(ord)
	m.lines = append(m.lines, fmt.Sprintf("W %d @%d", w, ord))
}

func (m *manyWindows) endSessions(ord int64) {
	var due []*manySession
	for _, s := range m.sessions {
		if m.closed(s.end, 0) {
			due = append(due, s)
		}
	}
	sort.Slice(due, func(i, j int) bool {
		a, b := due[i], due[j]
		switch {
		case a.end != b.end:
			return a.end < b.end
		case a.start != b.start:
			return a.start < b.start
		}
		return a.first < b.first
	})
	for _, s := range due {
		if m.show != nil {
			m.show(s, ord)
			continue
		}
		p := &manyPane{start: s.start, end: s.end}
		p.groups, p.count, p.sent = map[string][]wrow{}, map[string]int{}, map[string]string{}
		for _, r := range s.rows {
			if r.kind.Retracts() {
				p.count[s.key]--
				k := slices.IndexFunc(p.groups[s.key], func(x wrow) bool { return x.val == r.val && x.keep == r.keep })
				p.groups[s.key] = append(p.groups[s.key][:k:k], p.groups[s.key][k+1:]...)
			} else {
				p.count[s.key]++
				p.groups[s.key] = append(p.groups[s.key], r)
			}
		}
		m.emit(p, s.key, ord)
	}
	m.sessions = slices.DeleteFunc(m.sessions, func(s *manySession) bool { return slices.Contains(due, s) })
}

// kindCase is one random choice of window and data.
type kindCase struct {
	spec                     window.Spec
	keyed, retract, lateFire bool
	plain, legacy, early     bool
	lateness                 int64
	rows                     []wrow
}

func randomKind(r *rand.Rand) kindCase {
	c := kindCase{keyed: r.IntN(3) > 0, retract: r.IntN(3) == 0, plain: r.IntN(3) == 0, legacy: r.IntN(2) == 0}
	slide := []int64{1, 2, 3, 10, 25}[r.IntN(5)]
	c.spec = window.Spec{Kind: window.Hop, Slide: slide, Offset: r.Int64N(60) - 30}
	switch r.IntN(8) {
	case 0, 1:
		c.spec.Size = slide * (1 + r.Int64N(40))
	case 2:
		c.spec.Size = slide * (1 + r.Int64N(4))
	case 3:
		c.spec.Size, c.legacy = 1+r.Int64N(30), true
	case 4:
		c.spec.Size, c.legacy, c.lateFire = 1+r.Int64N(30), true, true
		c.lateness = 1 + r.Int64N(30)
		if r.IntN(2) == 0 {
			c.early = true
			if r.IntN(2) == 0 {
				c.lateFire, c.lateness = false, 0
			}
			if r.IntN(2) == 0 {
				c.spec = window.Spec{Size: c.spec.Size, Slide: c.spec.Size}
			}
		}
	case 5, 6:
		c.spec.Kind, c.spec.Size = window.Cumulate, slide*(1+r.Int64N(6))
	case 7:
		c.spec = window.Spec{Kind: window.Session, Gap: 1 + r.Int64N(30)}
	}
	c.rows = randomRows(r, 1+r.IntN(150), c.retract)
	if r.IntN(3) == 0 {
		// A stretch without rows: windows end in between, and groups become idle.
		k, by := r.IntN(len(c.rows)), 40+r.Int64N(200)
		for i := k; i < len(c.rows); i++ {
			c.rows[i].at += by
			c.rows[i].mark += stream.Timestamp(by)
			if c.rows[i].mark < 0 { // there was none yet
				c.rows[i].mark = stream.MinWatermark
			}
		}
	}
	return c
}

func TestWindowKindsAgainstModel(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := randomKind(r)
		if c.retract {
			if c.spec.Kind == window.Session {
				continue // what a retraction finds depends on sessions that have closed
			}
			c.rows = onlyMatched(c.rows, c.spec, c.lateness)
		}
		model := &manyWindows{spec: c.spec, keyed: c.keyed, lateFire: c.lateFire, early: c.early, plain: c.plain, lateness: c.lateness}
		want := strings.Join(inOrder(model.run(c.rows)), "\n")
		var calls []aggCall
		if c.plain {
			calls = []aggCall{{name: "COUNT"}, {name: "SUM", of: 2}, {name: "MIN", of: 2}, {name: "SUM", of: 2, filter: 3}}
		}
		mk := func() []Operator {
			late, p := windowPlan(c.spec, c.keyed, c.retract, c.lateFire, c.lateness, calls...)
			p.Legacy, p.EarlyFire = c.legacy, c.early
			a, err := windowAggregateFor(p)
			if err != nil {
				t.Fatal(err)
			}
			if c.spec.Kind == window.Session {
				return []Operator{a}
			}
			f, err := lateFilterFor(late)
			if err != nil {
				t.Fatal(err)
			}
			return []Operator{f, a}
		}
		for _, batchSize := range []int{1, 3, 40, 4096} {
			got := runWindows(t, mk, c.rows, batchSize, r)
			if text := strings.Join(inOrder(got.lines), "\n"); text != want {
				t.Fatalf("seed %d, batch size %d, %+v: %s", seed, batchSize, c.spec, firstDifference(text, want))
			}
			if n := got.envs[len(got.envs)-1].State.Rows(); n != 0 {
				t.Fatalf("seed %d, %+v: %d rows of state are left after the end", seed, c.spec, n)
			}
		}
	}
}

// firstDifference shows where two texts of lines part.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d:\n%s\nwant:\n%s\nafter:\n%s", i, g[i], w[i], strings.Join(g[max(0, i-5):i], "\n"))
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// TestSessionRowsAgainstModel checks SESSION on its own: which rows come, when, in what
// order, and in what window.
func TestSessionRowsAgainstModel(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 11))
		spec := window.Spec{Kind: window.Session, Gap: 1 + r.Int64N(30)}
		keyed, changes := r.IntN(3) > 0, r.IntN(3) == 0
		rows := randomRows(r, 1+r.IntN(150), changes)
		m := &manyWindows{spec: spec, keyed: keyed}
		m.show = func(s *manySession, ord int64) {
			sort.SliceStable(s.rows, func(i, j int) bool { return s.rows[i].arrival < s.rows[j].arrival })
			for _, x := range s.rows {
				keep := 0
				if x.keep {
					keep = 1
				}
				m.lines = append(m.lines, fmt.Sprintf("%s %d %s %d %d %d %d %d @%d", x.kind, x.at, x.key, x.val, keep, s.start, s.end, s.end-1, ord))
			}
		}
		want := strings.Join(inOrder(m.run(rows)), "\n")
		mk := func() []Operator {
			p := &physical.WindowTVF{Input: &physical.Values{Base: physical.Base{Schema: windowInput}}, Window: spec, Time: 0}
			if changes {
				p.Input.Info().Mode = physical.Retract
			}
			if keyed {
				p.Partition = []int{1}
			}
			p.Schema.Fields = slices.Clone(windowInput.Fields)
			for _, name := range []string{"window_start", "window_end", "window_time"} {
				p.Schema.Fields = append(p.Schema.Fields, stream.Field{Name: name, Type: types.NewTimestamp(3)})
			}
			op, err := windowTVFFor(p)
			if err != nil {
				t.Fatal(err)
			}
			return []Operator{op}
		}
		for _, batchSize := range []int{1, 3, 40, 4096} {
			got := runWindows(t, mk, rows, batchSize, r)
			if text := strings.Join(inOrder(got.lines), "\n"); text != want {
				t.Fatalf("seed %d, batch size %d, %+v: %s", seed, batchSize, spec, firstDifference(text, want))
			}
			if n := got.envs[0].State.Rows(); n != 0 {
				t.Fatalf("seed %d: %d rows are left after the end", seed, n)
			}
		}
	}
}
