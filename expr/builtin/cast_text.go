package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// numbersToText makes a kernel that writes numbers as text of any length, for whole
// batches; nil: it is another cast.
func (c *caster) numbersToText() expr.Kernel {
	if c.to.Length != types.MaxLength {
		return nil
	}
	var write func(w *textWriter, v *stream.Vec)
	switch c.from.Kind {
	case types.TinyInt:
		write = writeInts[int8]
	case types.SmallInt:
		write = writeInts[int16]
	case types.Int:
		write = writeInts[int32]
	case types.BigInt:
		write = writeInts[int64]
	case types.Double:
		write = (*textWriter).doubles
	default:
		return nil
	}
	w := new(textWriter)
	return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
		*w = textWriter{data: out.Data, off: out.Off[:rows.N+1], valid: out.Valid, n: rows.N}
		write(w, args[0])
		out.Data, out.Off, out.N = w.data, w.off, rows.N
		*w = textWriter{}
		return nil
	}
}
