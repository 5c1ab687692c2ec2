package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// parallel is a Reader whose workers read and decode blocks of the inputs ahead of
// Next. Next puts the blocks back in order: it checks that each one starts where the
// one before ended, gives rows their lines, and decodes again what was guessed wrong
// or cannot be read. So rows, bad rows, errors and their order are those of one
// decoder that goes through the inputs from start to end.
type parallel struct {
	inputs  []Input
	size    int // rows per batch
	prepare func(b *stream.Batch, old any) any
	report  func(connector.BadRow)
	cut     *cutter
	cancel  context.CancelFunc
	running sync.WaitGroup

	free     chan *block
	order    chan *block // as cut; nil: the inputs are over
	coming   *block      // taken from order, but not looked at
	ready    bool        // coming is decoded
	over     bool        // order has ended
	blocks   []*block
	hopeless atomic.Bool // guesses are wrong so often that they do not pay

	dec    Divisible // decodes what was guessed wrong
	cur    *block
	k      int   // next item of cur
	held   *item // its batch is with the caller
	first  int64 // what the worker took for the line of the block
	opened int64 // the line of the block
	err    error
	closed bool

	// Where the next row is looked for.
	input  int
	offset int64
	line   int64
	lead   any

	// Decoding in order.
	serial bool
	idle   bool   // no record can be complete
	buf    []byte // what is left of the blocks before, then the block's bytes
	pos    int
	base   int64 // offset of buf in the input

	guesses, wrong int64
	dicts          dictionaries
	ids            idMap // of dec

	delivered, bad, fields, read atomic.Int64
	total                        int64
}

// A block is at most the read buffer, and about a batch: more would only push what
// the plan needs next out of the caches.
const bytesPerRow = 64

// maxWorkers is more than what puts their blocks in order can keep up with.
const maxWorkers = 16

func newParallel(inputs []Input, dec Divisible, o connector.OpenOptions) (connector.Reader, error) {
	p, workers, err := assemble(inputs, dec, o)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	for _, w := range workers {
		p.running.Add(1)
		go w.run(ctx)
	}
	return p, nil
}

// assemble makes a reader and its workers, which nobody has started.
func assemble(inputs []Input, dec Divisible, o connector.OpenOptions) (*parallel, []*worker, error) {
	serial, err := NewReader(inputs, dec, o) // checks the position
	if err != nil {
		return nil, nil, err
	}
	size := max(1, o.BatchSize)
	p := &parallel{inputs: inputs, size: size, prepare: o.Prepare, report: o.Bad, dec: dec, total: serial.total}
	p.input = serial.next
	workers := make([]*worker, min(o.Workers, maxWorkers))
	n := len(workers) + 2
	p.free, p.order = make(chan *block, n), make(chan *block, n+1)
	c := &cutter{
		inputs: inputs, chunk: serial.chunk, dec: dec.Fork(nil), out: p.order,
		size: int64(max(1, min(serial.chunk, size*bytesPerRow))), input: serial.next, resume: serial.offset,
	}
	p.cut = c
	if serial.offset > 0 {
		if err := p.restore(serial.load); err != nil {
			return nil, nil, err
		}
		c.lead = p.lead
	}
	p.offset = serial.offset
	for range n {
		b := &block{done: make(chan struct{}, 1)}
		p.blocks = append(p.blocks, b)
		p.free <- b
	}
	for i := range workers {
		w := &worker{p: p, dec: dec.Fork(nil)}
		if o.Bad != nil {
			w.dec = dec.Fork(func(r connector.BadRow) { w.rows = append(w.rows, r) })
		}
		workers[i] = w
	}
	return p, workers, nil
}

// restore takes line and lead from the decoder's part of a position.
func (p *parallel) restore(place []byte) error {
	d := stream.NewDecoder(place)
	p.dec.Begin(p.inputs[p.input].Name)
	p.dec.Load(d)
	if d.Err() != nil {
		return diag.New(diag.InvalidArgument, diag.Span{}, "the position to go on from is damaged").Wrap(d.Err())
	}
	p.line, p.lead = p.dec.Line(), p.dec.Lead()
	return nil
}

// Next implements connector.Reader.
func (p *parallel) Next(ctx context.Context, b *stream.Batch) error {
	p.release(b)
	if p.err != nil {
		return p.err
	}
	err := p.next(ctx, b)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		p.err = err
	}
	return err
}

// release takes back the batch that the caller had.
func (p *parallel) release(b *stream.Batch) {
	if p.held != nil {
		*b, p.held.batch = p.held.batch, *b
		p.held = nil
	}
}

func (p *parallel) next(ctx context.Context, b *stream.Batch) error {
	for {
		if p.cur == nil {
			if err := p.fetch(ctx); err != nil {
				return err
			}
		}
		if p.serial {
			if rows, err := p.again(b); rows > 0 || err != nil {
				return err
			}
		} else if p.k < p.cur.n {
			if p.deliver(b) {
				return nil
			}
			continue
		} else if p.cur.fault {
			p.cur.fault = false
			if err := p.redo(p.cur.used); err != nil {
				return err
			}
			continue
		}
		if err := p.finish(); err != nil {
			return err
		}
	}
}

// fetch waits for the next block.
func (p *parallel) fetch(ctx context.Context) error {
	if p.coming == nil && !p.over {
		select {
		case b := <-p.order:
			p.coming, p.over = b, b == nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if p.over {
		return io.EOF
	}
	if !p.ready {
		select {
		case <-p.coming.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b := p.coming
	p.coming, p.ready = nil, false
	return p.start(b)
}

// start looks whether a block starts where the one before ended.
func (p *parallel) start(b *block) error {
	p.cur, p.k = b, 0
	p.input, p.lead = b.input, b.lead
	if b.panic != nil {
		return b.panic
	}
	p.first = 0
	if b.first {
		p.offset, p.line, p.first = 0, 1, 1
	} else if len(b.data) > 0 {
		p.guesses++
	}
	p.opened = p.line
	switch {
	case len(p.buf) > 0:
		p.wrong++
		if p.wrong > 8 && p.wrong > p.guesses/2 {
			p.hopeless.Store(true)
		}
		return p.redo(0)
	case b.blind || b.raw:
		return p.redo(0)
	}
	return nil
}

// redo makes Next decode by itself what the block before has left over and the block's
// data behind used.
func (p *parallel) redo(used int) error {
	b := p.cur
	fresh := b.data[used:]
	if len(p.buf) == 0 {
		p.base = b.offset + int64(used)
	}
	// A record that was cut is complete at the earliest with a line end.
	p.idle = len(p.buf) > 0 && p.buf[len(p.buf)-1] != '\r' && !b.last && len(p.buf)+len(fresh) <= Enough &&
		bytes.IndexByte(fresh, '\n') < 0 && bytes.IndexByte(fresh, '\r') < 0
	p.buf = append(room(p.buf, len(fresh)), fresh...)
	p.serial, p.pos = true, 0
	name := p.inputs[b.input].Name
	if p.base == 0 {
		p.dec.Begin(name)
		return nil
	}
	return p.dec.Follow(name, p.lead, p.line, p.base)
}

// again decodes the next batch in order; 0: there is no row in what is left.
func (p *parallel) again(b *stream.Batch) (int, error) {
	if p.idle || p.pos == len(p.buf) {
		return 0, nil
	}
	state := More
	if p.cur.last {
		state = End
	}
	bad, fields := p.dec.Bad(), p.dec.BadFields()
	p.dec.Start(b, p.size)
	n, err := decode(p.dec, p.buf[p.pos:], state)
	p.pos += n
	p.bad.Add(p.dec.Bad() - bad)
	p.fields.Add(p.dec.BadFields() - fields)
	p.line, p.offset = p.dec.Line(), p.base+int64(p.pos)
	rows := p.dec.Rows()
	if rows == 0 {
		return 0, err
	}
	p.err = err
	p.dec.Finish()
	p.dicts.adopt(b, &p.ids)
	p.delivered.Add(int64(rows))
	return rows, nil
}

// decode gives a decoder all bytes that it can use for one batch.
func decode(d Decoder, data []byte, state State) (pos int, err error) {
	for {
		n, err := d.Decode(data[pos:], state)
		pos += n
		switch {
		case err != nil || d.IsFull() || pos == len(data):
			return pos, err
		case state == End && n == 0:
			return pos, diag.New(diag.Internal, diag.Span{}, "decoder left bytes at the end of the input")
		case state == More && len(data)-pos > Enough:
			if n, err = d.Decode(data[pos:], Full); err != nil {
				return pos + n, err
			}
			pos += n
		case state == More:
			return pos, nil
		}
	}
}

// deliver gives the next batch of the block to the caller; false if it has no rows.
func (p *parallel) deliver(b *stream.Batch) bool {
	t := p.cur.items[p.k]
	p.k++
	shift := p.opened - p.first // lines in front of the block
	for _, r := range t.rows {
		r.Line += shift
		p.report(r)
	}
	p.bad.Add(t.bad)
	p.fields.Add(t.fields)
	p.line, p.offset = p.opened+t.line, p.cur.offset+int64(t.end)
	if t.batch.N == 0 {
		return false
	}
	for i := range t.batch.From {
		t.batch.From[i].Line += shift
	}
	p.dicts.adopt(&t.batch, &p.cur.worker.ids)
	p.delivered.Add(int64(t.batch.N))
	*b, t.batch = t.batch, *b
	p.held = t
	return true
}

// finish gives back a block whose rows are delivered. Bytes that it leaves over belong
// to a record that goes on in the next block.
func (p *parallel) finish() error {
	b := p.cur
	if p.serial {
		p.base += int64(p.pos)
		p.buf = p.buf[:copy(p.buf, p.buf[p.pos:])]
		p.serial, p.idle = false, false
	} else if b.used < len(b.data) {
		p.base = b.offset + int64(b.used)
		p.buf = append(room(p.buf[:0], len(b.data)-b.used), b.data[b.used:]...)
	}
	if b.err != nil {
		return b.err
	}
	if b.last {
		if len(p.buf) > 0 {
			return p.redo(len(b.data))
		}
		p.input, p.offset, p.line, p.lead = b.input+1, 0, 0, nil
		if err := b.handle.close(); err != nil {
			return diag.New(diag.IO, diag.Span{}, "cannot close %s", p.inputs[b.input].Name).Wrap(err)
		}
	}
	p.cur = nil
	b.handle = nil
	p.free <- b
	return nil
}

// Ready implements connector.Ahead. In doubt it says no.
func (p *parallel) Ready() bool {
	if p.err != nil || p.over {
		return true
	}
	if p.serial {
		return false
	}
	if p.cur != nil {
		if p.cur.rowsFrom(p.k) {
			return true
		}
		if p.cur.used < len(p.cur.data) || p.cur.err != nil {
			return false
		}
	}
	if p.coming == nil {
		select {
		case b := <-p.order:
			p.coming, p.over = b, b == nil
		default:
			return false
		}
	}
	if p.over {
		return true
	}
	if !p.ready {
		select {
		case <-p.coming.done:
			p.ready = true
		default:
			return false
		}
	}
	return p.coming.rowsFrom(0)
}

// Prepared implements connector.Ahead.
func (p *parallel) Prepared() any {
	if p.held == nil {
		return nil
	}
	return p.held.prepared
}

// Position implements connector.Reader.
func (p *parallel) Position() connector.Position {
	var e, place stream.Encoder
	switch {
	case p.input == len(p.inputs):
		e.String(atEnd)
		e.Int64(0)
		e.Blob(nil)
	case p.offset == 0:
		e.String(p.inputs[p.input].Name)
		e.Int64(0)
		e.Blob(nil)
	default:
		name := p.inputs[p.input].Name
		d := p.dec // which may stand inside a record that makes several rows
		if !p.serial {
			d = p.dec.Fork(nil)
			if err := d.Follow(name, p.lead, p.line, p.offset); err != nil {
				return nil // it has been followed before
			}
		}
		d.Save(&place)
		e.String(name)
		e.Int64(p.offset)
		e.Blob(place.Bytes())
	}
	return e.Bytes()
}

// Counts implements connector.Reader.
func (p *parallel) Counts() connector.Counts {
	return connector.Counts{
		Delivered: p.delivered.Load(), Bad: p.bad.Load(), BadFields: p.fields.Load(),
		Bytes: p.read.Load(), TotalBytes: p.total,
	}
}

// Close implements connector.Reader. It ends when all workers have.
func (p *parallel) Close() error {
	if p.closed {
		return nil
	}
	p.closed = true
	if p.err == nil {
		p.err = diag.New(diag.Closed, diag.Span{}, "the reader is closed")
	}
	p.cancel()
	p.running.Wait()
	err := p.cut.cur.close()
	for _, b := range p.blocks {
		err = errors.Join(err, b.handle.close())
	}
	return err
}

// close closes the input, once.
func (h *handle) close() error {
	if h == nil || h.closed {
		return nil
	}
	h.closed = true
	return h.stream.Close()
}
