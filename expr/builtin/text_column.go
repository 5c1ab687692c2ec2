package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// TextColumn returns the texts of the n rows of v, as AppendText gives them, as a
// vector of bytes with the NULLs of v: own, whose memory is used again, or v itself
// where it is a text column.
func TextColumn(own, v *stream.Vec, n int, zone expr.Zone) *stream.Vec {
	if v.Enc == stream.Flat && v.Type.IsText() {
		return v
	}
	own.Reset(types.Of(types.Varchar), n)
	w := textWriter{data: own.Data, off: own.Off[:n+1], valid: v.Valid, n: n}
	switch {
	case v.Type.Kind == types.Null || v.Enc != stream.Flat:
		w.any(v, zone)
		if v.Type.Kind == types.Null || v.Valid != nil {
			w.valid = own.OwnValid(n)
			clear(w.valid)
			for i := range n {
				if !v.IsNull(i) {
					w.valid[i>>6] |= 1 << (i & 63)
				}
			}
		}
	case v.Type.Kind == types.BigInt:
		writeInts[int64](&w, v)
	case v.Type.Kind == types.Int:
		writeInts[int32](&w, v)
	case v.Type.Kind == types.SmallInt:
		writeInts[int16](&w, v)
	case v.Type.Kind == types.TinyInt:
		writeInts[int8](&w, v)
	case v.Type.Kind == types.Double:
		w.doubles(v)
	case v.Type.IsTimestamp():
		w.timestamps(v, zone)
	default:
		w.any(v, zone)
	}
	own.Data, own.Off, own.N, own.Valid = w.data, w.off, n, w.valid
	return own
}

// textWriter writes the texts of a column: its offsets have their place already.
type textWriter struct {
	data  []byte
	off   []int32
	valid []uint64
	n     int
}

func (w *textWriter) null(i int) bool {
	return w.valid != nil && w.valid[i>>6]>>(i&63)&1 == 0
}

func writeInts[T int8 | int16 | int32 | int64](w *textWriter, v *stream.Vec) {
	data, off := w.data, w.off
	for i, x := range stream.Values[T](v)[:w.n] {
		if !w.null(i) {
			data = types.AppendInteger(data, int64(x))
		}
		off[i+1] = int32(len(data))
	}
	w.data = data
}

func (w *textWriter) doubles(v *stream.Vec) {
	data, off := w.data, w.off
	for i, x := range stream.Values[float64](v)[:w.n] {
		if !w.null(i) {
			data = types.AppendDouble(data, x)
		}
		off[i+1] = int32(len(data))
	}
	w.data = data
}

func (w *textWriter) timestamps(v *stream.Vec, zone expr.Zone) {
	data, off := w.data, w.off
	unit := v.Type.TimeUnit()
	var rules types.ZoneRules
	if v.Type.Kind == types.TimestampLTZ && zone != nil {
		rules = zone
	}
	text := types.NewTimestampText(unit, v.Type.Precision)
	for i, x := range stream.Values[int64](v)[:w.n] {
		if !w.null(i) {
			if rules != nil {
				x = types.Local(x, unit, rules)
			}
			data = text.Append(data, x)
		}
		off[i+1] = int32(len(data))
	}
	w.data = data
}

// any writes the values of the types for which a loop of their own would not pay.
func (w *textWriter) any(v *stream.Vec, zone expr.Zone) {
	for i := range w.n {
		w.data = AppendText(w.data, v, i, zone)
		w.off[i+1] = int32(len(w.data))
	}
}
