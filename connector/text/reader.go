package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync/atomic"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// Stream is one open input.
type Stream interface {
	// Read is like io.Reader's, but a canceled ctx ends the wait. It returns what is
	// there, and waits only if nothing is.
	Read(ctx context.Context, p []byte) (int, error)
	// Ready reports whether Read would return at once.
	Ready() bool
	Close() error
}

// Input is an input that can be opened.
type Input struct {
	Name string // in messages and origins
	Size int64  // 0: not known
	// Open opens the input behind its first offset bytes (as the decoder sees them).
	Open func(ctx context.Context, offset int64) (Stream, error)
}

// Reader reads inputs one after the other. It implements connector.Reader.
type Reader struct {
	inputs []Input
	dec    Decoder
	batch  int
	chunk  int // most bytes per read

	next   int // index of the input to open next
	offset int64
	load   []byte // decoder's place in the input to open next
	cur    Stream

	buf      []byte // holds pos..end, with Slack readable bytes behind end
	pos, end int
	cut      bool // the record at pos is not complete
	over     bool // the current input has no more bytes
	base     int64
	size     int64 // of the current input when it was opened; 0: not known
	err      error

	delivered, bad, fields, read atomic.Int64
	total                        int64
}

// NewReader returns a reader over the inputs that starts at o.From.
func NewReader(inputs []Input, dec Decoder, o connector.OpenOptions) (*Reader, error) {
	r := &Reader{inputs: inputs, dec: dec, batch: max(1, o.BatchSize), chunk: o.ReadBuffer}
	if r.chunk <= 0 {
		r.chunk = 256 << 10
	}
	r.buf = make([]byte, max(4096, r.chunk+r.chunk/2)+stream.Slack)
	for _, in := range inputs {
		if in.Size == 0 {
			r.total = 0
			break
		}
		r.total += in.Size
	}
	if o.From == nil {
		return r, nil
	}
	d := stream.NewDecoder(o.From)
	name := d.String()
	r.offset = d.Int64()
	r.load = append([]byte(nil), d.Blob()...)
	if d.Err() != nil {
		return nil, diag.New(diag.InvalidArgument, diag.Span{}, "the position to go on from is damaged").Wrap(d.Err())
	}
	for r.next < len(inputs) && inputs[r.next].Name < name {
		r.next++
	}
	if r.next < len(inputs) && inputs[r.next].Name != name || r.next == len(inputs) && name != "" {
		if name == atEnd {
			return r, nil
		}
		return nil, diag.New(diag.IO, diag.Span{}, "file %q, which was being read, is gone", name).
			WithHint("put the file back, or start anew")
	}
	return r, nil
}

// atEnd is the name in positions behind the last input; no file name is behind it.
const atEnd = "\U0010ffff"

// Next implements connector.Reader.
func (r *Reader) Next(ctx context.Context, b *stream.Batch) error {
	if r.err != nil {
		return r.err
	}
	r.dec.Start(b, r.batch)
	err := r.fill(ctx)
	r.bad.Store(r.dec.Bad())
	r.fields.Store(r.dec.BadFields())
	rows := r.dec.Rows()
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		r.err = err
	}
	if rows == 0 {
		return err
	}
	r.dec.Finish()
	r.delivered.Add(int64(rows))
	return nil
}

// fill decodes until the batch is full, or nothing more is there, or the input
// ends. Rows may be in the batch also where it returns an error.
func (r *Reader) fill(ctx context.Context) error {
	for {
		if r.cur == nil {
			if r.next == len(r.inputs) {
				return io.EOF
			}
			if err := r.open(ctx); err != nil {
				return err
			}
		}
		if !r.cut && (r.pos < r.end || r.over) {
			if err := r.decode(); err != nil {
				return err
			}
			if r.dec.IsFull() {
				return nil
			}
		}
		if r.over && r.pos == r.end {
			if err := r.close(); err != nil {
				return err
			}
			if r.dec.Rows() > 0 {
				return nil
			}
			continue
		}
		if r.dec.Rows() > 0 && !r.cur.Ready() {
			return nil
		}
		if err := r.receive(ctx); err != nil {
			return err
		}
	}
}

// decode gives the decoder what is in the buffer.
func (r *Reader) decode() error {
	state := More
	if r.over {
		state = End
	}
	for {
		n, err := r.dec.Decode(r.buf[r.pos:r.end], state)
		r.pos += n
		if err != nil || r.dec.IsFull() {
			return err
		}
		if state == End && r.pos < r.end && n == 0 {
			return diag.New(diag.Internal, diag.Span{}, "decoder left bytes at the end of %s", r.inputs[r.next].Name)
		}
		if state == End && r.pos < r.end {
			continue
		}
		if state != More || r.end-r.pos <= Enough {
			r.cut = r.pos < r.end
			return nil
		}
		state = Full
		if n, err = r.dec.Decode(r.buf[r.pos:r.end], state); err != nil {
			return err
		}
		r.pos += n
		state = More
	}
}

// receive reads the next bytes. A record that was cut is complete at the earliest
// with a line end, so the decoder is not asked before.
func (r *Reader) receive(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.room()
	n, err := r.cur.Read(ctx, r.buf[r.end:min(r.end+r.chunk, len(r.buf)-stream.Slack)])
	r.read.Add(int64(n))
	fresh := r.buf[r.end : r.end+n]
	if r.cut {
		r.cut = (r.end == r.pos || r.buf[r.end-1] != '\r') &&
			bytes.IndexByte(fresh, '\n') < 0 && bytes.IndexByte(fresh, '\r') < 0 && r.end+n-r.pos <= Enough
	}
	r.end += n
	if err == io.EOF {
		if c, ok := r.cur.(Random); ok && r.base+int64(r.end) < r.size {
			if err := checkSize(c, r.size, r.inputs[r.next].Name); err != nil {
				return err
			}
		}
		r.over, r.cut = true, false
		return nil
	}
	if err != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	if err != nil {
		if diag.As(err) != nil {
			return err
		}
		return diag.New(diag.IO, diag.Span{}, "cannot read %s", r.inputs[r.next].Name).Wrap(err)
	}
	return nil
}

// room makes place for the next bytes at the end of the buffer.
func (r *Reader) room() {
	limit := len(r.buf) - stream.Slack
	want := min(r.chunk, max(1, limit/4))
	if limit-r.end >= want && r.pos < limit/2 || limit-r.end >= r.chunk {
		return
	}
	// The place of a byte in the buffer and in the input are the same modulo copyUnit.
	held, at := r.end-r.pos, int((r.base+int64(r.pos))%copyUnit)
	to := r.buf
	if limit-held-at < want {
		to = make([]byte, 2*limit+stream.Slack)
	}
	copy(to[at:], r.buf[r.pos:r.end])
	r.buf = to
	r.base += int64(r.pos - at)
	r.pos, r.end = at, at+held
}

func (r *Reader) open(ctx context.Context) error {
	in := &r.inputs[r.next]
	s, err := in.Open(ctx, r.offset)
	if err != nil {
		return err
	}
	r.cur, r.over, r.cut, r.size = s, false, false, 0
	if c, ok := s.(Random); ok {
		r.size = c.Size()
	}
	r.pos, r.end, r.base = 0, 0, r.offset
	r.offset = 0
	r.dec.Begin(in.Name)
	if r.load != nil {
		d := stream.NewDecoder(r.load)
		r.load = nil
		r.dec.Load(d)
		if d.Err() != nil {
			return diag.New(diag.InvalidArgument, diag.Span{}, "the position to go on from is damaged").Wrap(d.Err())
		}
	}
	return nil
}

func (r *Reader) close() error {
	err := r.cur.Close()
	r.cur = nil
	name := r.inputs[r.next].Name
	r.next++
	r.over = false
	if err != nil {
		return diag.New(diag.IO, diag.Span{}, "cannot close %s", name).Wrap(err)
	}
	return nil
}

// Position implements connector.Reader.
func (r *Reader) Position() connector.Position {
	var e, place stream.Encoder
	switch {
	case r.next == len(r.inputs):
		e.String(atEnd)
		e.Int64(0)
		e.Blob(nil)
	case r.cur == nil:
		e.String(r.inputs[r.next].Name)
		e.Int64(r.offset)
		e.Blob(r.load)
	default:
		r.dec.Save(&place)
		e.String(r.inputs[r.next].Name)
		e.Int64(r.base + int64(r.pos))
		e.Blob(place.Bytes())
	}
	return e.Bytes()
}

// Counts implements connector.Reader.
func (r *Reader) Counts() connector.Counts {
	return connector.Counts{
		Delivered: r.delivered.Load(), Bad: r.bad.Load(), BadFields: r.fields.Load(),
		Bytes: r.read.Load(), TotalBytes: r.total,
	}
}

// Close implements connector.Reader.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = diag.New(diag.Closed, diag.Span{}, "the reader is closed")
	}
	if r.cur == nil {
		return nil
	}
	return r.close()
}
