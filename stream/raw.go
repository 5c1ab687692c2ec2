package stream

import "streamsql/types"

// boolBytes are the raw bytes of the two BOOLEANs.
var boolBytes = [2][]byte{{0}, {1}}

// Raw returns the raw bytes of row i, as they are encoded in nested values, in any
// encoding and without copying; undefined if the row is NULL.
func (v *Vec) Raw(i int) []byte {
	if v.Enc == Dict {
		v, i = v.Dict, int(v.IDs()[i])
	}
	switch l := v.Type.Layout(); l {
	case types.Bytes:
		return v.Bytes(i)
	case types.Bits:
		if v.Bool(i) {
			return boolBytes[1]
		}
		return boolBytes[0]
	default:
		i, w := v.At(i), l.Width()
		return v.Data[i*w : (i+1)*w]
	}
}

// PutRaw writes row i, given by its raw bytes, of a Flat or Const vector after Reset.
// Bytes vectors must be filled in row order.
func (v *Vec) PutRaw(i int, raw []byte) {
	switch l := v.Type.Layout(); l {
	case types.Bytes:
		v.AppendBytes(raw)
	case types.Bits:
		v.SetBool(i, raw[0] != 0)
	default:
		copy(v.Data[i*l.Width():], raw)
	}
}
