package stream

import (
	"encoding/binary"
	"errors"
	"math"
)

// Encoder writes state for a snapshot. Values are little endian; slices carry
// their length. A Decoder reads them back in the same order.
type Encoder struct{ buf []byte }

// Bytes returns what was written.
func (e *Encoder) Bytes() []byte { return e.buf }

// Uint64 writes x.
func (e *Encoder) Uint64(x uint64) { e.buf = binary.LittleEndian.AppendUint64(e.buf, x) }

// Int64 writes x.
func (e *Encoder) Int64(x int64) { e.Uint64(uint64(x)) }

// Float64 writes x.
func (e *Encoder) Float64(x float64) { e.Uint64(math.Float64bits(x)) }

// Bool writes x.
func (e *Encoder) Bool(x bool) {
	if x {
		e.buf = append(e.buf, 1)
	} else {
		e.buf = append(e.buf, 0)
	}
}

// Blob writes b with its length.
func (e *Encoder) Blob(b []byte) {
	e.Uint64(uint64(len(b)))
	e.buf = append(e.buf, b...)
}

// String writes s with its length.
func (e *Encoder) String(s string) {
	e.Uint64(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

// ErrSnapshot is returned by a Decoder that runs past its data.
var ErrSnapshot = errors.New("snapshot is cut short or damaged")

// Decoder reads what an Encoder wrote. The first error sticks; reads after it
// give zero values.
type Decoder struct {
	buf []byte
	err error
}

// NewDecoder returns a decoder over b.
func NewDecoder(b []byte) *Decoder { return &Decoder{buf: b} }

// Err returns the first error.
func (d *Decoder) Err() error { return d.err }

// Len returns the number of bytes left.
func (d *Decoder) Len() int { return len(d.buf) }

// Fail sets the error, if none is set, and returns it.
func (d *Decoder) Fail(err error) error {
	if d.err == nil {
		d.err = err
		d.buf = nil
	}
	return d.err
}

func (d *Decoder) take(n uint64) []byte {
	if d.err != nil || n > uint64(len(d.buf)) {
		d.Fail(ErrSnapshot)
		return nil
	}
	b := d.buf[:n]
	d.buf = d.buf[n:]
	return b
}

// Uint64 reads a number.
func (d *Decoder) Uint64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Int64 reads a number.
func (d *Decoder) Int64() int64 { return int64(d.Uint64()) }

// Float64 reads a number.
func (d *Decoder) Float64() float64 { return math.Float64frombits(d.Uint64()) }

// Bool reads a truth value.
func (d *Decoder) Bool() bool {
	b := d.take(1)
	return b != nil && b[0] != 0
}

// Blob reads bytes; they alias the decoder's data.
func (d *Decoder) Blob() []byte { return d.take(d.Uint64()) }

// String reads a string.
func (d *Decoder) String() string { return string(d.Blob()) }

// Count reads a number of items of at least width bytes each (0: no check
// against the bytes left).
func (d *Decoder) Count(width int) int {
	n := d.Uint64()
	if n > math.MaxInt32 || width > 0 && n > uint64(len(d.buf)/width) {
		d.Fail(ErrSnapshot)
		return 0
	}
	return int(n)
}
