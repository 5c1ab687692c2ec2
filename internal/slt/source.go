package slt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"streamsql/connector"
	"streamsql/stream"
	"streamsql/types"
)

// scripts is the connector "script": tables whose rows come from input records.
type scripts struct {
	batch int // most rows handed over at a time

	mu     sync.Mutex
	tables map[string]*scriptSource
}

func newScripts(batch int) *scripts {
	return &scripts{batch: batch, tables: map[string]*scriptSource{}}
}

// Name implements connector.Factory.
func (s *scripts) Name() string { return "script" }

// Source implements connector.Factory: each use of a table starts it anew.
func (s *scripts) Source(t connector.Table) (connector.Source, error) {
	src := &scriptSource{schema: t.Schema, batch: s.batch, attached: make(chan struct{})}
	s.mu.Lock()
	s.tables[t.Name] = src
	s.mu.Unlock()
	return src, nil
}

// Sink implements connector.Factory.
func (s *scripts) Sink(connector.Table) (connector.Sink, error) {
	return nil, connector.ErrNotSupported
}

func (s *scripts) table(name string) (*scriptSource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	src := s.tables[name]
	if src == nil || src.feed == nil {
		return nil, fmt.Errorf("no running stream reads table %q", name)
	}
	return src, nil
}

// scriptSource hands rows over when the runner says so.
type scriptSource struct {
	schema  stream.Schema
	batch   int
	columns []int
	feed    func(context.Context, *stream.Batch) error
	end     func(error)
	ended   bool

	attached chan struct{}
}

// Schema implements connector.Source.
func (s *scriptSource) Schema() stream.Schema { return s.schema }

// Traits implements connector.Source.
func (s *scriptSource) Traits() connector.Traits {
	return connector.Traits{Bounded: true, Live: true, Watermarks: true}
}

// Open implements connector.Source.
func (s *scriptSource) Open(context.Context, connector.OpenOptions) (connector.Reader, error) {
	return nil, fmt.Errorf("a script table is attached, not opened")
}

// Attach implements connector.Pushed.
func (s *scriptSource) Attach(o connector.OpenOptions, feed func(context.Context, *stream.Batch) error, end func(error)) error {
	s.columns, s.feed, s.end = o.Columns, feed, end
	close(s.attached)
	return nil
}

// wait returns when the query has attached itself.
func (s *scriptSource) wait(ctx context.Context) error {
	select {
	case <-s.attached:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send feeds rows in batches of at most s.batch.
func (s *scriptSource) send(ctx context.Context, lines []string) error {
	for len(lines) > 0 {
		n := min(s.batch, len(lines))
		b := stream.Batch{N: n, Cols: make([]stream.Vec, len(s.columns))}
		for i, c := range s.columns {
			b.Cols[i].Reset(s.schema.Fields[c].Type, n)
		}
		for row, line := range lines[:n] {
			values := strings.Split(line, ",")
			if len(values) != len(s.schema.Fields) {
				return fmt.Errorf("input %q has %d values, the table %d columns", line, len(values), len(s.schema.Fields))
			}
			for i, c := range s.columns {
				v, err := parseValue(s.schema.Fields[c].Type, values[c])
				if err != nil {
					return err
				}
				b.Cols[i].Put(row, n, v)
			}
		}
		if err := s.feed(ctx, &b); err != nil {
			return err
		}
		lines = lines[n:]
	}
	return nil
}

func parseValue(t types.Type, text string) (types.Value, error) {
	if text == "NULL" {
		return types.NullValue, nil
	}
	v, err := types.ParseText(t, text)
	if err != nil {
		return v, fmt.Errorf("input value %q: %w", text, err)
	}
	return v, nil
}

// advance raises the watermark.
func (s *scriptSource) advance(ctx context.Context, text string) error {
	v, err := parseValue(types.NewTimestamp(3), text)
	if err != nil {
		return err
	}
	return s.feed(ctx, &stream.Batch{
		Cols:  make([]stream.Vec, len(s.columns)),
		Marks: []stream.Mark{{W: stream.Timestamp(v.I)}},
	})
}

// finish ends the source and returns when the query has taken note: the end is
// reported to another goroutine, and from then on the query takes no batch.
func (s *scriptSource) finish(ctx context.Context) error {
	if s.ended {
		return nil
	}
	s.ended = true
	s.end(nil)
	for {
		err := s.feed(ctx, &stream.Batch{Cols: make([]stream.Vec, len(s.columns))})
		if errors.Is(err, connector.ErrEnough) {
			return nil
		}
		if err != nil {
			return err
		}
		runtime.Gosched()
	}
}
