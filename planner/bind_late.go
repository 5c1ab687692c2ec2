package planner

import (
	"slices"

	"streamsql/internal/diag"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

const (
	// lateUsage is how late rows are asked for.
	lateUsage = "LATE(TABLE v) for a view v with windows, or LATE((SELECT ... GROUP BY window_start, window_end))"
	// firstLateHint says where the late rows of a deduplication are.
	firstLateHint = "run the query: its late rows are counted, and shown by .late in the shell and by Query.Late() in Go"
)

// late binds LATE(query) in FROM: the rows that the query drops as late.
func (b *binder) late(f *sql.TableFunc) (relation, error) {
	c := f.Call
	span := b.span(c)
	if len(c.Args) != 1 || c.ArgNames != nil {
		return relation{}, b.errorf(diag.InvalidArgument, span, "LATE takes one argument, a query with windows").WithHint("usage: %s", lateUsage)
	}
	var rel relation
	var err error
	switch a := c.Args[0].(type) {
	case *sql.ColumnRef:
		rel, err = b.tableRef(&sql.TableRef{Pos: a.Pos, Name: a.Name})
	default:
		rel, err = b.tableArg(a, &tableFunction{name: "LATE", usage: lateUsage})
	}
	if err != nil {
		return rel, err
	}
	n, err := b.lateNode(rel.node, span)
	if err != nil {
		return rel, err
	}
	return b.withAlias(newRelation(n, ""), f.Alias)
}

// lateNode makes the rows that a plan drops as late: those of its only operator that
// judges rows of a source.
func (b *binder) lateNode(in logical.Node, span diag.Span) (*logical.Late, error) {
	judges := judgesOf(in)
	switch {
	case len(judges) == 0:
		return nil, b.errorf(diag.InvalidArgument, span, "nothing can be late in this query: it has no windows").WithHint("usage: %s", lateUsage)
	case len(judges) > 1:
		return nil, b.unsupported(span, "LATE of a query that judges rows in several places", "ask for the late rows of each part by itself")
	}
	n := &logical.Late{Judge: judges[0]}
	if isProcessing(n.Judge) {
		return nil, b.errorf(diag.InvalidArgument, span, "nothing can be late in this query: its windows are of processing time")
	}
	switch x := n.Judge.(type) {
	case *logical.Join:
		return nil, b.unsupported(span, "LATE of a join", "ask for the late rows of an aggregate over each side")
	case *logical.Rank:
		if !x.Windowed() {
			return nil, b.unsupported(span, "LATE of the first row by event time", firstLateHint)
		}
	}
	n.Span = span
	data := n.Data()
	if data.Info().Mode != physical.Append {
		return nil, b.unsupported(span, "LATE of a query over an updating input", "")
	}
	t, ok := n.RowTime()
	if !ok {
		return nil, b.unsupported(span, "LATE of this query", "let the windows be made by a window function directly below")
	}
	for _, f := range data.Info().Schema.Fields {
		f.Time = stream.NoTime // it is behind the watermark
		n.Schema.Fields = append(n.Schema.Fields, f)
	}
	edge := types.NewTimestamp(3).Required()
	mark := edge
	mark.Kind = t.Kind
	n.Schema.Fields = append(n.Schema.Fields,
		stream.Field{Name: "window_start", Type: edge}, stream.Field{Name: "window_end", Type: edge},
		stream.Field{Name: "watermark", Type: mark}, stream.Field{Name: "late_by", Type: types.Of(types.BigInt).Required()})
	return n, nil
}

// isProcessing reports whether a node has windows of processing time.
func isProcessing(n logical.Node) bool {
	switch n := n.(type) {
	case *logical.Aggregate:
		return n.Processing
	case *logical.WindowTVF:
		return n.Processing
	}
	return false
}

// judgesOf returns the nodes that may drop rows of a source as late: those with windows,
// or that send the first row by event time, and nothing of the kind below them. What they
// send is never late.
func judgesOf(n logical.Node) []logical.Node {
	var below []logical.Node
	for _, in := range n.Inputs() {
		for _, j := range judgesOf(in) {
			if !slices.Contains(below, j) {
				below = append(below, j)
			}
		}
	}
	switch x := n.(type) {
	case *logical.Aggregate:
		// Grouped by the sessions of a function below, it is what judges.
		if len(below) == 1 && below[0] == x.Origin {
			return []logical.Node{x}
		}
	case *logical.WindowTVF:
		if x.Window.Kind != window.Session {
			return below
		}
	case *logical.Join:
		if len(below) > 0 || !windowed(x) {
			return below
		}
	case *logical.Rank:
		if !x.Windowed() && !(x.Time && x.Deduplicates() && !x.Order[0].Desc) {
			return below
		}
	default:
		return below
	}
	if len(below) > 0 {
		return below
	}
	return []logical.Node{n}
}

// windowed reports whether a join judges rows: window joins do.
func windowed(j *logical.Join) bool {
	_, _, ok := logical.WindowProp(j.Left, j.LeftStart)
	return ok && j.Windowed()
}
