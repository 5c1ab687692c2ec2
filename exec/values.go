package exec

import (
	"context"
	"io"
	"strconv"
	"sync/atomic"

	"streamsql/connector"
	"streamsql/exec/eval"
	"streamsql/planner/physical"
	"streamsql/stream"
	"streamsql/types"
)

// values reads a constant table.
type values struct {
	schema stream.Schema
	rows   [][]types.Value
	size   int
	next   int
	sent   atomic.Int64
}

func newValues(p *physical.Values, cfg *Config) (*values, error) {
	v := &values{size: cfg.BatchSize, schema: p.Schema}
	for _, row := range p.Rows {
		if len(row) != len(p.Schema.Fields) {
			return nil, badPlan(p, "a row has %d columns, not %d", len(row), len(p.Schema.Fields))
		}
		cells := make([]types.Value, len(row))
		for i, e := range row {
			x, err := eval.Constant(e, cfg.Zone)
			if err != nil {
				return nil, err
			}
			cells[i] = x
		}
		v.rows = append(v.rows, cells)
	}
	return v, nil
}

// Next implements connector.Reader.
func (v *values) Next(_ context.Context, b *stream.Batch) error {
	n := min(v.size, len(v.rows)-v.next)
	if n == 0 {
		return io.EOF
	}
	if len(b.Cols) != len(v.schema.Fields) {
		b.Cols = make([]stream.Vec, len(v.schema.Fields))
	}
	for c := range b.Cols {
		b.Cols[c].Reset(v.schema.Fields[c].Type, n)
		for i := range n {
			b.Cols[c].Put(i, n, v.rows[v.next+i][c])
		}
	}
	b.N = n
	v.next += n
	v.sent.Add(int64(n))
	return nil
}

// seek goes to a position of an earlier reader.
func (v *values) seek(p connector.Position) error {
	n, err := strconv.Atoi(string(p))
	if err != nil || n < 0 || n > len(v.rows) {
		return stream.ErrSnapshot
	}
	v.next = n
	return nil
}

// Position implements connector.Reader.
func (v *values) Position() connector.Position {
	return connector.Position(strconv.Itoa(v.next))
}

// Counts implements connector.Reader.
func (v *values) Counts() connector.Counts { return connector.Counts{Delivered: v.sent.Load()} }

// Close implements connector.Reader.
func (v *values) Close() error { return nil }
