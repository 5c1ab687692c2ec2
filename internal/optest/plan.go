package optest

import (
	"fmt"
	"strconv"
	"strings"

	"streamsql/expr"
	"streamsql/expr/builtin"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
	"streamsql/window"
)

// planBuilder makes physical nodes of script lines.
type planBuilder struct {
	nodes    map[string]physical.Node
	registry *expr.Registry
	sources  int
}

func newPlanBuilder() *planBuilder {
	return &planBuilder{nodes: map[string]physical.Node{}, registry: builtin.NewRegistry()}
}

// source takes "NAME: COLUMN TYPE, ..." and returns the name.
func (b *planBuilder) source(text string) (string, error) {
	name, list, _ := strings.Cut(text, ":")
	s := stream.Schema{}
	for _, col := range strings.Split(list, ",") {
		f := strings.Fields(col)
		if len(f) != 2 {
			return "", fmt.Errorf("no column: %q", col)
		}
		typ, rowtime := strings.CutSuffix(f[1], "*")
		t, err := parseType(typ)
		if err != nil {
			return "", err
		}
		field := stream.Field{Name: f[0], Type: t}
		if rowtime {
			field.Time = stream.Rowtime
		}
		s.Fields = append(s.Fields, field)
	}
	n := &physical.Scan{Base: base(name, s), Table: name, Handle: b.sources}
	for i := range s.Fields {
		n.Columns = append(n.Columns, i)
	}
	b.sources++
	b.nodes[name] = n
	return name, nil
}

func base(name string, s stream.Schema) physical.Base {
	return physical.Base{ID: name, Schema: s, Rowtime: s.Rowtime(), Bounded: true}
}

// node takes "NAME = KIND INPUT: PARAMETERS".
func (b *planBuilder) node(text string) error {
	name, def, ok := strings.Cut(text, " = ")
	if !ok {
		return fmt.Errorf("what is %q?", text)
	}
	head, params, _ := strings.Cut(def, ":")
	words := strings.Fields(head)
	if len(words) < 2 {
		return fmt.Errorf("no input in %q", text)
	}
	var inputs []physical.Node
	for _, w := range words[1:] {
		if b.nodes[w] == nil {
			return fmt.Errorf("no node %q", w)
		}
		inputs = append(inputs, b.nodes[w])
	}
	n, err := b.make(name, words[0], inputs, splitTop(params, ','))
	b.nodes[name] = n
	return err
}

func (b *planBuilder) make(name, kind string, inputs []physical.Node, p []string) (physical.Node, error) {
	in := inputs[0]
	schema := in.Info().Schema
	e := exprParser{schema: schema, registry: b.registry}
	switch kind {
	case "watermark":
		w, err := e.parse(p[1])
		return &physical.WatermarkAssigner{Base: base(name, schema), Input: in, Time: column(schema, p[0]), Watermark: w}, err
	case "filter":
		c, err := e.parse(p[0])
		return &physical.Filter{Base: derived(name, schema, in), Input: in, Cond: c}, err
	case "project":
		n := &physical.Project{Input: in}
		var s stream.Schema
		for _, def := range p {
			col, text, _ := strings.Cut(def, "=")
			x, err := e.parse(text)
			if err != nil {
				return nil, err
			}
			f := stream.Field{Name: strings.TrimSpace(col), Type: x.Type()}
			if c, ok := x.(*expr.Column); ok {
				f.Time = schema.Fields[c.Index].Time
			}
			s.Fields = append(s.Fields, f)
			n.Exprs = append(n.Exprs, x)
		}
		n.Base = derived(name, s, in)
		return n, nil
	case "late":
		o, err := parseWindow(p[1])
		t := column(schema, p[0])
		return &physical.LateFilter{Base: derived(name, schema, in), Input: in, Window: o.spec, Columns: o.edges(schema, t), Time: t, Lateness: o.lateness}, err
	case "clock":
		return &physical.ProcessingTime{Base: derived(name, schema, in), Input: in, Time: column(schema, p[0])}, nil
	case "tvf":
		o, err := parseWindow(p[1])
		s := stream.Schema{Fields: append([]stream.Field(nil), schema.Fields...)}
		for _, c := range []string{"window_start", "window_end", "window_time"} {
			s.Fields = append(s.Fields, stream.Field{Name: c, Type: types.NewTimestamp(3)})
		}
		n := &physical.WindowTVF{Base: derived(name, s, in), Input: in, Window: o.spec, Time: column(schema, p[0]), Processing: o.processing}
		if len(p) > 2 {
			for _, k := range strings.Fields(p[2])[1:] {
				n.Partition = append(n.Partition, column(schema, k))
			}
		}
		return n, err
	case "aggregate":
		return b.aggregate(name, in, p)
	case "union":
		return &physical.UnionAll{Base: base(name, schema), Sources: inputs}, nil
	case "limit":
		o, err := parseWindow("tumble " + p[0])
		return &physical.Limit{Base: derived(name, schema, in), Input: in, Count: o.spec.Size, Offset: o.spec.Offset}, err
	}
	return b.windowNode(name, kind, inputs, p)
}

// derived is a base that keeps the changelog mode of the input.
func derived(name string, s stream.Schema, in physical.Node) physical.Base {
	b := base(name, s)
	b.Mode = in.Info().Mode
	return b
}

func column(s stream.Schema, name string) int {
	for i, f := range s.Fields {
		if f.Name == strings.TrimSpace(name) {
			return i
		}
	}
	return -1
}

type windowOptions struct {
	spec     window.Spec
	lateness int64
	lateFire bool
	legacy   bool

	processing bool
	earlyFire  bool
	every      [2]int64 // the delays of early and late firing
}

// edges are the columns of an attached window: ws, we and the time column.
func (o windowOptions) edges(s stream.Schema, time int) physical.WindowColumns {
	if o.spec.Kind != window.Attached {
		return physical.WindowColumns{}
	}
	return physical.WindowColumns{Start: column(s, "ws"), End: column(s, "we"), Time: time}
}

// parseWindow takes "tumble SIZE | hop SLIDE SIZE | cumulate STEP SIZE | session GAP |
// attached", then "[offset N] [lateness N] [latefire] [early DELAY] [late DELAY] [legacy]
// [processing]".
func parseWindow(text string) (windowOptions, error) {
	var o windowOptions
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "latefire":
			o.lateFire, o.legacy = true, true
			continue
		case "legacy":
			o.legacy = true
			continue
		case "processing":
			o.processing = true
			continue
		case "attached":
			o.spec.Kind = window.Attached
			continue
		case "hop", "cumulate":
			o.spec.Kind = window.Hop
			if words[i] == "cumulate" {
				o.spec.Kind = window.Cumulate
			}
			if i+2 >= len(words) {
				return o, fmt.Errorf("no numbers behind %q", words[i])
			}
			n, err := strconv.ParseInt(words[i+1], 10, 64)
			if err != nil {
				return o, err
			}
			o.spec.Slide = n
			words[i+1] = "tumble" // the size follows
			continue
		}
		if i+1 >= len(words) {
			return o, fmt.Errorf("no number behind %q", words[i])
		}
		n, err := strconv.ParseInt(words[i+1], 10, 64)
		if err != nil {
			return o, err
		}
		switch words[i] {
		case "tumble":
			o.spec.Size = n
		case "session":
			o.spec.Kind, o.spec.Gap = window.Session, n
		case "offset":
			o.spec.Offset = n
		case "lateness":
			o.lateness = n
		case "early":
			o.earlyFire, o.every[0] = true, n
		case "late":
			o.lateFire, o.every[1] = true, n
		default:
			return o, fmt.Errorf("no window parameter %q", words[i])
		}
		i++
	}
	return o, nil
}

func (b *planBuilder) aggregate(name string, in physical.Node, p []string) (physical.Node, error) {
	schema := in.Info().Schema
	o, err := parseWindow(p[1])
	if err != nil {
		return nil, err
	}
	n := &physical.WindowAggregate{
		Input: in, Window: o.spec, Time: column(schema, p[0]),
		Legacy: o.legacy, LateFire: o.lateFire, Lateness: o.lateness,
	}
	n.EarlyFire, n.EarlyDelay, n.LateDelay, n.Processing = o.earlyFire, o.every[0], o.every[1], o.processing
	n.Columns = o.edges(schema, n.Time)
	var s stream.Schema
	for _, part := range p[2:] {
		words := strings.Fields(part)
		for _, w := range words[1:] {
			switch words[0] {
			case "keys":
				c := column(schema, w)
				n.Keys = append(n.Keys, c)
				s.Fields = append(s.Fields, stream.Field{Name: w, Type: schema.Fields[c].Type})
			case "aggs":
				call, err := b.call(schema, w, in.Info().Mode != physical.Append)
				if err != nil {
					return nil, err
				}
				n.Aggs = append(n.Aggs, call)
				s.Fields = append(s.Fields, stream.Field{Name: w, Type: call.T})
			case "props":
				prop := physical.WindowProp{Name: w, Type: types.NewTimestamp(3)}
				f := stream.Field{Name: w, Type: prop.Type}
				switch w {
				case "end":
					prop.Kind = physical.WindowEnd
				case "time":
					prop.Kind, f.Time = physical.WindowTime, stream.Rowtime
					if o.processing {
						prop.Type, f.Time = types.NewTimestampLTZ(3), stream.Proctime
						f.Type = prop.Type
					}
				}
				n.Props = append(n.Props, prop)
				s.Fields = append(s.Fields, f)
			}
		}
	}
	n.Base = base(name, s)
	n.OnClose = true
	if o.lateFire {
		n.Mode = physical.Retract
	}
	return n, nil
}

// call takes "NAME(COLUMN)" or "NAME(*)".
func (b *planBuilder) call(schema stream.Schema, text string, retract bool) (expr.AggregateCall, error) {
	var c expr.AggregateCall
	name, arg, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	if c.Agg = b.registry.Aggregate(name); c.Agg == nil {
		return c, fmt.Errorf("no aggregate %q", name)
	}
	var args []types.Type
	if arg != "*" {
		i := column(schema, arg)
		if i < 0 {
			return c, fmt.Errorf("no column %q", arg)
		}
		t := schema.Fields[i].Type
		args = append(args, t)
		c.Args = append(c.Args, &expr.Column{Info: expr.Info{T: t}, Index: i, Name: arg})
	}
	var err error
	c.Res, err = c.Agg.Resolve(args, false, retract)
	c.T, c.Name = c.Res.Result, text
	return c, err
}

// splitTop splits at sep outside parentheses and quotes; "" gives nothing.
func splitTop(text string, sep byte) []string {
	var parts []string
	depth, from, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == sep && depth == 0:
			parts = append(parts, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	if rest := strings.TrimSpace(text[from:]); rest != "" {
		parts = append(parts, rest)
	}
	return parts
}
