package text

import (
	"streamsql/connector"
)

// Divisible is a Decoder of a format whose inputs can be decoded in parts by
// several goroutines, each with a decoder of its own.
//
// A part starts and ends behind a line feed, or where an input does. Whether the
// line feed ended a record or stood inside one is found out only when the part
// before has been decoded: until then decoding is a guess.
type Divisible interface {
	Decoder
	// Fork returns a decoder for the same table; bad takes what it cannot read (nil:
	// it is only counted).
	Fork(bad func(connector.BadRow)) Divisible
	// Head reads, behind Begin, what stands at the start of an input and holds for all
	// of it, like a header, and returns how many bytes that takes. ok is false if data
	// ends before.
	Head(data []byte, s State) (n int, ok bool, err error)
	// Lead is what Head or Load has found: a value that is never changed.
	Lead() any
	// Follow sets the decoder to a place inside an input: in front of a record, behind
	// the head. The caller gives the lead of that input.
	Follow(file string, lead any, line, offset int64) error
	// Line is that of the record to come.
	Line() int64
}

// Random is a Stream whose bytes can be read at any place by several goroutines.
type Random interface {
	Stream
	// ReadAt is like io.ReaderAt's; offsets count from the start of the input.
	ReadAt(p []byte, offset int64) (int, error)
	// Size is the number of bytes; 0: not known, so that the input must be read in order.
	Size() int64
}

// Interner is a Decoder that can deliver columns with a dictionary.
type Interner interface {
	// Intern names the wanted columns (physical ones) for which a dictionary pays. The
	// decoder stops by itself where there are too many values.
	Intern(columns []int)
}

// Open returns a reader over the inputs as the options ask: with goroutines that
// decode ahead of it, if there may be several workers and the format allows it.
func Open(inputs []Input, dec Decoder, o connector.OpenOptions) (connector.Reader, error) {
	divisible, ok := dec.(Divisible)
	if in, can := dec.(Interner); can && len(o.Intern) > 0 && (ok || o.Workers <= 1) {
		in.Intern(o.Intern)
	}
	if ok && o.Workers > 1 {
		return newParallel(inputs, divisible, o)
	}
	return NewReader(inputs, dec, o)
}
