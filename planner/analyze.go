package planner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
)

// Analyze plans the query of EXPLAIN ANALYZE; Analyzed prints how it ran. Other
// statements are refused, since they would leave something behind, and input without an
// end, since there would never be a result.
func Analyze(env *Env, s *sql.Explain, text string) (*physical.Plan, error) {
	if i := slices.IndexFunc(s.Details, func(d string) bool { return d != "ANALYZE" }); i >= 0 {
		return nil, diag.New(diag.Unsupported, s.Span(), "EXPLAIN ANALYZE together with %s is not supported", s.Details[i]).
			WithHint("use two statements")
	}
	q, ok := s.Statement.(*sql.QueryStatement)
	if !ok {
		return nil, diag.New(diag.Unsupported, s.Statement.Span(), "EXPLAIN ANALYZE takes a query, since it runs it").
			WithHint("analyze the query of the statement alone")
	}
	p, err := Query(env, q.Query, text)
	if err != nil {
		return nil, err
	}
	if !p.Root.Info().Bounded {
		return nil, diag.New(diag.Unsupported, s.Statement.Span(), "the input of the query never ends, and EXPLAIN ANALYZE runs it to its end").
			WithHint("add a LIMIT")
	}
	return p, nil
}

// Analyzed returns the text of a plan that has run for took, with what each node did.
func Analyzed(p *physical.Plan, s stream.Stats, took time.Duration) string {
	a := analysis{total: took.Nanoseconds(), scans: map[string]*stream.SourceStats{}, operators: map[string]*stream.OperatorStats{}}
	var known int64
	for i := range s.Sources {
		a.scans[s.Sources[i].ID] = &s.Sources[i]
		known += s.Sources[i].Nanos
	}
	for i := range s.Operators {
		a.operators[s.Operators[i].ID] = &s.Operators[i]
		known += s.Operators[i].Nanos
	}
	var out strings.Builder
	out.WriteString("== Physical Plan with what it did ==\n")
	t := physicalTree(&out)
	t.note = a.note
	t.print(p.Root, "", "")
	fmt.Fprintf(&out, "\n%s in %s on one thread; %s outside the operators; the results were discarded\n",
		plural(s.RowsOut, "row"), milliseconds(a.total), a.share(max(0, a.total-known)))
	return out.String()
}

type analysis struct {
	total     int64 // nanoseconds
	scans     map[string]*stream.SourceStats
	operators map[string]*stream.OperatorStats
}

// note says what a node did.
func (a *analysis) note(n physical.Node) string {
	id := n.Info().ID
	if s := a.scans[id]; s != nil {
		text := fmt.Sprintf("read %s, out %d", plural(s.Read, "row"), s.Delivered)
		if s.Bad > 0 {
			text += fmt.Sprintf(", bad %d", s.Bad)
		}
		return text + a.cost(s.Batches, s.Nanos)
	}
	o := a.operators[id]
	if o == nil {
		return "not measured"
	}
	text := fmt.Sprintf("in %s, out %d", plural(o.In, "row"), o.Out)
	if o.Late > 0 {
		text += fmt.Sprintf(", late %d", o.Late)
	}
	text += a.cost(o.Batches, o.Nanos)
	if o.StateBytes > 0 {
		text += fmt.Sprintf("; state %d bytes", o.StateBytes)
	}
	return text
}

func (a *analysis) cost(batches, nanos int64) string {
	return fmt.Sprintf("; %s; %s, %s", plural(batches, "batch"), milliseconds(nanos), a.share(nanos))
}

func (a *analysis) share(nanos int64) string {
	if a.total <= 0 {
		return "0.0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(nanos)/float64(a.total))
}

func milliseconds(nanos int64) string { return fmt.Sprintf("%.3f ms", float64(nanos)/1e6) }

// plural writes a number of things: 1 row, 2 rows, 3 batches.
func plural(n int64, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "h"):
		thing += "e"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
