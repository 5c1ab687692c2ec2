package streamsql

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"streamsql/connector"
	"streamsql/connector/csv"
	"streamsql/connector/filesystem"
	"streamsql/connector/format"
	"streamsql/connector/stdio"
	"streamsql/exec/eval"
	"streamsql/expr"
	"streamsql/internal/diag"
	"streamsql/planner"
	"streamsql/planner/catalog"
	"streamsql/planner/physical"
	"streamsql/sql"
	"streamsql/stream"
	"streamsql/types"
)

// binding is the border between one statement and the connectors: it is the
// planner's TableFactory, and hands the opened sources and sinks to exec by handle.
type binding struct {
	ctx     context.Context // of the statement: how long a pipe is waited for
	engine  *Engine
	text    string
	zone    *types.Zone
	sources []connector.Source // by handle
	sinks   []connector.Sink
	handles map[*catalog.Table]int
	named   map[string]*catalog.Table // files and stdin of this statement
	pushes  []*watched                // the pushed sources that the job reads
}

// watched is a pushed source that tells when its rows begin to reach the query.
type watched struct {
	connector.Pushed
	attached chan struct{}
}

func (w *watched) Attach(o connector.OpenOptions, feed func(context.Context, *stream.Batch) error, end func(error)) error {
	defer close(w.attached)
	return w.Pushed.Attach(o, feed, end)
}

func (e *Engine) bind(ctx context.Context, text string) *binding {
	return &binding{ctx: ctx, engine: e, text: text, zone: e.settings.Zone(),
		handles: map[*catalog.Table]int{}, named: map[string]*catalog.Table{}}
}

func (b *binding) env() *planner.Env {
	return &planner.Env{
		Catalog: b.engine.catalog, Factory: b, Registry: b.engine.registry, Settings: b.engine.settings,
		Fold: func(x expr.Expr) (types.Value, error) { return eval.Constant(x, b.zone) },
	}
}

func (e *Engine) zoneOf(p *physical.Plan) expr.Zone {
	z, err := types.LoadZone(p.Zone)
	if err != nil {
		return nil // checked when the setting was made
	}
	return z
}

func (b *binding) sourceOf(handle int) (connector.Source, error) {
	p, ok := b.sources[handle].(connector.Pushed)
	if !ok {
		return b.sources[handle], nil
	}
	w := &watched{Pushed: p, attached: make(chan struct{})}
	b.pushes = append(b.pushes, w)
	return w, nil
}

func (b *binding) sinkOf(handle int) (connector.Sink, error) { return b.sinks[handle], nil }

// awaitPushes waits until the job has its pushed sources, or has ended: what is sent
// after the start of a query is its.
func (b *binding) awaitPushes(ctx context.Context) {
	for _, w := range b.pushes {
		select {
		case <-w.attached:
		case <-ctx.Done():
		}
	}
}

// Source implements catalog.TableFactory.
func (b *binding) Source(t *catalog.Table) (catalog.SourceInfo, error) {
	h, ok := b.handles[t]
	if !ok {
		s, err := b.open(t)
		if err != nil {
			return catalog.SourceInfo{}, err
		}
		h = len(b.sources)
		b.sources = append(b.sources, s)
		b.handles[t] = h
	}
	s := b.sources[h]
	traits := s.Traits()
	return catalog.SourceInfo{
		Handle: h, Schema: s.Schema(), Bounded: traits.Bounded, Live: traits.Live,
		Watermarks: traits.Watermarks, Options: shownOptions(t.Options),
	}, nil
}

func (b *binding) open(t *catalog.Table) (connector.Source, error) {
	if t.Registered > 0 {
		s, ok := b.engine.registered[t.Registered-1].(connector.Source)
		if !ok {
			return nil, diag.New(diag.Unsupported, diag.Span{}, "table %q can only be written to", t.Name).
				WithHint("register a source of another name")
		}
		return s, nil
	}
	f, err := b.factory(t)
	if err != nil {
		return nil, err
	}
	return f.Source(b.connectorTable(t))
}

// Sink implements catalog.TableFactory.
func (b *binding) Sink(t *catalog.Table) (catalog.SinkInfo, error) {
	var s connector.Sink
	if t.Registered > 0 {
		var ok bool
		if s, ok = b.engine.registered[t.Registered-1].(connector.Sink); !ok {
			return catalog.SinkInfo{}, diag.New(diag.Unsupported, diag.Span{}, "table %q can only be read", t.Name).
				WithHint("register a sink of another name")
		}
	} else {
		f, err := b.factory(t)
		if err != nil {
			return catalog.SinkInfo{}, err
		}
		if s, err = f.Sink(b.connectorTable(t)); err != nil {
			return catalog.SinkInfo{}, err
		}
	}
	b.sinks = append(b.sinks, s)
	takes := s.Traits()
	return catalog.SinkInfo{Handle: len(b.sinks) - 1, Retract: takes.Retract, Upsert: takes.Upsert}, nil
}

// factory finds the connector a table names.
func (b *binding) factory(t *catalog.Table) (connector.Factory, error) {
	for _, o := range t.Options {
		if o.Key.Value != "connector" {
			continue
		}
		var names []string
		for _, f := range b.engine.factories {
			if f.Name() == o.Value.Value {
				return f, nil
			}
			names = append(names, f.Name())
		}
		return nil, diag.New(diag.UndefinedOption, o.Value.Span(), "there is no connector %q", o.Value.Value).
			DidYouMean(o.Value.Value, names, "connectors are "+strings.Join(names, ", "))
	}
	return nil, diag.New(diag.UndefinedOption, t.Span, "table %q has no connector", t.Name).
		WithHint("write WITH ('connector' = 'filesystem', 'path' = '...', 'format' = 'csv') behind its columns")
}

func (b *binding) connectorTable(t *catalog.Table) connector.Table {
	ct := connector.Table{Name: t.Name, Zone: b.zone.Name(), Span: t.Span}
	for _, o := range t.Options {
		if planner.TableOption(o.Key.Value) {
			continue
		}
		ct.Options = append(ct.Options, connector.Option{
			Key: o.Key.Value, Value: o.Value.Value, KeySpan: o.Key.Span(), ValueSpan: o.Value.Span(),
		})
	}
	ct.Schema = t.Physical()
	return ct
}

// File implements catalog.TableFactory: FROM 'path'.
func (b *binding) File(path string, span diag.Span) (*catalog.Table, error) {
	if t := b.named[path]; t != nil {
		return t, nil
	}
	schema, options, err := filesystem.Infer(b.ctx, path, b.inferOptions())
	if b.ctx.Err() != nil {
		return nil, canceled(b.ctx.Err())
	}
	if err != nil {
		return nil, nearFile(err, path, span)
	}
	t, err := b.inferred(format.TableName(path), schema, options, span)
	if err == nil {
		t.Name = path
		b.named[path] = t
	}
	return t, err
}

// nearFile gives an error about a file its place in the statement and, if there is no
// such file, the name of the nearest one in its folder.
func nearFile(err error, path string, span diag.Span) error {
	d := diag.As(err)
	if d == nil {
		return err
	}
	if !d.Span.Valid() {
		d.Span = span
	}
	if _, missing := os.Stat(path); missing == nil {
		return d
	}
	dir := filepath.Dir(path)
	entries, readErr := os.ReadDir(dir)
	if readErr != nil {
		return d // the folder is missing too: nothing is near
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if s := diag.Suggest(filepath.Base(path), names); s != "" {
		return d.WithHint("did you mean '%s'?", filepath.Join(dir, s))
	}
	return d
}

// Named implements catalog.TableFactory: the table stdin exists without DDL.
func (b *binding) Named(name string, span diag.Span) (*catalog.Table, error) {
	if !strings.EqualFold(name, "stdin") {
		return nil, nil
	}
	if t := b.named["stdin"]; t != nil {
		return t, nil
	}
	factory, _ := b.engine.connectorNamed("stdin").(*stdio.Factory)
	schema, options, err := factory.Infer(b.ctx, b.inferOptions())
	if b.ctx.Err() != nil {
		return nil, canceled(b.ctx.Err())
	}
	if err != nil {
		if d := diag.As(err); d != nil && !d.Span.Valid() {
			d.Span = span
		}
		return nil, err
	}
	t, err := b.inferred("stdin", schema, options, span)
	if err == nil {
		b.named["stdin"] = t
	}
	return t, err
}

func (e *Engine) connectorNamed(name string) connector.Factory {
	for _, f := range e.factories {
		if f.Name() == name {
			return f
		}
	}
	return nil
}

func (b *binding) inferOptions() csv.InferOptions {
	return csv.InferOptions{Header: b.engine.cfg.files.Header}
}

// DefineFile gives a file, folder or glob a table name, with inferred columns and
// the format options given (as in WITH, for example "csv.field-delimiter").
func (e *Engine) DefineFile(name, path string, options map[string]string) (err error) {
	defer guard(&err)
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.bind(context.Background(), "")
	schema, opts, err := filesystem.Infer(b.ctx, path, b.inferOptions(), optionsOf(options)...)
	if err != nil {
		return err
	}
	t, err := b.inferred(name, schema, opts, diag.Span{})
	if err != nil {
		return err
	}
	return e.catalog.AddTable(t, false)
}

func optionsOf(m map[string]string) []connector.Option {
	var list []connector.Option
	for _, k := range sortedKeys(m) {
		list = append(list, connector.Option{Key: k, Value: m[k]})
	}
	return list
}

func shownOptions(options []sql.Option) []string {
	var list []string
	for _, o := range options {
		k, v := o.Key.Value, o.Value.Value
		low := strings.ToLower(k)
		if strings.Contains(low, "password") || strings.Contains(low, "secret") || strings.Contains(low, "token") {
			v = "******"
		}
		list = append(list, k+"="+v)
	}
	return list
}
