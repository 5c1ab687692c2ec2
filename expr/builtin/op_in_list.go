package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
)

// fewElements is up to how many elements of a list are compared one by one.
const fewElements = 8

// searchInts looks rows up in a sorted list.
func searchInts[T integer](list []int64, v, out *stream.Vec, rows expr.Rows) {
	if len(list) == 0 {
		setBools(out, rows, func(int) bool { return false })
		return
	}
	x := operand[T](v, rows.N)
	switch {
	case rows.Sel != nil || len(x) != rows.N:
		setBools(out, rows, func(i int) bool { return inSorted(list, int64(at(x, i))) != 0 })
	case len(list) <= fewElements:
		words := out.Words()
		for k := range words {
			words[k] = amongFew(list, x[k<<6:min(k<<6+64, len(x))])
		}
	default:
		words := out.Words()
		for k := range words {
			var w uint64
			for i, y := range x[k<<6 : min(k<<6+64, len(x))] {
				w |= inSorted(list, int64(y)) << (i & 63)
			}
			words[k] = w
		}
	}
}

// amongFew returns a bit for each value that is in the list, of up to fewElements. It
// has no branch that a value decides.
func amongFew[T integer](list []int64, vals []T) (w uint64) {
	var e [fewElements]T
	for i := range e {
		e[i] = T(list[min(i, len(list)-1)])
	}
	if len(list) <= fewElements/2 {
		for i, y := range vals {
			w |= (same(y, e[0]) | same(y, e[1]) | same(y, e[2]) | same(y, e[3])) << (i & 63)
		}
		return w
	}
	for i, y := range vals {
		w |= (same(y, e[0]) | same(y, e[1]) | same(y, e[2]) | same(y, e[3]) |
			same(y, e[4]) | same(y, e[5]) | same(y, e[6]) | same(y, e[7])) << (i & 63)
	}
	return w
}

// same returns 1 for equal values.
func same[T integer](x, y T) (bit uint64) {
	if x == y {
		bit = 1
	}
	return bit
}

// inSorted returns 1 if y is in the list, which is not empty.
func inSorted(list []int64, y int64) uint64 {
	for len(list) > 1 {
		half := len(list) / 2
		if list[half] <= y {
			list = list[half:]
		} else {
			list = list[:half]
		}
	}
	return same(list[0], y)
}

// wantedTexts are the texts of a list.
type wantedTexts struct {
	few     []string            // of up to fewElements
	many    map[string]struct{} // of more
	lengths uint64              // bit n: there is a text of n bytes, bit 63: of 63 or more
}

func (l *wantedTexts) add(text string) {
	l.lengths |= 1 << min(len(text), 63)
	switch {
	case l.many != nil:
		l.many[text] = struct{}{}
	case len(l.few) < fewElements:
		l.few = append(l.few, text)
	default:
		l.many = map[string]struct{}{text: {}}
		for _, s := range l.few {
			l.many[s] = struct{}{}
		}
	}
}

func (l *wantedTexts) has(text []byte) bool {
	if l.lengths>>min(len(text), 63)&1 == 0 {
		return false
	}
	if l.many != nil {
		_, ok := l.many[string(text)]
		return ok
	}
	for _, s := range l.few {
		if s == string(text) {
			return true
		}
	}
	return false
}

func (l *wantedTexts) search(v, out *stream.Vec, rows expr.Rows) {
	if v.Enc != stream.Flat || rows.Sel != nil {
		setBools(out, rows, func(i int) bool { return l.has(v.Bytes(i)) })
		return
	}
	words, data, off := out.Words(), v.Data, v.Off[:rows.N+1]
	for k := range words {
		var w uint64
		for i := k << 6; i < min(k<<6+64, rows.N); i++ {
			// Most texts differ from all elements in length or are none of them.
			if from, to := off[i], off[i+1]; l.lengths>>min(to-from, 63)&1 != 0 && l.has(data[from:to]) {
				w |= 1 << (i & 63)
			}
		}
		words[k] = w
	}
}
