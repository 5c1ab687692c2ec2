package exec

import "streamsql/stream"

// cutter walks the rises of a batch's watermark in order, in either form.
type cutter struct {
	b   *stream.Batch
	w   stream.Timestamp
	pos int
}

func (c *cutter) start(b *stream.Batch, before stream.Timestamp) { c.b, c.w, c.pos = b, before, 0 }

// next returns the next rise at a position up to limit.
func (c *cutter) next(limit int32) (stream.Mark, bool) {
	if a := c.b.After; a != nil {
		for c.pos < int(limit) {
			i := c.pos
			c.pos++
			if a[i] > c.w {
				c.w = a[i]
				return stream.Mark{Pos: int32(i + 1), Ord: c.b.Ordinal(i) + 1, W: a[i]}, true
			}
		}
		return stream.Mark{}, false
	}
	for c.pos < len(c.b.Marks) && c.b.Marks[c.pos].Pos <= limit {
		m := c.b.Marks[c.pos]
		c.pos++
		if m.W > c.w {
			c.w = m.W
			return m, true
		}
	}
	return stream.Mark{}, false
}

// pass appends the rises up to limit to marks, as rises at pos of an output, and notes the
// last one in w.
func (c *cutter) pass(limit int32, w *stream.Timestamp, marks []stream.Mark, pos int) []stream.Mark {
	for {
		m, ok := c.next(limit)
		if !ok {
			return marks
		}
		*w = m.W
		marks = append(marks, stream.Mark{Pos: int32(pos), Ord: m.Ord, W: m.W})
	}
}
