package format

import "slices"

// lines writes rows of which all texts are copied as they are, one line a row: the
// common case of a format, in one loop without a call per value. Memory for all rows is
// there before, so that texts are copied in blocks whatever their lengths; what a block
// writes too much, the next one covers.
type lines struct {
	cols []lineColumn
	tail lineText
	none lineText // what stands for an empty text
}

type lineColumn struct {
	before lineText
	truth  bool // TRUE and FALSE are written in small letters
	finite bool // a text that does not end with a digit is not copied

	data []byte
	off  []int32
}

// lineText is a constant text with a block of memory behind it.
type lineText struct {
	data []byte
	n    int
}

const lineBlock = 16

func newLineText(s string) lineText {
	return lineText{data: append(append(make([]byte, 0, len(s)+lineBlock), s...), make([]byte, lineBlock)...), n: len(s)}
}

var lineTrue, lineFalse = newLineText("true"), newLineText("false")

// copies reports whether rows are of the common case. They are set up for append then.
func (l *lines) copies(r *Rows, from, to int) bool {
	if r.Kinds != nil {
		return false
	}
	for i := range l.cols {
		c, t := &l.cols[i], &r.Cols[i]
		if !r.Plain[i] || t.Valid != nil {
			return false
		}
		c.off = t.Offsets[:to+1]
		c.data = t.Data[:cap(t.Data)]
		if c.finite {
			for row := from; row < to; row++ {
				if end := c.off[row+1]; end == c.off[row] || c.data[end-1] < '0' || c.data[end-1] > '9' {
					return false
				}
			}
		}
	}
	return true
}

// append writes the rows that copies was asked for.
func (l *lines) append(dst []byte, from, to int) []byte {
	size := l.tail.n
	for i := range l.cols {
		size += l.cols[i].before.n + max(l.none.n, lineFalse.n)
	}
	size *= to - from
	for i := range l.cols {
		size += int(l.cols[i].off[to] - l.cols[i].off[from])
	}
	at := len(dst)
	dst = slices.Grow(dst, size+lineBlock)
	dst = dst[:cap(dst)]
	for row := from; row < to; row++ {
		for i := range l.cols {
			c := &l.cols[i]
			if c.before.n == 1 {
				dst[at] = c.before.data[0]
				at++
			} else {
				at = putBlocks(dst, at, c.before.data, 0, c.before.n)
			}
			start, end := int(c.off[row]), int(c.off[row+1])
			switch {
			case end == start:
				at = putBlocks(dst, at, l.none.data, 0, l.none.n)
			case !c.truth:
				at = putBlocks(dst, at, c.data, start, end)
			case end-start == lineTrue.n:
				at = putBlocks(dst, at, lineTrue.data, 0, lineTrue.n)
			default:
				at = putBlocks(dst, at, lineFalse.data, 0, lineFalse.n)
			}
		}
		at = putBlocks(dst, at, l.tail.data, 0, l.tail.n)
	}
	return dst[:at]
}

// putBlocks copies src[from:to] to place at of dst, in blocks where it is short and src
// goes on behind it, and returns the place behind.
func putBlocks(dst []byte, at int, src []byte, from, to int) int {
	s := src[from:]
	d := dst[at:]
	switch n := to - from; {
	case n <= lineBlock && len(s) >= lineBlock:
		*(*[lineBlock]byte)(d) = *(*[lineBlock]byte)(s)
	case n <= 2*lineBlock && n > lineBlock:
		*(*[lineBlock]byte)(d) = *(*[lineBlock]byte)(s)
		*(*[lineBlock]byte)(d[n-lineBlock:]) = *(*[lineBlock]byte)(s[n-lineBlock:])
	default:
		copy(d, s[:n])
	}
	return at + to - from
}

// putBlanks writes n blanks at place at of dst.
func putBlanks(dst []byte, at, n int) int {
	const blanks = "                "
	for k := 0; k < n; k += lineBlock {
		*(*[lineBlock]byte)(dst[at+k:]) = [lineBlock]byte([]byte(blanks))
	}
	return at + max(n, 0)
}
