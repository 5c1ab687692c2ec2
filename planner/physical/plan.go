package physical

import (
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// Plan is a whole statement: a graph of nodes with one root. A node with several
// consumers (a source read by two branches) is the same pointer in each; branches
// run in the order in which they appear from the root, inputs left to right.
type Plan struct {
	Root Node
	SQL  string    // the statement
	Span diag.Span // its place
	Zone string    // table.local-time-zone; never empty
}

// ChangelogMode says which row kinds a node sends.
type ChangelogMode uint8

// The modes.
const (
	Append  ChangelogMode = iota // +I only
	Upsert                       // +I +U -D by key
	Retract                      // +I -U +U -D
)

// String returns Flink's form: [I], [I,UA,D], [I,UB,UA,D]; a node that never
// deletes says so through Base.NoDelete and prints [I,UB,UA].
func (m ChangelogMode) String() string {
	return [...]string{"[I]", "[I,UA,D]", "[I,UB,UA,D]"}[m]
}

// Base holds what every node states about itself.
type Base struct {
	ID       string // stable across runs of the same statement: kind and path from the root
	Schema   stream.Schema
	Rowtime  int // index of the event-time column of the output; -1: none
	Mode     ChangelogMode
	NoDelete bool   // sends no -D
	Key      []int  // upsert key of the output; nil: none known
	Bounded  bool   // the input ends
	OnClose  bool   // emits when a window closes, not per row
	State    string // state bound in words: "none", "open windows x groups"; unbounded ones start with "unbounded: " and the reason
	Span     diag.Span
}

// Info returns b; it makes every node that embeds Base a Node.
func (b *Base) Info() *Base { return b }

// Node is one operator of the plan.
type Node interface {
	Info() *Base
	Inputs() []Node
	// Describe returns the operator's name and its attributes for EXPLAIN, in order.
	Describe() (name string, attrs []Attr)
}

// Attr is one attribute of a node in EXPLAIN.
type Attr struct{ Key, Value string }

type (
	// Scan reads columns of a table. exec asks its environment to open Table; the plan
	// holds no connector.
	Scan struct {
		Base
		Table   string   // name in the catalog, as messages call it
		Handle  int      // the environment's handle for the opened table definition
		Columns []int    // physical columns of the table that are read, ascending; Schema lists just those
		Live    bool     // stdin, pipes, pushed sources
		Options []string // what EXPLAIN shows: "connector=filesystem", "format=csv"
		// IdleTimeout is after how many milliseconds without rows a live source leaves
		// the minimum of the watermarks; 0: never.
		IdleTimeout int64
	}
	// WatermarkAssigner raises the watermark: after each row to the maximum of the
	// values of Watermark (a TIMESTAMP expression; NULL leaves it). A NULL rowtime is
	// an error.
	WatermarkAssigner struct {
		Base
		Input     Node
		Time      int // rowtime column
		Watermark expr.Expr
	}
	// Filter keeps the rows for which Cond is TRUE. Marks stay.
	Filter struct {
		Base
		Input Node
		Cond  expr.Expr
	}
	// Project computes columns.
	Project struct {
		Base
		Input Node
		Exprs []expr.Expr
	}
	// WindowTVF is a window table function on its own: it appends window_start,
	// window_end and window_time, row by row and window by window, and knows no
	// lateness. Only SESSION keeps rows, by Partition, until their session closes, and
	// drops late ones.
	WindowTVF struct {
		Base
		Input     Node
		Window    window.Spec
		Time      int
		Partition []int
		// Processing: the windows close by the clock, and those that are open at the end
		// of input have no result.
		Processing bool
	}
	// LateFilter drops rows whose last window is closed: for which FiresAt(end)+Lateness
	// ≤ the watermark before the row. Attached windows are those of Columns.
	LateFilter struct {
		Base
		Input    Node
		Window   window.Spec
		Columns  WindowColumns
		Time     int
		Lateness int64
	}
	// WindowAggregate groups by window and keys. Its output is keys, aggregates, then
	// the window properties named in Props. SESSION judges lateness itself, as it depends
	// on the sessions that are open.
	WindowAggregate struct {
		Base
		Input     Node
		Window    window.Spec
		Columns   WindowColumns // of Attached windows
		Time      int
		Keys      []int
		Aggs      []expr.AggregateCall // Args and Filter are Columns of the input
		Props     []WindowProp
		Legacy    bool  // GROUP BY TUMBLE(..): allows late firing
		EarlyFire bool  // send the result with each row (-U/+U), not when the window fires
		LateFire  bool  // re-emit a fired window on each late row (-U/+U)
		Lateness  int64 // keeps a fired window's state that long
		// EarlyDelay and LateDelay are the periods, in milliseconds of processing time, in
		// which a group of a window sends what has changed; 0: with each row.
		EarlyDelay, LateDelay int64
		// Processing: the windows close by the clock, and those that are open at the end
		// of input have no result.
		Processing bool
	}
	// UnionAll merges its inputs by ordinal, then port.
	UnionAll struct {
		Base
		Sources []Node
	}
	// Values is a constant table; each row is a list of constants of the schema's types.
	Values struct {
		Base
		Rows [][]expr.Expr
	}
	// Limit passes Offset..Offset+Count-1 of the rows and then says that it has enough.
	Limit struct {
		Base
		Input         Node
		Offset, Count int64
	}
	// Sink writes to the table of INSERT INTO.
	Sink struct {
		Base
		Input   Node
		Table   string
		Handle  int
		NotNull []int // columns declared NOT NULL that the query may fill with NULL: such a row is an error
		Upsert  bool  // of an update only the new row is written
	}
)

// WindowProp is a property of a window in the output of an aggregate.
type WindowProp struct {
	Kind WindowPropKind
	Name string
	Type types.Type
}

// WindowPropKind names a window property.
type WindowPropKind uint8

// The window properties.
const (
	WindowStart WindowPropKind = iota
	WindowEnd
	WindowTime // end - 1 ms
)

// Inputs returns no nodes.
func (*Scan) Inputs() []Node { return nil }

// Inputs returns no nodes.
func (*Values) Inputs() []Node { return nil }

// Inputs returns the input.
func (n *WatermarkAssigner) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *Filter) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *Project) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *WindowTVF) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *LateFilter) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *WindowAggregate) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the merged nodes in port order.
func (n *UnionAll) Inputs() []Node { return n.Sources }

// Inputs returns the input.
func (n *Limit) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *Sink) Inputs() []Node { return []Node{n.Input} }
