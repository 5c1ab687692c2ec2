package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"streamsql/internal/diag"
	"streamsql/stream"
)

// maxLine is how far behind the nominal end of a block a line feed is looked for.
// Where there is none, the block is cut at its nominal end: then no guess is right.
const maxLine = 1 << 20

// copyUnit is what the places of a byte in a file and in the buffer it is read into are the
// same modulo of. On processors that copy by their own string instructions (seen on AMD
// EPYC) a copy takes three times as long where its target lies a few bytes behind its
// source modulo the size of a page: each load then seems to depend on the store before.
const copyUnit = 64

// cutter divides inputs into blocks. next is called by one worker at a time, in the
// order of the blocks; load by many. Bytes of Random inputs are read by load, others
// have to be read in order, by next.
type cutter struct {
	inputs []Input
	size   int64 // bytes of a block
	chunk  int   // most bytes per read
	dec    Divisible
	out    chan<- *block // in order; nil: the inputs are over

	mu     sync.Mutex
	input  int // of cur, or to open next
	cur    *handle
	resume int64 // where to start in the input to open next, behind its head
	lead   any   // of the current input
	blind  bool
	headed int64  // the first block takes at least so many bytes: the head
	off    int64  // of the next block
	rest   []byte // bytes in front of it that are read already
	alone  bool   // the block before ends with a carriage return: any byte ends its line
	ended  bool
}

// handle is an open input.
type handle struct {
	stream Stream
	random Random // nil: read in order
	start  int64  // first byte to read
	size   int64  // of random
	closed bool
}

// next makes b the next block and puts it into the order; false if there is none.
func (c *cutter) next(ctx context.Context, b *block) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	if c.cur == nil && c.input == len(c.inputs) {
		c.ended = true
		c.out <- nil
		return false
	}
	b.first, b.last, b.short, b.err, b.data, b.blind, b.lead = false, false, false, nil, nil, false, nil
	b.input = c.input
	if err := c.advance(ctx, b); err != nil {
		b.err = err
		c.ended = true
	}
	b.handle = c.cur
	if b.last {
		c.cur = nil
		c.input++
	}
	c.out <- b
	return true
}

// advance opens an input where none is and takes the next block from it.
func (c *cutter) advance(ctx context.Context, b *block) error {
	if c.cur == nil {
		if err := c.open(ctx, b); err != nil {
			return err
		}
	}
	b.offset, b.lead, b.blind = c.off, c.lead, c.blind && !b.first
	if h := c.cur; h.random != nil {
		b.limit = min(c.off+max(c.size, c.headed), h.size)
		c.headed = 0
		b.last = b.limit == h.size
		c.off = b.limit
		return nil
	}
	return c.collect(ctx, b)
}

// open opens the next input and finds out its lead.
func (c *cutter) open(ctx context.Context, b *block) error {
	in := &c.inputs[c.input]
	s, err := in.Open(ctx, c.resume)
	if err != nil {
		return err
	}
	h := &handle{stream: s, start: c.resume}
	if r, ok := s.(Random); ok {
		if h.size = r.Size(); h.size > 0 && h.size >= h.start {
			h.random = r
		}
	}
	c.cur, c.off, c.rest, c.alone = h, c.resume, c.rest[:0], false
	if c.resume > 0 {
		c.resume = 0
		return nil // the lead is that of the position
	}
	b.first = true
	c.lead, c.blind, c.headed = nil, false, 0
	return c.head(ctx, in.Name)
}

// head reads as much of the input as its head takes. Where the head is wrong, only
// the first block is decoded: the reader meets the error in it.
func (c *cutter) head(ctx context.Context, name string) error {
	c.dec.Begin(name)
	over := false
	var seen []byte
	for {
		state := More
		if over {
			state = End
		}
		n, ok, err := c.dec.Head(seen, state)
		if ok {
			c.lead, c.headed = c.dec.Lead(), int64(n)
			return nil
		}
		if err != nil || over || len(seen) > Enough {
			c.blind, c.headed = true, int64(len(seen))
			return nil
		}
		h := c.cur
		seen = room(seen, max(c.chunk, 512))
		if h.random != nil {
			n, err = h.random.ReadAt(seen[len(seen):cap(seen)-stream.Slack], int64(len(seen)))
		} else {
			n, err = h.stream.Read(ctx, seen[len(seen):cap(seen)-stream.Slack])
		}
		seen = seen[:len(seen)+n]
		if h.random == nil {
			c.rest = seen
		}
		if over = err == io.EOF; err != nil && !over {
			return c.fault(c.input, err)
		}
	}
}

// collect reads a block from an input that must be read in order: what is there, at
// least a record.
func (c *cutter) collect(ctx context.Context, b *block) error {
	b.buf = append(b.buf[:0], c.rest...)
	c.rest = c.rest[:0]
	size, head := int(max(c.size, c.headed)), int(c.headed)
	c.headed = 0
	end := 0                       // behind the last line feed
	from, alone := head-1, c.alone // what was searched; a carriage return stands in front of something
	for {
		for from = max(0, from); from < len(b.buf); from = len(b.buf) {
			if i := bytes.LastIndexByte(b.buf[from:], '\n'); i >= 0 {
				end = from + i + 1
			}
			alone = alone || bytes.IndexByte(b.buf[max(0, from-1):len(b.buf)-1], '\r') >= 0
		}
		full := len(b.buf) >= size
		if end == 0 && len(b.buf) >= head && (alone || full && len(b.buf) >= maxLine) {
			end = len(b.buf) // lines may end otherwise: the reader has to find out
		}
		if end > 0 && (full || !c.cur.stream.Ready()) {
			c.rest = append(c.rest, b.buf[end:]...)
			c.take(b, end)
			return nil
		}
		b.buf = room(b.buf, c.chunk)
		at := len(b.buf)
		n, err := c.cur.stream.Read(ctx, b.buf[at:min(at+c.chunk, cap(b.buf)-stream.Slack)])
		b.buf = b.buf[:at+n]
		if err == io.EOF {
			b.last = true
			c.take(b, len(b.buf))
			return nil
		}
		if err != nil {
			c.take(b, len(b.buf))
			return c.fault(c.input, err)
		}
	}
}

// take makes the first n bytes of the buffer the block's data.
func (c *cutter) take(b *block, n int) {
	b.buf = room(b.buf, 0)
	b.data = b.buf[:n]
	c.off += int64(n)
	c.alone = n > 0 && b.buf[n-1] == '\r'
}

// fault is why an input cannot be read.
func (c *cutter) fault(input int, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || diag.As(err) != nil {
		return err
	}
	return diag.New(diag.IO, diag.Span{}, "cannot read %s", c.inputs[input].Name).Wrap(err)
}

// load reads the data of a block of a Random input: from the border at its start to
// that at its end, which are found in the bytes alone.
func (c *cutter) load(b *block) {
	h := b.handle
	if h == nil || h.random == nil || b.err != nil {
		return
	}
	from := b.offset
	if from > h.start {
		from = max(h.start, (from-1)&^(copyUnit-1)) // the border may be right at the offset
	}
	b.buf = b.buf[:0]
	// Mostly the line that crosses the end is short.
	if !c.fetch(b, from, b.limit+min(c.size, 4096)) {
		return
	}
	lo, hi := 0, 0
	if from < b.offset {
		if lo = c.border(b, from, b.offset); lo < 0 {
			return
		}
	}
	if b.limit == h.size {
		hi = len(b.buf)
	} else if hi = c.border(b, from, b.limit); hi < 0 {
		return
	}
	b.offset = from + int64(lo)
	b.data = b.buf[lo:max(lo, hi)]
}

// border returns where, in the buffer that starts at from, the block that starts
// nominally at place does: behind the first line feed from the byte before on. -1: the
// input cannot be read.
func (c *cutter) border(b *block, from, place int64) int {
	at := int(place - 1 - from)
	for searched := at; ; {
		if b.short && searched >= len(b.buf) {
			return len(b.buf)
		}
		seen := min(len(b.buf), at+maxLine)
		if i := bytes.IndexByte(b.buf[searched:seen], '\n'); i >= 0 {
			return searched + i + 1
		}
		if searched = seen; searched-at == maxLine {
			return at + 1
		}
		if from+int64(searched) >= b.handle.size {
			return searched
		}
		if !c.fetch(b, from, from+int64(searched)+min(max(c.size, 4096), maxLine)) {
			return -1
		}
	}
}

// fetch reads the bytes of the input up to an offset into the buffer, which starts at
// from. There are fewer in files of which the system does not know the size.
func (c *cutter) fetch(b *block, from, to int64) bool {
	to = min(to, b.handle.size)
	at := len(b.buf)
	n := int(to-from) - at
	if n <= 0 {
		return true
	}
	b.buf = room(b.buf, n)
	got, err := b.handle.random.ReadAt(b.buf[at:at+n], from+int64(at))
	b.buf = b.buf[:at+got]
	if err == nil || err == io.EOF && got == n {
		return true
	}
	if err == io.EOF {
		if err = checkSize(b.handle.random, b.handle.size, c.inputs[b.input].Name); err == nil {
			b.short = true
			return true
		}
	}
	b.err = c.fault(b.input, err)
	return false
}

// checkSize returns an error if an input that had size bytes when it was opened, and has
// ended earlier, has become shorter.
func checkSize(r Random, size int64, name string) error {
	if r.Size() >= size {
		return nil
	}
	return diag.New(diag.IO, diag.Span{}, "%s has become shorter while it was being read", name).
		WithHint("read it when nobody writes to it")
}

// room returns buf with place for n more bytes and the slack.
func room(buf []byte, n int) []byte {
	if cap(buf)-len(buf) >= n+stream.Slack {
		return buf
	}
	bigger := make([]byte, len(buf), 2*len(buf)+n+stream.Slack)
	copy(bigger, buf)
	return bigger
}
