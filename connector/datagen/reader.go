package datagen

import (
	"context"
	"io"
	"math"
	"math/bits"
	"strconv"
	"sync/atomic"
	"time"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

const golden = 0x9e3779b97f4a7c15

// mix spreads the bits of x (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Open implements connector.Source.
func (s *source) Open(_ context.Context, o connector.OpenOptions) (connector.Reader, error) {
	r := &reader{source: s, columns: o.Columns, batch: max(1, o.BatchSize)}
	if o.From != nil {
		d := stream.NewDecoder(o.From)
		r.next.Store(d.Int64())
		if d.Err() != nil {
			return nil, diag.New(diag.InvalidArgument, diag.Span{}, "the position to go on from is damaged").Wrap(d.Err())
		}
	}
	r.first = r.next.Load()
	r.began = s.now()
	return r, nil
}

type reader struct {
	source  *source
	columns []int
	batch   int
	next    atomic.Int64 // row
	first   int64
	began   int64 // when the first row was due
	closed  bool
}

// Next implements connector.Reader.
func (r *reader) Next(ctx context.Context, b *stream.Batch) error {
	if r.closed {
		return diag.New(diag.Closed, diag.Span{}, "the reader is closed")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	row, n := r.next.Load(), int64(r.batch)
	if r.source.rows >= 0 {
		n = min(n, r.source.rows-row)
	}
	if n <= 0 {
		return io.EOF
	}
	if r.source.rate > 0 {
		due, err := r.pace(ctx, row)
		if err != nil {
			return err
		}
		n = min(n, due)
	}
	if len(b.Cols) != len(r.columns) {
		b.Cols = make([]stream.Vec, len(r.columns))
	}
	now := r.source.now()
	for i, c := range r.columns {
		r.source.fields[c].fill(&b.Cols[i], row, int(n), now)
	}
	b.N = int(n)
	r.next.Store(row + n)
	return nil
}

// pace waits until the row is due and returns how many are.
func (r *reader) pace(ctx context.Context, row int64) (int64, error) {
	rate := r.source.rate
	for {
		elapsed := r.source.now() - r.began
		hi, lo := bits.Mul64(uint64(max(0, elapsed)), uint64(rate))
		due := int64(math.MaxInt32)
		if hi < 1000 {
			q, _ := bits.Div64(hi, lo, 1000)
			due = int64(min(q, math.MaxInt64-1))
		}
		if n := due + 1 - (row - r.first); n > 0 {
			return n, nil
		}
		t := time.NewTimer(max(time.Millisecond, time.Duration(1e9/rate)))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return 0, ctx.Err()
		}
	}
}

// Position implements connector.Reader.
func (r *reader) Position() connector.Position {
	var e stream.Encoder
	e.Int64(r.next.Load())
	return e.Bytes()
}

// Counts implements connector.Reader.
func (r *reader) Counts() connector.Counts {
	return connector.Counts{Delivered: r.next.Load() - r.first}
}

// Close implements connector.Reader.
func (r *reader) Close() error {
	r.closed = true
	return nil
}

// fill writes n values, from row on.
func (g *generator) fill(v *stream.Vec, row int64, n int, now int64) {
	v.Reset(g.typ, n)
	for i := range n {
		x := mix(g.salt + uint64(row+int64(i))*golden)
		if g.nulls > 0 && unit(mix(x^golden)) < g.nulls {
			v.Put(i, n, types.NullValue)
			continue
		}
		v.Put(i, n, g.value(x, row+int64(i), now))
	}
}

// value makes a value from random bits.
func (g *generator) value(x uint64, row, now int64) types.Value {
	if g.sequence {
		return g.member(g.start + row)
	}
	switch g.typ.Kind {
	case types.Boolean:
		return types.BoolValue(x&1 == 1)
	case types.Float, types.Double:
		return types.FloatValue(g.flo + unit(x)*(g.fhi-g.flo))
	case types.Char, types.Varchar, types.Binary, types.Varbinary:
		return types.TextValue(g.letters(x))
	case types.Date:
		days, _ := types.FloorDiv(now, types.MillisPerDay)
		return types.IntValue(days)
	case types.Time:
		_, ms := types.FloorDiv(now, types.MillisPerDay)
		return types.IntValue(ms)
	case types.Timestamp, types.TimestampLTZ:
		return types.IntValue((now - g.between(x)) * (g.typ.TimeUnit() / 1000))
	}
	return types.IntValue(g.between(x))
}

// member is a number of a sequence.
func (g *generator) member(n int64) types.Value {
	switch {
	case g.typ.IsText():
		return types.TextValue(strconv.FormatInt(n, 10))
	case g.typ.IsApproximate():
		return types.FloatValue(float64(n))
	case g.typ.Kind == types.Decimal:
		return types.IntValue(n * types.Pow10(g.typ.Scale))
	}
	return types.IntValue(n)
}

// between is a number from lo to hi.
func (g *generator) between(x uint64) int64 {
	span := uint64(g.hi-g.lo) + 1
	if span == 0 {
		return int64(x)
	}
	hi, _ := bits.Mul64(x, span)
	return g.lo + int64(hi)
}

// unit is a number from 0 to below 1.
func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// letters is a text of hexadecimal digits, as Flink makes.
func (g *generator) letters(x uint64) string {
	n := g.length
	if g.vary && n > 0 {
		hi, _ := bits.Mul64(mix(x+golden), uint64(n))
		n = int(hi) + 1
	}
	out := make([]byte, n)
	for i := range out {
		if i%16 == 0 {
			x = mix(x + golden)
		}
		out[i] = "0123456789abcdef"[x>>(i%16*4)&15]
	}
	return string(out)
}
