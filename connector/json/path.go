package json

import (
	"unsafe"

	"streamsql/connector/field"
)

// The fast path expects of a line the keys and the texts between values of the one
// before, its path through the layout. Where a line strays from the path, the layout
// leads on.

// stray looks for the way on at i, behind the steps of a path that the line has
// taken; away says that these have left d.path already. It returns the steps with
// one more, or nil.
func (d *Decoder) stray(p unsafe.Pointer, i int, path []*edge, away bool) []*edge {
	if !away {
		d.tag++
		for _, e := range path {
			if e.col != nil {
				e.col.seen = d.tag
			}
		}
		path = append(d.detour[:0], path...)
	}
	at := int32(0)
	if len(path) > 0 {
		at = path[len(path)-1].next
	}
	e := d.layout.nodes[at].follow(p, i)
	if e == nil {
		return nil
	}
	if c := e.col; c != nil {
		if c.seen == d.tag {
			return nil // the key is there twice
		}
		c.seen = d.tag
	}
	d.detour = append(path, e)
	return d.detour
}

// settle ends a line: the columns whose keys it does not have are NULL, if they may
// be. The second line in a row that has strayed is what the next ones are expected to
// be like.
func (d *Decoder) settle(row int, away bool) bool {
	if !away {
		for _, c := range d.missing {
			c.fastNull(row)
		}
		return true
	}
	for i := range d.cols {
		c := &d.cols[i]
		if c.seen == d.tag {
			continue
		}
		if c.Type.NotNull || d.opts.FailOnMissing {
			return false
		}
		c.fastNull(row)
	}
	if len(d.path) > 0 && d.strayed != row-1 {
		d.strayed = row
		return true
	}
	d.path, d.detour = d.detour, d.path[:0]
	d.missing = d.missing[:0]
	for i := range d.cols {
		if c := &d.cols[i]; c.seen != d.tag {
			d.missing = append(d.missing, c)
		}
	}
	return true
}

// fastNull is PutNull where ids are found later.
func (c *column) fastNull(row int) {
	if c.IDs != nil {
		c.spans[row] = field.NoSpan
	}
	c.PutNull(row)
}

// fastMillis reads a TIMESTAMP(3) and keeps its minute, which mostly is that of the
// next ones.
func (c *column) fastMillis(buf []byte, i, row int) int {
	next := closed(buf, c.Timestamp(buf, i+1, row), i)
	if next == i+25 {
		if v, ok := millis(field.Word(buf, i+17)); ok {
			c.minute = minute{field.Word(buf, i), field.Word(buf, i+8), field.Word(buf, i+9), c.I64[row] - v}
		}
	}
	return next
}
