package planner

import (
	"slices"
	"strconv"

	"streamsql/expr"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// rankInput is the input of a numbering, and where its columns are.
type rankInput struct {
	*rowsInput
	node      physical.Node
	index     []int // of the columns of the logical input, then of the number
	window    physical.WindowColumns
	partition []int
	order     []physical.SortKey
	to        int
}

// rankInput plans what a numbering reads.
func (l *lowerer) rankInput(n *logical.Rank, need []bool) *rankInput {
	width := len(n.Input.Info().Schema.Fields)
	r := &rankInput{rowsInput: newRowsInput(n.Input), to: n.ToColumn}
	if n.Windowed() {
		r.window = r.rowsInput.window(n.Input, n.Start, n.End)
	}
	places := make([]int, width)
	for i := range places {
		if need[i] {
			places[i] = r.column(i)
		}
	}
	if n.ToColumn >= 0 {
		r.to = r.column(n.ToColumn)
	}
	r.keepNumber(n)
	r.keepKey(n)
	var partition, order []int
	for _, e := range n.Partition {
		partition = append(partition, r.place(e))
	}
	for _, k := range n.Order {
		if !n.Arrival {
			order = append(order, r.place(k.Expr))
		}
	}
	r.node = r.lowerNarrow(l)
	r.index = make([]int, width+1)
	for i := range r.index {
		r.index[i] = -1
		if i < width && need[i] {
			r.index[i] = r.at(places[i])
		}
	}
	if n.Windowed() {
		r.window = r.windowAt(r.window)
	}
	if n.ToColumn >= 0 {
		r.to = r.at(r.to)
	}
	r.partition = r.all(partition)
	for i := range order {
		k := n.Order[i]
		r.order = append(r.order, physical.SortKey{Column: r.at(order[i]), Desc: k.Desc, NullsLast: k.NullsLast})
	}
	return r
}

// keepNumber wants the number of a Top-N below if n numbers its rows again and nothing
// but columns stands between: there Flink corrects rows by their number, whether it is
// used or not.
func (r *rankInput) keepNumber(n *logical.Rank) {
	below, ok := r.base.(*logical.Rank)
	if !ok || n.Cut || n.Windowed() || below.Cut || below.Windowed() || below.From == below.To || len(r.conds) > 0 {
		return
	}
	for _, e := range r.exprs {
		if _, ok := e.(*expr.Column); !ok {
			return
		}
	}
	i := len(below.Schema.Fields) - 1
	f := below.Schema.Fields[i]
	r.cols.add(&expr.Column{Info: expr.Info{T: f.Type, S: n.Span}, Index: i, Name: f.Name})
}

// keepKey wants the keys of an aggregate below, used or not, so that the rows of the
// numbering keep their key: Flink does not take columns away there.
func (r *rankInput) keepKey(n *logical.Rank) {
	below, ok := r.base.(*logical.GroupAggregate)
	if !ok || n.Windowed() || n.Deduplicates() {
		return
	}
	for i := range below.Keys {
		f := below.Schema.Fields[i]
		r.cols.add(&expr.Column{Info: expr.Info{T: f.Type, S: n.Span}, Index: i, Name: f.Name})
	}
}

// rank plans a Top-N, or a deduplication where the order is the time and one row is
// wanted.
func (l *lowerer) rank(n *logical.Rank, need []bool) lowered {
	r := l.rankInput(n, need)
	width := len(r.index) - 1
	if n.Windowed() {
		return windowRank(n, r, need[width])
	}
	if n.Deduplicates() {
		return deduplicate(n, r, need[width])
	}
	in := r.node.Info()
	// A number that all rows have is no reason to correct them.
	fixed := n.From == n.To && n.ToColumn < 0
	p := &physical.Rank{
		Input: r.node, Partition: r.partition, Order: r.order, From: n.From, To: n.To, ToColumn: r.to, Number: need[width] && !fixed,
	}
	p.Base = physical.Base{Schema: in.Schema, Rowtime: in.Schema.Rowtime(), Bounded: in.Bounded, Span: n.Span, Mode: physical.Retract}
	p.Strategy = rankStrategy(p)
	if p.Strategy == physical.UpdateRank {
		p.RowKey = in.Key
	} else {
		p.KeepAll = false
	}
	if p.Number {
		r.index[width] = len(p.Schema.Fields)
		p.Schema.Fields = append(p.Schema.Fields[:len(p.Schema.Fields):len(p.Schema.Fields)], n.Schema.Fields[width])
	}
	p.Key, p.State = rankKey(p), rankState(p) // that rows may be deleted is said of each, as in Flink
	if need[width] && fixed {
		return withNumber(p, n.Schema.Fields[width], n.From, r.index)
	}
	return lowered{p, r.index}
}

// rankKey is the key of what a Top-N sends: the partition where it has one row, else
// with the number, else that of the rows themselves.
func rankKey(p *physical.Rank) []int {
	key := append([]int{}, p.Partition...)
	switch in := p.Input.Info().Key; {
	case p.From == p.To && p.ToColumn < 0:
		return key
	case p.Number:
		return append(key, len(p.Schema.Fields)-1)
	default:
		return in
	}
}

func rankState(p *physical.Rank) string {
	if p.Strategy == physical.RetractRank || p.KeepAll {
		return "unbounded: all rows, as any may move up"
	}
	rows := strconv.FormatInt(p.To, 10) + " rows"
	switch {
	case p.ToColumn >= 0:
		rows = p.Schema.Fields[p.ToColumn].Name + " rows"
	case p.To == 1:
		rows = "one row"
	}
	if len(p.Partition) == 0 {
		return rows
	}
	return "unbounded: partitions x " + rows
}

// deduplicate plans a deduplication outside windows.
func deduplicate(n *logical.Rank, r *rankInput, number bool) lowered {
	in := r.node.Info()
	d := &physical.Deduplicate{Input: r.node, Partition: r.partition, Time: -1, Last: n.Order[0].Desc}
	if n.Time {
		d.Time = r.order[0].Column
	}
	d.Base = physical.Base{Schema: in.Schema, Rowtime: in.Schema.Rowtime(), Bounded: in.Bounded, Span: n.Span, Mode: n.Changes()}
	d.Key = append([]int{}, r.partition...)
	if d.State = "unbounded: one row of each partition"; len(r.partition) == 0 {
		d.State = "one row"
	}
	if !number {
		return lowered{d, r.index}
	}
	return withNumber(d, n.Schema.Fields[len(r.index)-1], 1, r.index)
}

// windowRank plans a Top-N or a deduplication of each window.
func windowRank(n *logical.Rank, r *rankInput, number bool) lowered {
	index, width, in := r.index, len(r.index)-1, r.node
	b := rowsBase(n.Span, in.Info().Schema, in.Info().Bounded)
	b.State = "open windows x partitions"
	if n.Time && n.From == 1 && n.To == 1 {
		d := &physical.WindowDeduplicate{
			Base: b, Input: in, Window: r.window, Partition: r.partition, Order: r.order[0].Column, Last: n.Order[0].Desc,
		}
		if !number {
			return lowered{d, index}
		}
		return withNumber(d, n.Schema.Fields[width], 1, index)
	}
	p := &physical.WindowRank{Base: b, Input: in, Window: r.window, Partition: r.partition, Order: r.order, From: n.From, To: n.To, Number: number}
	if n.To > 1 {
		p.State += " x " + strconv.FormatInt(n.To, 10) + " rows"
	}
	if p.Number {
		index[width] = len(p.Schema.Fields)
		p.Schema.Fields = append(p.Schema.Fields[:index[width]:index[width]], n.Schema.Fields[width])
	}
	return lowered{p, index}
}

// withNumber appends the number of rows that all have the same.
func withNumber(in physical.Node, number stream.Field, n int64, index []int) lowered {
	d := in.Info()
	p := &physical.Project{Input: in}
	p.Span = d.Span
	for i, f := range d.Schema.Fields {
		p.Exprs = append(p.Exprs, &expr.Column{Info: expr.Info{T: f.Type, S: d.Span}, Index: i, Name: f.Name})
	}
	p.Exprs = append(p.Exprs, &expr.Literal{Info: expr.Info{T: number.Type, S: d.Span}, Value: types.IntValue(n)})
	p.Schema.Fields = append(p.Schema.Fields, d.Schema.Fields...)
	p.Schema.Fields = append(p.Schema.Fields, number)
	project(p)
	index[len(index)-1] = len(d.Schema.Fields)
	return lowered{p, index}
}

// sort plans ORDER BY without LIMIT.
func (l *lowerer) sort(n *logical.Sort, need []bool) lowered {
	width := len(n.Schema.Fields)
	r := newRowsInput(n.Input)
	places := make([]int, width)
	for i := range places {
		if need[i] {
			places[i] = r.column(i)
		}
	}
	var keys []int
	for _, k := range n.Order {
		keys = append(keys, r.place(k.Expr))
	}
	node := r.lowerNarrow(l)
	index := make([]int, width)
	for i := range index {
		index[i] = -1
		if need[i] {
			index[i] = r.at(places[i])
		}
	}
	var order []physical.SortKey
	for i, k := range n.Order {
		order = append(order, physical.SortKey{Column: r.at(keys[i]), Desc: k.Desc, NullsLast: k.NullsLast})
	}
	in := node.Info()
	base := physical.Base{Schema: in.Schema, Rowtime: in.Schema.Rowtime(), Bounded: in.Bounded, Span: n.Span}
	if n.Time {
		base.State = "rows ahead of the watermark"
		return lowered{&physical.TemporalSort{Base: base, Input: node, Time: order[0].Column, Order: slices.Clone(order[1:])}, index}
	}
	base.State = "unbounded: all rows"
	return lowered{&physical.Sort{Base: base, Input: node, Order: order}, index}
}
