package physical

import "strconv"

// RankStrategy is how a Rank keeps its rows, which depends on the changes of its input.
type RankStrategy uint8

// The strategies. All give the same rows; as in Flink they differ in the changes by
// which they say so.
const (
	// AppendRank: the input only adds rows. The first To rows of a partition are kept.
	AppendRank RankStrategy = iota
	// UpdateRank: rows with the same RowKey replace each other, are never deleted, and only
	// move forward in the order. The first To rows of a partition are kept.
	UpdateRank
	// RetractRank: rows come and go. All are kept.
	RetractRank
)

// String returns the name for EXPLAIN.
func (s RankStrategy) String() string { return [...]string{"append", "update", "retract"}[s] }

type (
	// Deduplicate keeps the first or the last row of each partition by its time. Of equal
	// times the first one is that which arrived first, the last one that which arrived
	// last. The first row by event time is sent when the watermark reaches it; a row whose
	// time is behind the watermark is dropped as late. All others are sent, and corrected,
	// at once.
	Deduplicate struct {
		Base
		Input     Node
		Partition []int
		Time      int // rowtime column; -1: the order of arrival
		Last      bool
	}
	// Rank numbers the rows of each partition in an order and sends those with numbers From
	// to To, and what changes as rows come. Rows that are equal keep the order of their
	// arrival. The output is the input's columns, then, if Number is set, the number.
	Rank struct {
		Base
		Input     Node
		Partition []int
		Order     []SortKey // empty: the order of arrival
		From, To  int64
		ToColumn  int // the column whose value in the first row of a partition is To; -1: none
		Number    bool
		Strategy  RankStrategy
		RowKey    []int // of UpdateRank
		KeepAll   bool  // of UpdateRank: rows may move back, so all are kept
	}
	// TemporalSort sends rows in the order of their event time, when the watermark reaches
	// it. Rows of equal times come by Order, then by arrival. A row whose time is not above
	// that of a row that was sent is dropped as late.
	TemporalSort struct {
		Base
		Input Node
		Time  int
		Order []SortKey
	}
	// Sort sends the rows that are there at the end of the input, in an order; equal rows
	// by arrival.
	Sort struct {
		Base
		Input Node
		Order []SortKey
	}
)

// Inputs returns the input.
func (n *Deduplicate) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *Rank) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *TemporalSort) Inputs() []Node { return []Node{n.Input} }

// Inputs returns the input.
func (n *Sort) Inputs() []Node { return []Node{n.Input} }

// Describe names the deduplication.
func (n *Deduplicate) Describe() (string, []Attr) {
	in := n.Input.Info()
	keep, by := "first", "arrival"
	if n.Last {
		keep = "last"
	}
	if n.Time >= 0 {
		by = in.Schema.Fields[n.Time].Name
	}
	attrs := []Attr{{"partition", columnNames(in, n.Partition)}, {"keep", keep + "(" + by + ")"}}
	if n.Time >= 0 && !n.Last {
		attrs = append(attrs, Attr{"emit", "on-watermark"}, Attr{"drop", "behind-watermark"})
	}
	return "Deduplicate", attrs
}

// Describe names the Top-N.
func (n *Rank) Describe() (string, []Attr) {
	in := n.Input.Info()
	attrs := []Attr{{"strategy", n.Strategy.String()}, {"partition", columnNames(in, n.Partition)}, {"order", orderText(in, n.Order)}}
	rows := strconv.FormatInt(n.To, 10)
	if n.ToColumn >= 0 {
		rows = in.Schema.Fields[n.ToColumn].Name
	}
	if n.From > 1 {
		rows = strconv.FormatInt(n.From, 10) + ".." + rows
	}
	attrs = append(attrs, Attr{"rows", rows})
	if n.Strategy == UpdateRank {
		attrs = append(attrs, Attr{"row-key", columnNames(in, n.RowKey)})
	}
	return "Rank", attrs
}

// Describe names the sort.
func (n *TemporalSort) Describe() (string, []Attr) {
	in := n.Input.Info()
	order := append([]SortKey{{Column: n.Time}}, n.Order...)
	return "TemporalSort", []Attr{{"order", orderText(in, order)}, {"emit", "on-watermark"}, {"drop", "behind-sent-row"}}
}

// Describe names the sort.
func (n *Sort) Describe() (string, []Attr) {
	return "Sort", []Attr{{"order", orderText(n.Input.Info(), n.Order)}, {"emit", "at-end-of-input"}}
}
