package logical

import (
	"strings"

	"streamsql/expr"
	"streamsql/planner/physical"
	"streamsql/types"
	"streamsql/window"
)

type (
	// Join joins two inputs: rows of equal windows or, where it is Regular, all rows, which
	// is only known when WHERE has been read. The output is the columns of both sides; of
	// semi and anti joins those of Left.
	Join struct {
		Base
		Left, Right Node
		Kind        physical.JoinKind
		Conds       []expr.Expr // over the columns of Left, then Right; all must hold
		// The window columns by which the sides are joined, each in the columns of its side.
		LeftStart, LeftEnd, RightStart, RightEnd int
		// Regular: there are no windows, and a row is joined as it comes. TTL is for how many
		// milliseconds of processing time it is kept; 0: forever.
		Regular bool
		TTL     int64
		// Interval is set where rows are joined whose times are near each other.
		Interval *Interval
	}
)

// Interval bounds the times of two rows: Lower <= left - right <= Upper, in milliseconds.
type Interval struct {
	Left, Right  int // columns, each of its side
	Lower, Upper int64
	MinCleanup   int64
}

// Windowed reports whether rows of equal windows are joined.
func (n *Join) Windowed() bool { return !n.Regular && n.Interval == nil }

// Inputs returns both sides.
func (n *Join) Inputs() []Node { return []Node{n.Left, n.Right} }

// Describe names the join.
func (n *Join) Describe() (string, []physical.Attr) {
	conds := make([]string, len(n.Conds))
	for i, c := range n.Conds {
		conds[i] = physical.ExprText(c)
	}
	return "Join", []physical.Attr{{Key: "type", Value: n.Kind.String()}, {Key: "on", Value: list(conds)}}
}

func list(items []string) string { return "[" + strings.Join(items, ", ") + "]" }

// Window is what is known about the windows of a node's rows.
type Window struct {
	Spec window.Spec
	// Columns are the node's columns for start, end and time; -1: it has none.
	Columns [3]int
	Time    types.Type // of the window's time, whether there is a column for it or not
	// Processing: the windows close by the clock.
	Processing bool
}

// WindowOf describes the windows of a node that WindowProp calls an origin.
func WindowOf(n Node) Window {
	switch n := n.(type) {
	case *WindowTVF:
		w := Window{Spec: n.Window, Columns: [3]int{n.Prop(physical.WindowStart), n.Prop(physical.WindowEnd), n.Prop(physical.WindowTime)}}
		w.Time, w.Processing = n.Schema.Fields[w.Columns[physical.WindowTime]].Type, n.Processing
		return w
	case *Aggregate:
		w := Window{Spec: n.Window, Columns: [3]int{n.Prop(physical.WindowStart), n.Prop(physical.WindowEnd), n.Prop(physical.WindowTime)}}
		w.Time, w.Processing = n.Schema.Fields[w.Columns[physical.WindowTime]].Type, n.Processing
		return w
	case *Rank:
		return passedOn(n, n.Input, n.Start)
	case *Join:
		if n.Kind == physical.RightOuter {
			return passedOn(n, n.Right, n.RightStart)
		}
		return passedOn(n, n.Left, n.LeftStart)
	case *Union:
		if i := passedStart(n); i >= 0 {
			return passedOn(n, n.Sources[0], i)
		}
	case *Unnest, *TableFunction:
		if i := passedStart(n); i >= 0 {
			return passedOn(n, LateralOf(n).Input, i)
		}
	}
	return Window{Columns: [3]int{-1, -1, -1}}
}

// passedStart returns the column in which n passes on the start of a window, or -1.
func passedStart(n Node) int {
	for i := range n.Info().Schema.Fields {
		if k, ok := passedProp(n, i); ok && k == physical.WindowStart {
			return i
		}
	}
	return -1
}

// passedOn describes the windows that n got from an input, of which start is the
// column with the start.
func passedOn(n, input Node, start int) Window {
	w := Window{Columns: [3]int{-1, -1, -1}}
	if origin, _, ok := WindowProp(input, start); ok {
		below := WindowOf(origin)
		w.Spec, w.Time, w.Processing = below.Spec, below.Time, below.Processing
	}
	for i := range n.Info().Schema.Fields {
		if _, kind, ok := WindowProp(n, i); ok && w.Columns[kind] < 0 {
			w.Columns[kind] = i
		}
	}
	return w
}

// TraceRows is Trace that goes through a Rank, Join, Unnest or TableFunction too, which
// pass on rows as they are.
func TraceRows(n Node, col int) (Node, int) {
	for {
		n, col = Trace(n, col)
		switch x := n.(type) {
		case *Rank:
			if col == len(x.Schema.Fields)-1 {
				return n, col
			}
			n = x.Input
		case *Unnest, *TableFunction:
			in := LateralOf(n).Input
			if col >= len(in.Info().Schema.Fields) {
				return n, col
			}
			n = in
		case *Join:
			if width := len(x.Left.Info().Schema.Fields); col >= width {
				n, col = x.Right, col-width
			} else {
				n = x.Left
			}
		default:
			return n, col
		}
	}
}

// passedProp says which window property of an input a column of a Rank, Join, Unnest,
// TableFunction or Union passes on. Of a side that may be padded with NULLs none is, and a
// union must have the same windows in all branches.
func passedProp(n Node, col int) (kind physical.WindowPropKind, ok bool) {
	switch n := n.(type) {
	case *Rank:
		if n.Windowed() && col < len(n.Input.Info().Schema.Fields) {
			_, kind, ok = WindowProp(n.Input, col)
		}
	case *Join:
		width := len(n.Left.Info().Schema.Fields)
		switch {
		case n.Kind == physical.FullOuter || !n.Windowed():
		case col < width && n.Kind != physical.RightOuter:
			_, kind, ok = WindowProp(n.Left, col)
		case col >= width && (n.Kind == physical.Inner || n.Kind == physical.RightOuter):
			_, kind, ok = WindowProp(n.Right, col-width)
		}
	case *Unnest, *TableFunction:
		if in := LateralOf(n).Input; col < len(in.Info().Schema.Fields) {
			_, kind, ok = WindowProp(in, col)
		}
	case *Union:
		return unionProp(n, col)
	}
	return kind, ok
}

func unionProp(n *Union, col int) (physical.WindowPropKind, bool) {
	var kind physical.WindowPropKind
	var first Window
	for i, s := range n.Sources {
		origin, k, ok := WindowProp(s, col)
		if !ok {
			return 0, false
		}
		w := WindowOf(origin)
		if i == 0 {
			kind, first = k, w
		}
		if k != kind || w.Spec != first.Spec || w.Time.Kind != first.Time.Kind {
			return 0, false
		}
	}
	return kind, len(n.Sources) > 0
}

// Late is the rows that Judge drops as late. The output is the columns of what the
// windows were made over, then window_start and window_end of the last window that the
// row missed, the watermark before it, and by how many milliseconds that had passed
// the window.
type Late struct {
	Base
	Judge Node
}

// Inputs returns the judge, which stands for its input.
func (n *Late) Inputs() []Node { return []Node{n.Judge} }

// Describe names the late rows.
func (n *Late) Describe() (string, []physical.Attr) { return "Late", nil }

// tvf returns the window function whose rows are judged; nil for a group window.
func (n *Late) tvf() *WindowTVF {
	switch j := n.Judge.(type) {
	case *WindowTVF:
		return j
	case *Aggregate:
		t, _ := j.Origin.(*WindowTVF)
		return t
	case *Rank:
		origin, _, _ := WindowProp(j.Input, j.Start)
		t, _ := origin.(*WindowTVF)
		return t
	}
	return nil
}

// Data is what the windows are made over.
func (n *Late) Data() Node {
	if t := n.tvf(); t != nil {
		return t.Input
	}
	return n.Judge.Inputs()[0]
}

// RowTime is the type of the time by which rows get their windows; ok is false if it
// is not known.
func (n *Late) RowTime() (types.Type, bool) {
	if t := n.tvf(); t != nil {
		return t.Input.Info().Schema.Fields[t.Time].Type, true
	}
	if a, ok := n.Judge.(*Aggregate); ok && a.Time >= 0 {
		return a.Input.Info().Schema.Fields[a.Time].Type, true
	}
	return types.Type{}, false
}
