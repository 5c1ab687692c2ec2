package bitmap

import (
	"encoding/binary"
	"errors"
)

// What is wrong with bytes that are no set.
var (
	errCut    = errors.New("the bytes end too early")
	errCookie = errors.New("the bytes do not begin as a serialised bitmap does")
	errBlocks = errors.New("there are more than 65536 blocks")
	errOrder  = errors.New("the numbers are not in order")
	errCount  = errors.New("a block does not have as many numbers as it says")
)

// Parse reads a set from bytes that anybody may have written: any serialised form is
// taken, bytes behind it are ignored as Flink does, and numbers must be in order. After
// an error the set is empty.
func (s *Set) Parse(b []byte) error {
	s.Reset()
	err := s.parse(b)
	if err != nil {
		s.Reset()
	}
	return err
}

func (s *Set) parse(b []byte) error {
	r, err := open(b)
	if err != nil {
		return err
	}
	last := -1
	for x := (block{}); r.i < r.n; {
		if err := r.check(&x); err != nil {
			return err
		}
		if int(x.key) <= last {
			return errOrder
		}
		last = int(x.key)
		if x.card > 0 {
			s.m.right.load(&x)
			p := part{key: x.key}
			p.settle(s.m, &s.m.right)
			if x.form != runsForm && p.card != x.card {
				s.m.release(&p)
				return errCount
			}
			s.insert(len(s.parts), p)
		}
	}
	return nil
}

// open is read for bytes that may be anything.
func open(b []byte) (r blocks, err error) {
	if len(b) < 4 {
		return r, errCut
	}
	first := binary.LittleEndian.Uint32(b)
	b = b[4:]
	switch {
	case first == plain:
		if len(b) < 4 {
			return r, errCut
		}
		n := binary.LittleEndian.Uint32(b)
		if n > maxBlocks {
			return r, errBlocks
		}
		r.n, b = int(n), b[4:]
	case first&0xffff == mixed:
		r.n = int(first>>16) + 1
		size := (r.n + 7) / 8
		if len(b) < size {
			return r, errCut
		}
		r.runs, b = b[:size], b[size:]
	default:
		return r, errCookie
	}
	head := 4 * r.n
	if r.runs == nil || r.n >= offsetsFrom {
		head += 4 * r.n
	}
	if len(b) < head {
		return r, errCut
	}
	r.heads, r.data = b[:4*r.n], b[head:]
	return r, nil
}

// check is next for bytes that may be anything: the numbers of the block lie in the
// bytes and are in order. A block of runs may be empty.
func (r *blocks) check(x *block) error {
	if r.runs == nil || r.runs[r.i>>3]>>(r.i&7)&1 == 0 {
		size := wordsBytes
		if n := int(binary.LittleEndian.Uint16(r.heads[4*r.i+2:])) + 1; n <= maxArray {
			size = 2 * n
		}
		if len(r.data) < size {
			return errCut
		}
		r.next(x)
		if x.form == arrayForm {
			return x.checkList()
		}
		return nil
	}
	if len(r.data) < 2 || len(r.data)-2 < 4*int(binary.LittleEndian.Uint16(r.data)) {
		return errCut
	}
	r.next(x)
	return x.checkRuns()
}

func (x *block) checkList() error {
	last := -1
	for at := 0; at < len(x.data); at += 2 {
		n := int(binary.LittleEndian.Uint16(x.data[at:]))
		if n <= last {
			return errOrder
		}
		last = n
	}
	return nil
}

// checkRuns also counts the numbers: what the head of the block says is ignored, as
// Flink does.
func (x *block) checkRuns() error {
	end := 0 // behind the last run
	x.card = 0
	for at := 0; at < len(x.data); at += 4 {
		start, more := int(binary.LittleEndian.Uint16(x.data[at:])), int(binary.LittleEndian.Uint16(x.data[at+2:]))
		if start < end || start+more > 0xffff {
			return errOrder
		}
		end = start + more + 1
		x.card += more + 1
	}
	return nil
}
