package stream

// Control is a message on an edge that carries no rows. Controls stand in order
// with batches and have an ordinal; watermarks are no controls, they travel in
// batches.
type Control struct {
	Kind ControlKind
	Ord  int64
	Now  int64  // Tick: processing time in milliseconds since 1970
	ID   uint64 // Barrier: the checkpoint's number
}

// ControlKind is the kind of a Control.
type ControlKind uint8

// The control messages.
const (
	EndOfInput ControlKind = iota // the bounded input is over; the mark MaxWatermark has been sent before
	Idle                          // this edge leaves the watermark minimum
	Active                        // and takes part again
	Barrier                       // a checkpoint: state now is the effect of all ordinals ≤ Ord
	Tick                          // a clock reading
)
