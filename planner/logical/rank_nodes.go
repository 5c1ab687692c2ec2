package logical

import (
	"strconv"

	"streamsql/expr"
	"streamsql/planner/physical"
)

type (
	// Rank numbers the rows of each partition, or of each window and partition, in an
	// order: ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...), or ORDER BY ... LIMIT. The
	// output is the input's columns, then the number.
	Rank struct {
		Base
		Input      Node
		Start, End int // window columns of the input; -1: the partitions belong to no window
		Partition  []expr.Expr
		Order      []SortKey // empty: the order of arrival
		From, To   int64     // the numbers that are wanted
		Limited    bool      // To is set, or ToColumn
		ToColumn   int       // the column of the input that says what To is; -1: none
		Cut        bool      // ORDER BY or LIMIT of a query; nobody asks for the numbers
		// Time: Order is the event time, so that with From = To = 1 it is a deduplication.
		// Arrival: the same of the processing time.
		Time, Arrival bool
	}
	// Sort is ORDER BY without LIMIT: by event time first, which orders rows as they come,
	// or by anything, at the end of the input.
	Sort struct {
		Base
		Input Node
		Order []SortKey
		Time  bool // the first key is the event time, ascending
	}
)

// SortKey is one expression of an order.
type SortKey struct {
	Expr      expr.Expr
	Desc      bool
	NullsLast bool
}

// Windowed reports whether rows are numbered within windows.
func (n *Rank) Windowed() bool { return n.Start >= 0 }

// Deduplicates reports whether one row of each partition is wanted, the first or last
// by time, of rows that are only added. Over other inputs that is a Top-N like any other.
func (n *Rank) Deduplicates() bool {
	return (n.Time || n.Arrival) && n.From == 1 && n.To == 1 && n.ToColumn < 0 && n.Input.Info().Mode == physical.Append
}

// Changes returns the mode of the rows that n sends, which depends on the numbers that
// are wanted: windows send theirs once, and so the first row by time is sent.
func (n *Rank) Changes() physical.ChangelogMode {
	if n.Windowed() || n.Deduplicates() && !n.Order[0].Desc {
		return physical.Append
	}
	return physical.Retract
}

// Inputs returns the input.
func (n *Rank) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *Sort) Inputs() []Node { return []Node{n.Input} }

// Describe names the numbering.
func (n *Rank) Describe() (string, []physical.Attr) {
	part := make([]string, len(n.Partition))
	for i, e := range n.Partition {
		part[i] = physical.ExprText(e)
	}
	to := strconv.FormatInt(n.To, 10)
	if n.ToColumn >= 0 {
		to = n.Input.Info().Schema.Fields[n.ToColumn].Name
	}
	return "Rank", []physical.Attr{
		{Key: "partition", Value: list(part)}, {Key: "order", Value: orderText(n.Order)}, {Key: "rows", Value: strconv.FormatInt(n.From, 10) + ".." + to},
	}
}

// Describe names the sort.
func (n *Sort) Describe() (string, []physical.Attr) {
	return "Sort", []physical.Attr{{Key: "order", Value: orderText(n.Order)}}
}

func orderText(keys []SortKey) string {
	order := make([]string, len(keys))
	for i, k := range keys {
		order[i] = physical.ExprText(k.Expr)
		if k.Desc {
			order[i] += " DESC"
		}
	}
	return list(order)
}
