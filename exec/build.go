package exec

import (
	"fmt"

	"streamsql/internal/diag"
	"streamsql/planner/physical"
	"streamsql/stream"
)

// builder makes the nodes of a graph, inputs first and each plan node once.
type builder struct {
	g    *Graph
	cfg  GraphConfig
	made map[physical.Node]*node
}

// node returns the running node of p, making it and everything below on first use.
// Consumers are entered in the order in which the plan names them: that is the order
// in which branches run.
func (b *builder) node(p physical.Node) (*node, error) {
	if n := b.made[p]; n != nil {
		return n, nil
	}
	inputs := p.Inputs()
	nodes := make([]*node, len(inputs))
	for i, in := range inputs {
		m, err := b.node(in)
		if err != nil {
			return nil, err
		}
		nodes[i] = m
	}
	op, err := b.operator(p)
	if err != nil {
		return nil, err
	}
	n := &node{g: b.g, plan: p, op: op, index: len(b.g.nodes)}
	n.name, _ = p.Describe()
	n.env = Env{
		State: &n.store, Counters: &n.counters, Seed: b.cfg.Seed, Zone: b.cfg.Zone, Now: b.cfg.Now,
		Clock:     func() int64 { return b.g.clock.now },
		BatchSize: b.cfg.BatchSize, Lanes: b.cfg.Lanes, WideFrom: b.cfg.WideFrom, ports: len(inputs),
	}
	if _, ok := op.(settler); ok && b.cfg.Lanes > 1 {
		b.g.lanes = append(b.g.lanes, n)
	}
	b.g.clock.add(n, p)
	n.env.bad, n.env.trace = b.cfg.Bad, b.g.trace
	n.env.late = func(l *LateRows) { b.g.late.add(n, l) }
	for port, m := range nodes {
		m.out = append(m.out, consumer{n, port})
	}
	b.made[p] = n
	b.g.nodes = append(b.g.nodes, n)
	if len(inputs) == 0 {
		b.g.heads = append(b.g.heads, head{scan: n})
		b.g.late.sources = append(b.g.late.sources, &lateSource{table: tableOf(p)})
	}
	if len(inputs) > 1 {
		b.g.multi = true
	}
	return n, nil
}

// operator makes the operator of one plan node; nil for those that only read.
func (b *builder) operator(p physical.Node) (Operator, error) {
	switch p := p.(type) {
	case *physical.Scan, *physical.Values:
		return nil, nil
	case *physical.WatermarkAssigner:
		return newWatermarkAssigner(p)
	case *physical.Filter:
		return newFilter(p)
	case *physical.Project:
		return newProject(p)
	case *physical.LateFilter:
		return lateFilterFor(p)
	case *physical.ProcessingTime:
		return newProcessingTime(p)
	case *physical.WindowTVF:
		op, err := windowTVFFor(p)
		return byClock(op, p.Processing, p.Schema), err
	case *physical.WindowAggregate:
		op, err := windowAggregateFor(p)
		return byClock(op, p.Processing, p.Schema), err
	case *physical.Unnest:
		return newUnnest(p)
	case *physical.TableFunction:
		return newTableFunction(p)
	case *physical.FromChangelog:
		return newFromChangelog(p)
	case *physical.ToChangelog:
		return newToChangelog(p)
	case *physical.GroupAggregate:
		return newGroupAggregate(p)
	case *physical.FutureFilter:
		return newFutureFilter(p)
	case *physical.WindowRank:
		return newWindowRank(p)
	case *physical.WindowDeduplicate:
		return newWindowDeduplicate(p)
	case *physical.WindowJoin:
		return newWindowJoin(p)
	case *physical.Join:
		return newJoin(p)
	case *physical.IntervalJoin:
		return newIntervalJoin(p)
	case *physical.Deduplicate:
		return deduplicateFor(p)
	case *physical.Rank:
		return rankFor(p)
	case *physical.TemporalSort:
		return newTemporalSort(p)
	case *physical.Sort:
		return newSort(p)
	case *physical.LateRows:
		judge, err := b.operator(p.Judge)
		if err != nil {
			return nil, err
		}
		return newLateRows(p, judge)
	case *physical.Expand:
		return newExpand(p)
	case *physical.UnionAll:
		return newUnionAll(p)
	case *physical.Limit:
		return newLimit(p)
	case *physical.Sink:
		return newSink(p, b.cfg.Sink)
	}
	return nil, diag.New(diag.Internal, p.Info().Span, "there is no operator for %T", p)
}

// allowStop tells the limits on the single path below the root that reaching their
// count ends the query. Below an operator with several inputs it does not: the other
// inputs go on, and so must the watermark of this one.
func (b *builder) allowStop(root physical.Node) {
	for p := root; ; {
		if l, ok := b.made[p].op.(*limit); ok {
			l.stops = true
		}
		in := p.Inputs()
		if len(in) != 1 {
			return
		}
		p = in[0]
	}
}

// findTails finds the chain of each head: the driver may run it ahead because nothing
// else reads what is inside. A head without an assigner has no chain.
func (g *Graph) findTails() {
	for i := range g.heads {
		h := &g.heads[i]
		h.tail = h.scan
		for n := h.scan; len(n.out) == 1; {
			n = n.out[0].n
			if _, ok := n.op.(*watermarkAssigner); ok {
				h.tail = n
				break
			}
			if _, ok := n.op.(*futureFilter); ok {
				h.future = n
			} else if _, ok := n.op.(*project); !ok {
				break
			}
		}
		h.tail.tail = true
	}
}

// tableOf returns the name of the table that a head reads.
func tableOf(p physical.Node) string {
	if s, ok := p.(*physical.Scan); ok {
		return s.Table
	}
	return ""
}

// emptyColumns returns cols as empty vectors of the schema.
func emptyColumns(cols []stream.Vec, s stream.Schema) []stream.Vec {
	if cap(cols) < len(s.Fields) {
		cols = make([]stream.Vec, len(s.Fields))
	}
	cols = cols[:len(s.Fields)]
	for i, f := range s.Fields {
		cols[i].Reset(f.Type, 0)
	}
	return cols
}

// badPlan is the error for a plan that the planner must not make.
func badPlan(p physical.Node, format string, args ...any) error {
	name, _ := p.Describe()
	return diag.New(diag.Internal, p.Info().Span, "%s: %s", name, fmt.Sprintf(format, args...))
}
