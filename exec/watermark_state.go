package exec

import "streamsql/stream"

// watermarkState is the declared state of operators that remember nothing but the
// watermark in force before the next batch.
type watermarkState struct{ w stream.Timestamp }

// Snapshot implements state.Object.
func (s *watermarkState) Snapshot(e *stream.Encoder) { e.Int64(int64(s.w)) }

// Restore implements state.Object.
func (s *watermarkState) Restore(d *stream.Decoder) error {
	s.w = stream.Timestamp(d.Int64())
	return d.Err()
}

// Steady implements state.Steady.
func (s *watermarkState) Steady() {}

// Bytes implements state.Object.
func (s *watermarkState) Bytes() int64 { return 0 }

// Rows implements state.Object.
func (s *watermarkState) Rows() int64 { return 0 }
