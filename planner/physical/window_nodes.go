package physical

import (
	"strconv"
	"strings"

	"streamsql/expr"
)

// WindowColumns says in which columns of an operator's input the window of a row
// stands.
type WindowColumns struct {
	Start, End int
	// Time is the column that is shown as the time of a late row.
	Time int
	// Local: the windows lie on the session's wall clock, as their rowtime is TIMESTAMP_LTZ.
	Local bool
}

// SortKey is one column of an order.
type SortKey struct {
	Column    int
	Desc      bool
	NullsLast bool
}

type (
	// WindowRank numbers the rows of each window and partition in an order, when the
	// watermark passes the window, and sends those with numbers From to To. Rows that are
	// equal keep the order of their arrival. A row whose window has closed is dropped as
	// late. The output is the input's columns, then, if Number is set, the number.
	WindowRank struct {
		Base
		Input     Node
		Window    WindowColumns
		Partition []int
		Order     []SortKey
		From, To  int64
		Number    bool
	}
	// WindowDeduplicate sends the row of each window and partition with the lowest time,
	// when the watermark passes the window, or with Last the one with the highest. Among
	// equal times it is the first that arrived; with Last the last. A row whose window
	// has closed is dropped as late.
	WindowDeduplicate struct {
		Base
		Input     Node
		Window    WindowColumns
		Partition []int
		Order     int // column of the time
		Last      bool
	}
	// WindowJoin joins the rows of equal windows when the watermark of both inputs
	// passes the window. A row whose window has closed is dropped as late. The output is
	// the columns of Left, then those of Right; of LeftSemi and LeftAnti the columns of
	// Left.
	WindowJoin struct {
		Base
		Left, Right             Node
		Kind                    JoinKind
		LeftWindow, RightWindow WindowColumns
		LeftKeys, RightKeys     []int
		NullSafe                []bool    // key by key: NULL equals NULL
		Cond                    expr.Expr // further condition over the columns of Left, then Right; nil: none
	}
	// FutureFilter takes rows whose event time is more than Max milliseconds ahead of the
	// clock out of the stream, in front of the watermark: they are bad rows of Table. An
	// event time without zone is one of the session's wall clock.
	FutureFilter struct {
		Base
		Input Node
		Table string
		Time  int
		Max   int64
	}
	// LateRows sends the rows that Judge, an operator over the same input, drops as late.
	// The output is the input's columns, then window_start and window_end of the last
	// window that the row missed, the watermark before it, and by how many milliseconds
	// that had passed the window.
	LateRows struct {
		Base
		Input Node
		Judge Node
	}
	// Expand sends each row once per set, in the order of the sets. The output is the
	// input's columns, then Keys once more, NULL where the set says so, then the number
	// of the set.
	Expand struct {
		Base
		Input Node
		Keys  []int
		Sets  [][]bool // by set and key: the key is NULL
	}
)

// JoinKind is the kind of a join.
type JoinKind uint8

// The joins.
const (
	Inner JoinKind = iota
	LeftOuter
	RightOuter
	FullOuter
	LeftSemi
	LeftAnti
)

// String returns the kind for EXPLAIN.
func (k JoinKind) String() string {
	return [...]string{"inner", "left", "right", "full", "semi", "anti"}[k]
}

// Inputs returns the input.
func (n *WindowRank) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *WindowDeduplicate) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the left and the right side.
func (n *WindowJoin) Inputs() []Node { return []Node{n.Left, n.Right} }

// Inputs returns the input.
func (n *FutureFilter) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *LateRows) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *Expand) Inputs() []Node { return []Node{n.Input} }

// Describe names the window Top-N.
func (n *WindowRank) Describe() (string, []Attr) {
	in := n.Input.Info()
	attrs := []Attr{{"window", windowColumnsText(in, n.Window)}, {"partition", columnNames(in, n.Partition)}, {"order", orderText(in, n.Order)}}
	rows := strconv.FormatInt(n.To, 10)
	if n.From > 1 {
		rows = strconv.FormatInt(n.From, 10) + ".." + rows
	}
	return "WindowRank", append(attrs, Attr{"rows", rows}, Attr{"emit", "on-window-close"})
}

// Describe names the window deduplication.
func (n *WindowDeduplicate) Describe() (string, []Attr) {
	in := n.Input.Info()
	keep := "first"
	if n.Last {
		keep = "last"
	}
	return "WindowDeduplicate", []Attr{
		{"window", windowColumnsText(in, n.Window)}, {"partition", columnNames(in, n.Partition)},
		{"keep", keep + "(" + in.Schema.Fields[n.Order].Name + ")"}, {"emit", "on-window-close"},
	}
}

// Describe names the window join.
func (n *WindowJoin) Describe() (string, []Attr) {
	l, r := n.Left.Info(), n.Right.Info()
	attrs := []Attr{
		{"type", n.Kind.String()}, {"left-window", windowColumnsText(l, n.LeftWindow)}, {"right-window", windowColumnsText(r, n.RightWindow)},
		{"keys", joinKeyNames(l, r, n.LeftKeys, n.RightKeys, n.NullSafe)},
	}
	if n.Cond != nil {
		attrs = append(attrs, Attr{"condition", ExprText(n.Cond)})
	}
	return "WindowJoin", append(attrs, Attr{"emit", "on-window-close"})
}

// Describe names the filter.
func (n *FutureFilter) Describe() (string, []Attr) {
	return "FutureFilter", []Attr{{"max-future", DurationText(n.Max)}}
}

// Describe names the operator whose late rows come.
func (n *LateRows) Describe() (string, []Attr) {
	name, attrs := n.Judge.Describe()
	for _, a := range attrs {
		if a.Key == "window" {
			return "LateRows", []Attr{{"of", name}, a}
		}
	}
	return "LateRows", []Attr{{"of", name}}
}

// Describe names the expansion to grouping sets.
func (n *Expand) Describe() (string, []Attr) {
	in := n.Input.Info()
	sets := make([]string, len(n.Sets))
	for i, set := range n.Sets {
		var kept []string
		for k, null := range set {
			if !null {
				kept = append(kept, in.Schema.Fields[n.Keys[k]].Name)
			}
		}
		sets[i] = "(" + strings.Join(kept, ", ") + ")"
	}
	return "Expand", []Attr{{"sets", names(sets)}}
}

func windowColumnsText(in *Base, w WindowColumns) string {
	return columnNames(in, []int{w.Start, w.End})
}

func columnNames(in *Base, columns []int) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = in.Schema.Fields[c].Name
	}
	return names(list)
}

func orderText(in *Base, order []SortKey) string {
	list := make([]string, len(order))
	for i, k := range order {
		list[i] = in.Schema.Fields[k.Column].Name
		if k.Desc {
			list[i] += " DESC"
		}
		switch {
		case k.NullsLast && !k.Desc:
			list[i] += " NULLS LAST"
		case !k.NullsLast && k.Desc:
			list[i] += " NULLS FIRST"
		}
	}
	return names(list)
}
