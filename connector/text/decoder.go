package text

import "streamsql/stream"

// MaxRecord is the most bytes a record may have, without its line end.
const MaxRecord = 16 << 20

// Enough is so many bytes that a record of which they are not all is too long, also if
// it ends with two bytes.
const Enough = MaxRecord + len("\r\n")

// State says what follows the bytes that are given to Decode.
type State uint8

// The states.
const (
	More State = iota // more bytes may follow
	End               // the input ends here
	Full              // more follow, but the record at the start is not whole with more than Enough bytes
)

// Decoder turns the bytes of a format into rows. It keeps nothing of a record
// that is not complete, so an answer never depends on where the bytes are cut.
type Decoder interface {
	// Begin starts an input; file is its name in messages and origins.
	Begin(file string)
	// Start points the decoder to the batch that it fills from now on, with at most
	// size rows.
	Start(b *stream.Batch, size int)
	// Decode reads whole records from data, behind which stream.Slack bytes can be
	// read, and returns how many bytes it has used. It stops before a record that is
	// cut (unless s says that nothing follows), when the batch is full, and behind a
	// fault. Rows before the fault stay in the batch.
	Decode(data []byte, s State) (n int, err error)
	// Rows is the number of rows in the batch so far.
	Rows() int
	// IsFull reports whether the batch takes no more rows.
	IsFull() bool
	// Finish completes the batch.
	Finish()
	// Bad is the number of rows that were skipped so far, BadFields that of values
	// that became NULL because they could not be read.
	Bad() int64
	BadFields() int64
	// Save and Load write and read the place inside an input that a later reader
	// needs to go on behind the last byte used.
	Save(e *stream.Encoder)
	Load(d *stream.Decoder)
}
