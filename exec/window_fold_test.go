package exec_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"streamsql/exec"
	"streamsql/internal/optest"
	"streamsql/stream"
)

// foldEvent is a row, a rise of the watermark or a tick of the clock.
type foldEvent struct {
	k, v, ts  int64
	w, clock  int64 // above 0: one of these
	watermark bool
}

// foldGroup is a group of a window.
type foldGroup struct{ k, start, end int64 }

// foldSums is what the model knows of it.
type foldSums struct{ count, sum, top int64 }

func (s *foldSums) add(v int64) {
	s.count, s.sum, s.top = s.count+1, s.sum+v, max(s.top, v)
}

// foldModel computes what is left of all rows that were not late for a window.
type foldModel struct {
	kind           string
	slide, size    int64
	lateness, w    int64
	groups         map[foldGroup]*foldSums
	open           map[int64][]foldGroup // sessions by key
	late, received int64
}

// windows lists the windows of a time.
func (m *foldModel) windows(t int64) (list [][2]int64) {
	floor := func(by int64) int64 { return t - ((t%by)+by)%by }
	switch m.kind {
	case "tumble":
		list = append(list, [2]int64{floor(m.size), floor(m.size) + m.size})
	case "hop":
		for s := floor(m.slide); s > t-m.size; s -= m.slide {
			list = append(list, [2]int64{s, s + m.size})
		}
	case "cumulate":
		start := floor(m.size)
		for end := floor(m.slide) + m.slide; end <= start+m.size; end += m.slide {
			list = append(list, [2]int64{start, end})
		}
	}
	return list
}

func (m *foldModel) row(e foldEvent) {
	m.received++
	if m.kind == "session" {
		m.session(e)
		return
	}
	dropped := true
	for _, w := range m.windows(e.ts) {
		if w[1]-1+m.lateness > m.w {
			dropped = false
			g := foldGroup{e.k, w[0], w[1]}
			if m.groups[g] == nil {
				m.groups[g] = &foldSums{top: math.MinInt64}
			}
			m.groups[g].add(e.v)
		}
	}
	if dropped {
		m.late++
	}
}

func (m *foldModel) session(e foldEvent) {
	g, sums := foldGroup{e.k, e.ts, e.ts + m.size}, &foldSums{top: math.MinInt64}
	sums.add(e.v)
	var rest, merged []foldGroup
	for _, s := range m.open[e.k] {
		if s.start <= e.ts+m.size && s.end >= e.ts {
			merged = append(merged, s)
			g.start, g.end = min(g.start, s.start), max(g.end, s.end)
		} else {
			rest = append(rest, s)
		}
	}
	if g.end-1 <= m.w {
		m.late++
		return
	}
	for _, s := range merged {
		o := m.groups[s]
		sums.count, sums.sum, sums.top = sums.count+o.count, sums.sum+o.sum, max(sums.top, o.top)
		delete(m.groups, s)
	}
	m.groups[g], m.open[e.k] = sums, append(rest, g)
}

func (m *foldModel) advance(w int64) {
	m.w = max(m.w, w)
	for k, list := range m.open {
		m.open[k] = slices.DeleteFunc(list, func(s foldGroup) bool { return s.end-1 <= m.w })
	}
}

func (m *foldModel) rows() []string {
	var list []string
	for g, s := range m.groups {
		list = append(list, fmt.Sprint(g.k, s.count, s.sum, s.top, g.start, g.end))
	}
	slices.Sort(list)
	return list
}

// randomEvents ends with a tick that lets every period pass.
func randomEvents(rnd *rand.Rand) []foldEvent {
	var list []foldEvent
	now, clock, w := int64(1000), int64(1), int64(0)
	for range 300 {
		switch rnd.IntN(8) {
		case 0:
			if next := now - int64(rnd.IntN(30)); next > w { // only rises are marks
				w = next
				list = append(list, foldEvent{watermark: true, w: w})
			}
		case 1:
			clock += int64(rnd.IntN(40))
			list = append(list, foldEvent{clock: clock})
		default:
			now += int64(rnd.IntN(9))
			list = append(list, foldEvent{k: int64(rnd.IntN(3)), v: int64(rnd.IntN(20)), ts: now - int64(rnd.IntN(60))})
		}
	}
	return append(list, foldEvent{clock: clock + 10_000})
}

// folded are changes put together to the rows that are left.
type folded struct {
	t    *testing.T
	name string
	rows map[string]int
	log  strings.Builder
}

func (f *folded) emit(b *stream.Batch) error {
	for i := range b.Live() {
		if b.Sel != nil {
			i = int(b.Sel[i])
		}
		cells := make([]any, len(b.Cols))
		for c := range b.Cols {
			cells[c] = b.Cols[c].Value(i).I
		}
		row := fmt.Sprint(cells...)
		fmt.Fprintln(&f.log, b.Kind(i), row)
		if !b.Kind(i).Retracts() {
			f.rows[row]++
			continue
		}
		if f.rows[row]--; f.rows[row] < 0 {
			f.t.Errorf("%s: %s is taken back but was never sent", f.name, row)
		}
		if f.rows[row] == 0 {
			delete(f.rows, row)
		}
	}
	return nil
}

// The changes of a window aggregate fold to what its rows give that were not late,
// whatever the window, when it fires and how its input is cut; and every row is
// accounted for.
func TestWindowChangesFold(t *testing.T) {
	specs := map[string]foldModel{
		"tumble 10":      {kind: "tumble", size: 10},
		"hop 5 20":       {kind: "hop", slide: 5, size: 20},
		"hop 4 10":       {kind: "hop", slide: 4, size: 10},
		"cumulate 10 30": {kind: "cumulate", slide: 10, size: 30},
		"session 12":     {kind: "session", size: 12},
	}
	fires := map[string]int64{ // how it fires, and the allowed lateness
		"": 0, "latefire lateness 15": 15, "early 7": 0, "early 0": 0, "early 7 latefire lateness 15": 15,
		"late 9 lateness 100000": 100_000, "early 9 late 9 lateness 100000": 100_000, "early 0 late 9 lateness 100000": 100_000,
	}
	for spec, base := range specs {
		for fire, lateness := range fires {
			if base.kind == "session" && fire != "" {
				continue
			}
			for seed := range uint64(6) {
				rnd := rand.New(rand.NewPCG(seed, 11))
				events := randomEvents(rnd)
				m := base
				m.lateness, m.w = lateness, math.MinInt64
				m.groups, m.open = map[foldGroup]*foldSums{}, map[int64][]foldGroup{}
				for _, e := range events {
					switch {
					case e.watermark:
						m.advance(e.w)
					case e.clock == 0:
						m.row(e)
					}
				}
				text := fmt.Sprintf("source a: k BIGINT, v BIGINT, ts TIMESTAMP(3)*\nl = late a: ts, %s lateness %d\nw = aggregate %s: ts, %s %s, keys k, aggs COUNT(*) SUM(v) MAX(v), props start end\nroot w",
					spec, lateness, map[bool]string{true: "a", false: "l"}[base.kind == "session"], spec, fire)
				var first string
				for _, size := range []int{1, 3, 1000} {
					f := &folded{t: t, name: fmt.Sprintf("%s %s, seed %d, size %d", spec, fire, seed, size), rows: map[string]int{}}
					f.run(text, events, size, &m)
					if size == 1 {
						first = f.log.String()
					} else if f.log.String() != first {
						t.Errorf("%s: other changes than row by row", f.name)
					}
				}
			}
		}
	}
}

// run sends the events in batches of up to size rows and holds the result against the
// model.
func (f *folded) run(text string, events []foldEvent, size int, m *foldModel) {
	t, ctx := f.t, context.Background()
	plan, err := optest.Plan(text)
	if err != nil {
		t.Fatal(err)
	}
	g, err := exec.NewGraph(plan, exec.GraphConfig{}, f.emit)
	if err == nil {
		err = g.Open(ctx)
	}
	if err != nil {
		t.Fatal(f.name, err)
	}
	schema, next := g.Scans()[0].Info().Schema, int64(0)
	push := func(rows []foldEvent, marks []stream.Mark) {
		b := &stream.Batch{N: len(rows), Cols: make([]stream.Vec, len(schema.Fields)), Base: 2 * next, Marks: marks}
		for c, fd := range schema.Fields {
			b.Cols[c].Reset(fd.Type, b.N)
			for i, e := range rows {
				stream.Values[int64](&b.Cols[c])[i] = [...]int64{e.k, e.v, e.ts}[c]
			}
		}
		if b.N == 0 || len(marks) > 0 && marks[0].Pos == 0 {
			next++
			b.Base = 2 * next
		}
		for i := range b.Marks {
			b.Marks[i].Ord = b.Base + 2*int64(b.Marks[i].Pos) - 1
		}
		next += int64(b.N)
		b.Thru = 2*next - 1
		if err := g.Push(ctx, 0, b); err != nil {
			t.Fatal(f.name, err)
		}
	}
	var rows []foldEvent
	var marks []stream.Mark
	flush := func() {
		if len(rows)+len(marks) > 0 {
			push(rows, marks)
		}
		rows, marks = nil, nil
	}
	for _, e := range events {
		switch {
		case e.watermark:
			marks = append(marks, stream.Mark{Pos: int32(len(rows)), W: stream.Timestamp(e.w)})
		case e.clock > 0:
			flush()
			g.SetClock(e.clock)
			if g.Due() <= e.clock {
				next++
				if err := g.Tick(ctx, 2*next-1); err != nil {
					t.Fatal(f.name, err)
				}
			}
		default:
			if rows = append(rows, e); len(rows) >= size {
				flush()
			}
		}
	}
	flush()
	push(nil, []stream.Mark{{W: stream.MaxWatermark}})
	if err := g.Finish(ctx); err != nil {
		t.Fatal(f.name, err)
	}
	var got []string
	for row, n := range f.rows {
		if n != 1 {
			t.Errorf("%s: %s is there %d times", f.name, row, n)
		}
		got = append(got, row)
	}
	slices.Sort(got)
	if want := m.rows(); !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", f.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var late int64
	for _, o := range g.Stats() {
		late += o.Late
		if o.In != o.Used+o.Late+o.Filtered {
			t.Errorf("%s: operator %s: in %d, used %d, late %d, filtered %d", f.name, o.ID, o.In, o.Used, o.Late, o.Filtered)
		}
	}
	if late != m.late || g.Stats()[0].In != m.received {
		t.Errorf("%s: %d rows are late of %d, want %d of %d", f.name, late, g.Stats()[0].In, m.late, m.received)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}
