package json

import (
	"unsafe"

	"streamsql/connector/field"
	"streamsql/connector/text"
)

// run reads values from i on, step by step, as long as they are common ones: numbers of
// up to seven digits, timestamps within the minute of the one before, texts of up to 23
// ASCII characters. It calls nothing, so that all it needs stays in registers.
//
// i is in the line at pos, which becomes row. It stops behind the last row of the batch
// or line of the input, with i at pos, or in front of a value that it cannot read, or,
// with known false, of a text that is not the one of the step.
//
// Whatever is loaded starts in front of the line feed that ends the line, since no value
// holds one and no text between values goes on behind one, and is not longer than the
// slack.
func run(p unsafe.Pointer, s *step, i, pos, row, last, size int) (at *step, _, _, _ int, known bool) {
	for ; ; s = s.then {
		if !s.matches(p, i) {
			return s, i, pos, row, false
		}
		i += s.size
		c := s.col
		switch s.op {
		case opSkip, opInt64, opInt32:
			t, n := digits8(p, i)
			if !isShort(t, n) || !isOver(p, i+n) {
				return s, i, pos, row, true
			}
			i += n
			if s.op != opSkip {
				v := field.Digits8(t << (64 - 8*n&63))
				if s.op == opInt64 {
					c.I64[row] = int64(v)
				} else {
					c.I32[row] = int32(v)
				}
			}
		case opFloat64:
			t, n := digits8(p, i)
			end := secondNonDigit(t)
			places := end - n - 1
			if !isShort(t, n) || uint(places-1) >= 6 || end == 8 || byteAt(p, i+n) != '.' || !isOver(p, i+end) {
				return s, i, pos, row, true
			}
			c.F64[row] = float64(field.Digits8(withoutPoint(t, n)<<(64-8*end&63))) / tens[places&7]
			i += end
		case opMillis:
			m := &c.minute
			v, ok := millis(word(p, i+17))
			if word(p, i) != m.a || word(p, i+8) != m.b || word(p, i+9) != m.c || !ok {
				return s, i, pos, row, true
			}
			c.I64[row] = m.base + v
			i += 25
		case opText, opSkipText:
			// Behind the first eight bytes nothing branches on the length, which nobody could
			// predict.
			w := word(p, i+1)
			n := field.At(special(w))
			if n == 8 {
				a, b := word(p, i+9), word(p, i+17)
				w |= a | b
				j, k := field.At(special(a)), field.At(special(b))
				n += j + k&-(j>>3)
			}
			if n == 24 || byteAt(p, i) != '"' || byteAt(p, i+1+n) != '"' {
				return s, i, pos, row, true
			}
			if c != nil {
				switch {
				case w&field.Tops != 0: // perhaps not UTF-8
					return s, i, pos, row, true
				case c.IDs != nil:
					c.spans[row] = field.NewSpan(i+1, n)
				default:
					to := int(c.Off[row])
					if to+24 > len(c.Data) {
						return s, i, pos, row, true
					}
					*(*[24]byte)(c.Data[to:]) = *(*[24]byte)(unsafe.Add(p, i+1))
					c.Off[row+1] = int32(to + n)
				}
			}
			i += n + 2
		case opNext:
			if i-pos > text.MaxRecord {
				return s, i, pos, row, true
			}
			pos = i
			if row++; row == size || pos >= last {
				return s.then, i, pos, row, true
			}
		default:
			return s, i, pos, row, true
		}
	}
}
