package physical

import "streamsql/expr"

// GroupAggregate groups by keys without a window and answers each row with the change
// of its group: +I, -U and +U if a column differs, -D if the group has lost its last
// row. In mode Upsert there is no -U. The output is keys, then aggregates.
type GroupAggregate struct {
	Base
	Input Node
	Keys  []int
	Aggs  []expr.AggregateCall // Args and Filter are Columns of the input
	// TTL is for how many milliseconds of processing time a group is kept after its last
	// row; 0: forever. Where it is set, a row is answered though nothing has changed.
	TTL int64
	// AtEnd: nothing is sent before the end of the input, and then the row of each group,
	// groups by their first row. The mode is Append.
	AtEnd bool
}

// Inputs returns the input.
func (n *GroupAggregate) Inputs() []Node { return []Node{n.Input} }

// Describe names the aggregate.
func (n *GroupAggregate) Describe() (string, []Attr) {
	in := n.Input.Info()
	attrs := []Attr{{"keys", columnNames(in, n.Keys)}, {"aggs", aggregateNames(n.Aggs)}, {"emit", "on-row"}}
	if n.AtEnd {
		attrs[2].Value = "at-end"
	}
	if n.TTL > 0 {
		attrs = append(attrs, Attr{"ttl", DurationText(n.TTL)})
	}
	return "GroupAggregate", attrs
}

// aggregateNames lists aggregate calls with the names of their columns.
func aggregateNames(calls []expr.AggregateCall) string {
	list := make([]string, len(calls))
	for i, a := range calls {
		list[i] = AggregateText(a)
		if a.Name != "" && a.Name != list[i] {
			list[i] = a.Name + " := " + list[i]
		}
	}
	return names(list)
}
