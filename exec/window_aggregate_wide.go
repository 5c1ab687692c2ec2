package exec

import (
	"context"

	"streamsql/expr"
	"streamsql/stream"
)

// wideFrom is how many groups a window must have before it pays to divide them: about
// what a core's own caches hold.
const wideFrom = 16 << 10

// shareable reports whether lanes may take the groups of a window: nothing is sent before
// it closes, and no row that is accounted can fail.
func (o *windowAggregate) shareable() bool {
	if o.env.Lanes < 2 || len(o.plan.Keys) == 0 || o.retract || o.plan.LateFire || o.plan.EarlyFire || o.touch != nil || o.closes != nil {
		return false
	}
	for _, c := range o.plan.Aggs {
		if !c.Res.Commutes {
			return false
		}
	}
	return true
}

// widens reports whether a pane is to be divided before the next rows: one with many
// groups, and an empty one if the window before had many.
func (o *windowAggregate) widens(p *pane) bool {
	n := p.table.Len()
	return (n >= o.wideFrom || n == 0 && o.panes.many) && o.shareable()
}

// exchangeRows accounts rows to a pane that is wide, or becomes it.
func (o *windowAggregate) exchangeRows(p *pane, b *stream.Batch, rows expr.Rows) error {
	x := o.panes.exchange
	if x == nil {
		x = newExchange(&o.panes, o.env.Lanes, o.fewRows, o.plan.Keys)
		o.panes.exchange = x
	}
	if p.wide == nil {
		if err := x.widen(p); err != nil {
			return Fail(b.Ordinal(firstRow(rows)), err)
		}
	}
	if err := x.add(p.wide, b, rows); err != nil {
		return Fail(b.Ordinal(firstRow(rows)), err)
	}
	return nil
}

// settle waits for lanes that have got rows since and publishes what waits.
func (o *windowAggregate) settle() (handed bool, err error) {
	x := o.panes.exchange
	if x == nil || !x.handed {
		return false, nil
	}
	x.handed = false
	err = x.wait()
	o.report()
	return true, err
}

// fireWide sends the rows of a wide pane.
func (o *windowAggregate) fireWide(ctx context.Context, p *pane, m stream.Mark, out Output) error {
	if err := o.panes.exchange.wait(); err != nil {
		return err
	}
	all := p.wide.len()
	o.panes.many = all >= o.wideFrom/2
	for rest := all; rest > 0; {
		n := min(rest, o.out.size)
		if err := o.out.room(ctx, out, n, m.Ord-1); err != nil {
			return err
		}
		if err := o.out.wideRows(p, n, m.Ord); err != nil {
			return o.fail(ctx, out, m.Ord, err)
		}
		if err := out.Poll(ctx); err != nil {
			return err
		}
		rest -= n
	}
	return nil
}

// wideRows appends the results of the next n groups of a wide pane, or of those in front
// of one that has none.
func (w *windowOutput) wideRows(p *pane, n int, ord int64) error {
	dst := w.target()
	keys, cols := len(w.plan.Keys), len(w.plan.Keys)+len(w.plan.Aggs)
	n, fault := p.wide.results(n, keys, w.ofGroup)
	for c := range dst[:cols] {
		p.wide.interleave(&dst[c], c)
	}
	p.wide.sent()
	w.props(p, n, dst[cols:])
	w.commit(dst, n, stream.Insert, ord)
	return fault
}
