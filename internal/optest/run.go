package optest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"streamsql/connector"
	"streamsql/exec"
	"streamsql/stream"
)

// Run runs every test of a script file.
func Run(t *testing.T, path string) {
	t.Helper()
	scripts, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scripts {
		t.Run(s.Name, func(t *testing.T) { s.run(t, path) })
	}
}

// config is one way to cut and send the same messages.
type config struct {
	name    string
	size    int    // rows per batch; 0: all that come in a row
	random  uint64 // seed for random cuts with batches without rows; 0: none
	dense   bool   // marks in the dense form where it can say the same
	restore bool   // a snapshot goes into a fresh instance after each batch
	seed    uint64 // hash seed
	lanes   int    // goroutines that groups are divided among, from the first group on; 0: none
}

func configs() []config {
	list := []config{
		{name: "size 2", size: 2}, {name: "size 3", size: 3}, {name: "all"},
		{name: "dense 1", size: 1, dense: true}, {name: "dense all", dense: true},
		{name: "restore 1", size: 1, restore: true}, {name: "restore 2", size: 2, restore: true},
		{name: "restore dense", size: 3, restore: true, dense: true},
		{name: "hash seed", seed: 0x9e3779b97f4a7c15},
		{name: "lanes", lanes: 3}, {name: "lanes restore", lanes: 2, size: 2, restore: true},
	}
	for i := range uint64(8) {
		list = append(list, config{name: fmt.Sprintf("random %d", i+1), random: i + 1, dense: i%2 == 1, restore: i%4 >= 2, lanes: int(i % 3)})
	}
	return list
}

func (s *Script) run(t *testing.T, path string) {
	if s.Plan == nil {
		t.Fatal("the script has no root")
	}
	rows, late := s.reference(t, path)
	for _, c := range configs() {
		r := s.start(t, c)
		r.messages(s.Messages)
		r.close()
		if got := strings.Join(r.rows, "\n"); got != strings.Join(rows, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, strings.Join(rows, "\n"))
		}
		if got := strings.Join(r.late, "\n"); got != strings.Join(late, "\n") {
			t.Errorf("%s: late rows\n%s\nwant\n%s", c.name, got, strings.Join(late, "\n"))
		}
	}
}

// reference runs message by message, each with its expected output, and returns all
// output.
func (s *Script) reference(t *testing.T, path string) (rows, late []string) {
	r := s.start(t, config{name: "size 1", size: 1})
	for i := range s.Messages {
		m := s.Messages[i]
		from, lateFrom := len(r.rows), len(r.late)
		r.messages(s.Messages[i : i+1])
		got := append(slices.Clone(r.rows[from:]), r.late[lateFrom:]...)
		if !equal(got, m.Want) {
			t.Errorf("%s:%d: got\n  > %s\nwant\n  > %s", path, m.Line, strings.Join(got, "\n  > "), strings.Join(m.Want, "\n  > "))
		}
	}
	r.close()
	return r.rows, r.late
}

// equal compares lines; the text of an expected error need only be contained.
func equal(got, want []string) bool {
	return slices.EqualFunc(got, want, func(g, w string) bool {
		if text, ok := strings.CutPrefix(w, "error "); ok {
			return strings.HasPrefix(g, "error ") && strings.Contains(g, text)
		}
		return g == w
	})
}

// runner sends messages in the way of a config and writes down what comes out.
type runner struct {
	t      *testing.T
	s      *Script
	c      config
	g      *exec.Graph
	next   int64 // number of the next row
	state  uint64
	rows   []string
	late   []string
	wm     stream.Timestamp
	clock  int64
	failed bool
}

func (s *Script) start(t *testing.T, c config) *runner {
	r := &runner{t: t, s: s, c: c, state: c.random, wm: stream.MinWatermark}
	r.g = r.open()
	return r
}

func (r *runner) open() *exec.Graph {
	g, err := exec.NewGraph(r.s.Plan, exec.GraphConfig{Seed: r.c.seed, Lanes: r.c.lanes, WideFrom: 1, Late: r.lateRow}, r.emit)
	if err == nil {
		err = g.Open(context.Background())
	}
	if err != nil {
		r.t.Fatalf("%s: %v", r.c.name, err)
	}
	g.SetClock(r.clock)
	return g
}

// setClock puts the clock forward and does what is due, as the driver would.
func (r *runner) setClock(now int64) {
	r.clock = now
	r.g.SetClock(now)
	if r.g.Due() > now {
		return
	}
	r.next++
	r.done(r.g.Tick(context.Background(), 2*r.next-1))
	r.restart()
}

func (r *runner) close() {
	if !r.failed {
		for _, o := range r.g.Stats() {
			if o.In != o.Used+o.Late+o.Filtered {
				r.t.Errorf("%s: operator %q: in %d, used %d, late %d, filtered %d", r.c.name, o.ID, o.In, o.Used, o.Late, o.Filtered)
			}
		}
	}
	if err := r.g.Close(); err != nil {
		r.t.Errorf("%s: %v", r.c.name, err)
	}
}

// emit writes rows and marks in their order.
func (r *runner) emit(b *stream.Batch) error {
	live := 0
	row := func(limit int) {
		for ; live < b.Live(); live++ {
			i := live
			if b.Sel != nil {
				i = int(b.Sel[live])
			}
			if i >= limit {
				return
			}
			r.rows = append(r.rows, b.Kind(i).String()+" "+rowText(b, i, r.s.Plan.Root.Info().Schema))
		}
	}
	for cursor := 0; ; {
		m, next, ok := b.NextMark(cursor, r.wm, stream.MinWatermark)
		if !ok {
			break
		}
		cursor, r.wm = next, m.W
		row(int(m.Pos))
		if m.W == stream.MaxWatermark {
			r.rows = append(r.rows, "W end")
		} else {
			r.rows = append(r.rows, fmt.Sprintf("W %d", m.W))
		}
	}
	row(b.N)
	return nil
}

func rowText(b *stream.Batch, i int, s stream.Schema) string {
	cells := make([]string, len(b.Cols))
	for c := range b.Cols {
		cells[c] = formatValue(s.Fields[c].Type, b.Cols[c].Value(i))
	}
	return strings.Join(cells, " | ")
}

func (r *runner) lateRow(l stream.LateRow) {
	for i, v := range l.Values {
		if l.Nulls[i] {
			l.Values[i] = "NULL"
		}
		if at, err := time.Parse("2006-01-02 15:04:05.000", v); err == nil {
			l.Values[i] = fmt.Sprint(at.UnixMilli())
		}
	}
	r.late = append(r.late, fmt.Sprintf("late %s @ %d", strings.Join(l.Values, " | "), l.Watermark))
}

// messages sends them in batches.
func (r *runner) messages(ms []Message) {
	for len(ms) > 0 && !r.failed {
		if ms[0].Clock > 0 {
			r.setClock(ms[0].Clock)
			ms = ms[1:]
			continue
		}
		if ms[0].Source < 0 {
			r.end()
			ms = ms[1:]
			continue
		}
		if r.c.random != 0 && r.random(3) == 0 {
			r.push(ms[0].Source, nil)
			if r.failed {
				return
			}
		}
		n := r.cut(ms)
		r.push(ms[0].Source, ms[:n])
		ms = ms[n:]
	}
}

// cut returns how many messages go into the next batch.
func (r *runner) cut(ms []Message) int {
	size := r.c.size
	if r.c.random != 0 {
		size = 1 + r.random(4)
	}
	rows := 0
	for i, m := range ms {
		if m.Source != ms[0].Source {
			return i
		}
		if m.Row != nil {
			if rows++; size > 0 && rows > size {
				return i
			}
		} else if r.c.random != 0 && i > 0 && r.random(3) == 0 {
			return i
		}
	}
	return len(ms)
}

func (r *runner) random(n int) int {
	r.state ^= r.state << 13
	r.state ^= r.state >> 7
	r.state ^= r.state << 17
	return int(r.state % uint64(n))
}

// push sends one batch and destroys its memory.
func (r *runner) push(source int, ms []Message) {
	b := r.batch(source, ms)
	r.done(r.g.Push(context.Background(), source, b))
	poison(b)
	r.restart()
}

// restart goes on with a fresh instance, if that is asked for.
func (r *runner) restart() {
	if r.failed || !r.c.restore {
		return
	}
	var e, again stream.Encoder
	r.g.Snapshot(&e)
	r.close()
	r.g = r.open()
	if err := r.g.Restore(stream.NewDecoder(e.Bytes())); err != nil {
		r.t.Fatalf("%s: restore: %v", r.c.name, err)
	}
	if r.g.Snapshot(&again); string(again.Bytes()) != string(e.Bytes()) {
		r.t.Errorf("%s: a restored instance gives another snapshot", r.c.name)
	}
}

// batch makes a batch with ordinals as the driver would give them.
func (r *runner) batch(source int, ms []Message) *stream.Batch {
	schema := r.s.schemas[source]
	b := &stream.Batch{Cols: make([]stream.Vec, len(schema.Fields))}
	var rows []Message
	for _, m := range ms {
		if m.Row != nil {
			rows = append(rows, m)
			if m.Kind != stream.Insert && b.Kinds == nil {
				b.Kinds = []stream.RowKind{}
			}
		}
	}
	b.N = len(rows)
	if len(ms) > 0 && ms[0].Row == nil {
		r.next++ // marks in front take the place of a row
	}
	b.Base = 2 * r.next
	n := 0
	for _, m := range ms {
		if m.Row != nil {
			n++
		} else {
			b.Marks = append(b.Marks, stream.Mark{Pos: int32(n), Ord: b.Base + 2*int64(n) - 1, W: m.W})
		}
	}
	for c, f := range schema.Fields {
		b.Cols[c].Reset(f.Type, b.N)
		for i, m := range rows {
			b.Cols[c].Put(i, b.N, m.Row[c])
		}
	}
	for _, m := range rows {
		if b.Kinds != nil {
			b.Kinds = append(b.Kinds, m.Kind)
		}
	}
	r.next += int64(b.N)
	b.Thru = 2*r.next - 1
	if r.c.dense {
		toDense(b)
	}
	return b
}

// toDense gives the batch the dense form of marks if it can say the same.
func toDense(b *stream.Batch) {
	if b.N == 0 {
		return
	}
	last := int32(0)
	for _, m := range b.Marks {
		if m.Pos == last {
			return // in front, or two behind one row
		}
		last = m.Pos
	}
	w, k := stream.MinWatermark, 0
	for i := range b.N {
		if k < len(b.Marks) && int(b.Marks[k].Pos) == i+1 {
			w = b.Marks[k].W
			k++
		}
		b.After = append(b.After, w)
	}
	b.Marks = nil
}

// poison overwrites everything an operator could have kept a reference to.
func poison(b *stream.Batch) {
	for c := range b.Cols {
		v := &b.Cols[c]
		for i := range v.Data[:cap(v.Data)] {
			v.Data[:cap(v.Data)][i] = 0xa5
		}
		for i := range v.Off {
			v.Off[i] = math.MaxInt32
		}
		for i := range v.Valid {
			v.Valid[i] = 0x5a5a5a5a5a5a5a5a
		}
	}
	for i := range b.Marks {
		b.Marks[i] = stream.Mark{Pos: math.MaxInt32, Ord: -1, W: 12345}
	}
	for i := range b.After {
		b.After[i] = 12345
	}
	for i := range b.Kinds {
		b.Kinds[i] = stream.Delete
	}
	b.N = 0
}

// end sends the end of all inputs.
func (r *runner) end() {
	for i := range r.s.names {
		m := Message{Source: i, W: stream.MaxWatermark}
		if r.push(i, []Message{m}); r.failed {
			return
		}
	}
	r.done(r.g.Finish(context.Background()))
}

func (r *runner) done(err error) {
	switch {
	case err == nil:
	case errors.Is(err, connector.ErrEnough):
		r.rows = append(r.rows, "enough")
		r.failed = true
		if err := r.g.Finish(context.Background()); err != nil {
			r.rows = append(r.rows, "error "+err.Error())
		}
	default:
		r.rows = append(r.rows, "error "+err.Error())
		r.failed = true
	}
}
