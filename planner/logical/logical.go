package logical

import (
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner/catalog"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/window"
)

// Node is one operator of the bound query. The set of nodes is closed.
type Node interface {
	node()
	Info() *Base
	Inputs() []Node
	// Describe returns the operator's name and its attributes for EXPLAIN, in order.
	Describe() (name string, attrs []physical.Attr)
}

// Base holds what every node states about itself.
type Base struct {
	Schema stream.Schema
	Mode   physical.ChangelogMode // whether consumers see updates
	Span   diag.Span
}

// Info returns b; it makes every node that embeds Base a Node.
func (b *Base) Info() *Base { return b }

func (*Base) node() {}

// Source is a table as one statement sees it. Every mention of the table in the
// statement shares the Source, so that it is read once.
type Source struct {
	Name     string
	Table    *catalog.Table
	Info     catalog.SourceInfo
	Schema   stream.Schema     // all columns in DDL order, with time attributes
	Physical []int             // column i is physical column Physical[i] of the connector; -1: computed
	Computed map[int]expr.Expr // computed columns, over Schema
	// Watermark is the watermark expression over Schema; nil if the table has none or
	// the source sends its own.
	Watermark expr.Expr
	Time      int   // rowtime column; -1: none
	MaxFuture int64 // how far event times may be ahead of the clock, in milliseconds; 0: any
	// IdleTimeout is after how many milliseconds without rows the source no longer holds
	// the watermark of others back; 0: never.
	IdleTimeout int64
	Key         []int // primary key
	Span        diag.Span
}

type (
	// Scan is all columns of a table.
	Scan struct {
		Base
		Source *Source
	}
	// Filter keeps the rows for which Cond is TRUE.
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
	// WindowTVF appends window_start, window_end and window_time.
	WindowTVF struct {
		Base
		Input     Node
		Window    window.Spec
		Time      int
		Partition []int // SESSION: columns of PARTITION BY
		// Processing: the time is processing time.
		Processing bool
	}
	// Aggregate groups by window and keys. Its output is keys, calls, then window_start,
	// window_end and window_time.
	Aggregate struct {
		Base
		Input  Node
		Window window.Spec
		// Time is the time column of the input for a legacy group window of event time;
		// otherwise -1: the window is that of Origin, or of processing time.
		Time int
		// Origin is the node below (behind filters and projections) that made the window
		// columns which the query groups by: a WindowTVF or an Aggregate.
		Origin Node
		Keys   []expr.Expr
		// Sets are grouping sets: by set and key, whether the key is left out. The last
		// key is then the number of the set.
		Sets      [][]bool
		Calls     []*Call
		Legacy    bool
		EarlyFire bool
		LateFire  bool
		Lateness  int64
		// EarlyDelay and LateDelay are the periods of firing in processing time; 0: with each
		// row.
		EarlyDelay, LateDelay int64
		// Processing: the windows are of processing time.
		Processing bool
	}
	// Union is UNION ALL.
	Union struct {
		Base
		Sources []Node
	}
	// Values is a constant table.
	Values struct {
		Base
		Rows [][]expr.Expr
	}
	// Limit is LIMIT and OFFSET.
	Limit struct {
		Base
		Input         Node
		Offset, Count int64
	}
	// Sink is INSERT INTO.
	Sink struct {
		Base
		Input   Node
		Table   string
		Handle  int
		Retract bool
		NotNull []int // columns in which a NULL is an error
		// Upsert: of an update the sink takes the new row only, which stands for the old
		// one by PrimaryKey. Conflict is what ON CONFLICT says about rows of one key.
		Upsert     bool
		PrimaryKey []int
		Conflict   string
	}
)

// Call is one aggregate of an Aggregate, over the columns of its input.
type Call struct {
	expr.Info
	Agg      *expr.Aggregate
	Res      expr.AggregateResolution
	Args     []expr.Expr
	Distinct bool
	Filter   expr.Expr
	Name     string // output column
	Named    bool   // Name comes from the query
}

// Inputs returns no nodes.
func (*Scan) Inputs() []Node { return nil }

// Inputs returns no nodes.
func (*Values) Inputs() []Node { return nil }

// Inputs returns the input.
func (n *Filter) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *Project) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *WindowTVF) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *Aggregate) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the branches in order.
func (n *Union) Inputs() []Node { return n.Sources }

// Inputs returns the input.
func (n *Limit) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *Sink) Inputs() []Node { return []Node{n.Input} }

// Prop returns the column of an Aggregate's output that holds a window property.
func (n *Aggregate) Prop(k physical.WindowPropKind) int { return len(n.Keys) + len(n.Calls) + int(k) }

// Prop returns the column of a WindowTVF's output that holds a window property.
func (n *WindowTVF) Prop(k physical.WindowPropKind) int {
	return len(n.Input.Info().Schema.Fields) + int(k)
}

// Trace follows column col of n down through filters and projections that pass it
// on unchanged, and returns the node and column where it is made.
func Trace(n Node, col int) (Node, int) {
	for {
		switch x := n.(type) {
		case *Filter:
			n = x.Input
		case *Project:
			c, ok := x.Exprs[col].(*expr.Column)
			if !ok {
				return n, col
			}
			n, col = x.Input, c.Index
		default:
			return n, col
		}
	}
}

// WindowProp says whether column col of n is a window property, and of which node.
func WindowProp(n Node, col int) (origin Node, kind physical.WindowPropKind, ok bool) {
	n, col = Trace(n, col)
	switch x := n.(type) {
	case *WindowTVF:
		if k := col - x.Prop(physical.WindowStart); k >= 0 {
			return n, physical.WindowPropKind(k), true
		}
	case *Aggregate:
		if k := col - x.Prop(physical.WindowStart); k >= 0 && !x.Legacy {
			return n, physical.WindowPropKind(k), true
		}
	case *Rank, *Join, *Unnest, *TableFunction, *Union:
		if k, ok := passedProp(x, col); ok {
			return x, k, true
		}
	}
	return nil, 0, false
}
