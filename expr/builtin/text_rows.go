package builtin

import (
	"encoding/binary"
	"unicode/utf8"

	"streamsql/expr"
	"streamsql/stream"
)

// textRows reads the rows of a Flat or Const vector of texts or bytes.
type textRows struct {
	data []byte
	off  []int32
	mask int // 0 for Const: its only row
}

func textRowsOf(v *stream.Vec) textRows {
	t := textRows{data: v.Data, off: v.Off, mask: -1}
	if v.Enc == stream.Const {
		t.mask = 0
	}
	return t
}

func (t *textRows) at(i int) []byte {
	i &= t.mask
	return t.data[t.off[i]:t.off[i+1]]
}

// shortText is up to how many bytes of a text are copied at once, as so many.
const shortText = 16

// appendShort is append, quicker for short texts in large buffers: it copies more than
// the text where both have room behind it.
func appendShort(dst, b []byte) []byte {
	n := len(dst)
	if len(b) <= shortText && cap(b) >= shortText && cap(dst)-n >= shortText {
		dst = dst[:n+shortText]
		*(*[shortText]byte)(dst[n:]) = *(*[shortText]byte)(b[:shortText])
		return dst[:n+len(b)]
	}
	return append(dst, b...)
}

// join appends all arguments.
func join(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
	var few [4]textRows
	if rows.Sel != nil || len(args) > len(few) {
		eachText(out, rows, func(i int) {
			for _, v := range args {
				out.Data = append(out.Data, v.Bytes(i)...)
			}
		})
		return
	}
	parts := few[:len(args)]
	for k, v := range args {
		parts[k] = textRowsOf(v)
	}
	data, off := out.Data, out.Off[:rows.N+1]
	for i := range rows.N {
		if isValid(out, i) {
			for k := range parts {
				data = appendShort(data, parts[k].at(i))
			}
		}
		off[i+1] = int32(len(data))
	}
	out.Data, out.Off, out.N = data, off, rows.N
}

// highBits has the bit of each byte that ASCII leaves clear.
const highBits = 0x8080808080808080

// isASCII reports whether b has ASCII characters only.
func isASCII(b []byte) bool {
	var all uint64
	for ; len(b) >= 8; b = b[8:] {
		all |= binary.LittleEndian.Uint64(b)
	}
	for _, c := range b {
		all |= uint64(c)
	}
	return all&highBits == 0
}

// characters returns the number of characters of a text.
func characters(b []byte) int {
	if isASCII(b) {
		return len(b)
	}
	return utf8.RuneCount(b)
}

// appendCase appends the start of b, as many times eight bytes as are ASCII, with the
// letters from first to first+25 changed to the other case, and returns how many.
func appendCase(dst, b []byte, first uint64) ([]byte, int) {
	const ones = 0x0101010101010101
	n := 0
	for ; n+8 <= len(b); n += 8 {
		x := binary.LittleEndian.Uint64(b[n:])
		if x&highBits != 0 {
			break
		}
		// The upper bit of a byte says that it is not below the first letter, and not
		// above the last one.
		letters := (x + ones*(0x80-first)) &^ (x + ones*(0x7f-first-25)) & highBits
		dst = binary.LittleEndian.AppendUint64(dst, x^letters>>2)
	}
	return dst, n
}
