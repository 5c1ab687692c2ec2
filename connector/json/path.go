package json

import (
	"unsafe"

	"streamsql/connector/field"
)

// path is the way of a line through the layout. The fast path expects of a line what
// was between the values of the ones before: their path. Where a line strays from it,
// the layout leads on.
type path struct {
	steps []*step // some more than are used
	n     int
}

// step is an edge, and the step to come.
type step struct {
	edge
	then *step
}

// unknown is the step that no text is. Its two words contradict each other.
var unknown = step{edge: edge{first: 0, second: 1, mask: ^uint64(0)}}

// add appends an edge.
func (p *path) add(e *edge) *step {
	if p.n == len(p.steps) {
		p.steps = append(p.steps, new(step))
	}
	s := p.steps[p.n]
	*s = step{*e, &unknown}
	if p.n > 0 {
		p.steps[p.n-1].then = s
	}
	p.n++
	return s
}

// expected is the first step of the next line.
func (d *Decoder) expected() *step {
	if d.path.n == 0 {
		return &unknown
	}
	return d.path.steps[0]
}

// stray looks for the way on at i, where the text of step at is not; away says that the
// line has left d.path before. It returns nil if there is none.
func (d *Decoder) stray(p unsafe.Pointer, i int, at *step, away bool) *step {
	if !away {
		d.tag++
		d.detour.n = 0
		for _, s := range d.path.steps[:d.path.n] {
			if s == at {
				break
			}
			d.detour.add(&s.edge)
			if s.col != nil {
				s.col.seen = d.tag
			}
		}
	}
	node := int32(0)
	if n := d.detour.n; n > 0 {
		node = d.detour.steps[n-1].next
	}
	e := d.layout.nodes[node].follow(p, i)
	if e == nil {
		return nil
	}
	if c := e.col; c != nil {
		if c.seen == d.tag {
			return nil // the key is there twice
		}
		c.seen = d.tag
	}
	return d.detour.add(e)
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
	if d.path.n > 0 && d.strayed != row-1 {
		d.strayed = row
		return true
	}
	d.missing = d.missing[:0]
	for i := range d.cols {
		if c := &d.cols[i]; c.seen != d.tag {
			d.missing = append(d.missing, c)
		}
	}
	d.path, d.detour = d.detour, d.path
	end := d.path.steps[d.path.n-1]
	end.then = d.path.steps[0]
	if len(d.missing) == 0 {
		end.op = opNext
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
