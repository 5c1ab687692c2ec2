package text

import (
	"context"

	"streamsql/connector"
	"streamsql/internal/diag"
	"streamsql/stream"
)

// block is a part of an input on its way: cut by whoever reads, decoded by a worker,
// delivered in the order of the input.
type block struct {
	input  int     // index of the input
	first  bool    // it starts the input: what Head reads stands in it
	last   bool    // the input ends with it
	short  bool    // the input has ended inside it, or in front of it
	handle *handle // the open input
	lead   any     // of the input
	blind  bool    // not to be decoded ahead: the lead is not known
	offset int64   // of data in the input
	limit  int64   // Random inputs: where it ends nominally
	buf    []byte
	data   []byte // in buf, with Slack readable bytes behind
	err    error  // why reading ends behind data

	// What the worker has made of data, if it starts with a record.
	worker *worker
	items  []*item
	n      int   // items in use
	used   int   // bytes that are decoded
	lines  int64 // line ends in them
	fault  bool  // the record behind them cannot be read
	raw    bool  // it has not decoded the block
	panic  error // the worker has met a fault of its own
	done   chan struct{}
}

// item is one decoded batch. Lines count from the start of the block.
type item struct {
	batch    stream.Batch
	prepared any
	dicts    []stream.Vec // the worker's dictionaries, as long as they were then
	end      int          // bytes of the block up to its end
	line     int64        // of the record behind it
	bad      int64
	fields   int64
	rows     []connector.BadRow
}

// item returns the item to fill next.
func (b *block) item() *item {
	if b.n == len(b.items) {
		b.items = append(b.items, new(item))
	}
	return b.items[b.n]
}

// freeze makes the batch independent of dictionaries that the worker will make longer.
func (t *item) freeze() {
	if len(t.dicts) < len(t.batch.Cols) {
		t.dicts = make([]stream.Vec, len(t.batch.Cols))
	}
	for i := range t.batch.Cols {
		if v := &t.batch.Cols[i]; v.Enc == stream.Dict {
			t.dicts[i] = *v.Dict
			v.Dict = &t.dicts[i]
		}
	}
}

// worker decodes blocks in a goroutine of its own.
type worker struct {
	p    *parallel
	dec  Divisible
	rows []connector.BadRow // what the decoder could not read in the batch at hand
	ids  idMap
}

func (w *worker) run(ctx context.Context) {
	defer w.p.running.Done()
	for {
		var b *block
		select {
		case b = <-w.p.free:
		case <-ctx.Done():
			return
		}
		if !w.p.cut.next(ctx, b) {
			return
		}
		b.worker = w
		w.work(b)
		b.done <- struct{}{}
	}
}

// work reads and decodes a block. Nobody further up could recover from a panic here.
func (w *worker) work(b *block) {
	defer func() {
		if p := recover(); p != nil {
			b.panic = diag.New(diag.Internal, diag.Span{}, "internal fault while reading: %v", p)
		}
	}()
	b.n, b.used, b.lines, b.fault, b.panic = 0, 0, 0, false, nil
	w.p.cut.load(b)
	w.p.read.Add(int64(len(b.data)))
	b.raw = b.blind || w.p.hopeless.Load()
	if b.raw {
		return
	}
	name := w.p.inputs[b.input].Name
	if b.first {
		w.dec.Begin(name)
	} else if w.dec.Follow(name, b.lead, 0, b.offset) != nil {
		b.raw = true // the reader meets the error when the order comes to it
		return
	}
	w.decode(b)
}

// rowsFrom reports whether the items from k on have a row.
func (b *block) rowsFrom(k int) bool {
	for _, t := range b.items[k:b.n] {
		if t.batch.N > 0 {
			return true
		}
	}
	return false
}

// decode makes batches of the block's records. Where one cannot be read it stops in
// front of that batch: the reader decodes it again and gets the error with its line.
func (w *worker) decode(b *block) {
	d := w.dec
	state := More
	if b.last {
		state = End
	}
	start := d.Line()
	for pos := 0; ; {
		t := b.item()
		t.batch.Clear()
		d.Start(&t.batch, w.p.size)
		w.rows = t.rows[:0]
		bad, fields := d.Bad(), d.BadFields()
		from := pos
		for {
			n, err := d.Decode(b.data[pos:], state)
			pos += n
			if err != nil {
				b.fault = true
				return
			}
			if d.IsFull() || n == 0 || state != End || pos == len(b.data) {
				break
			}
		}
		rows := d.Rows()
		t.end, t.line = pos, d.Line()-start
		t.bad, t.fields, t.rows = d.Bad()-bad, d.BadFields()-fields, w.rows
		d.Finish()
		t.freeze()
		if rows > 0 && w.p.prepare != nil {
			t.prepared = w.p.prepare(&t.batch, t.prepared)
		}
		b.n++
		b.used, b.lines = pos, t.line
		if pos == len(b.data) || pos == from || !d.IsFull() {
			return
		}
	}
}
