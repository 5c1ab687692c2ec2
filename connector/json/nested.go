package json

import "bytes"

// nested writes objects and arrays as text, as Flink prints them: without white
// space, numbers as Java prints them, of a key that is there twice the last value.
type nested struct {
	written []written // members of the objects that are open
}

// written is where a member lies in the text.
type written struct{ key, keyEnd, end int }

// append appends the checked value at b[i] and returns the place behind it.
func (n *nested) append(dst, b []byte, i int) ([]byte, int) {
	switch c := b[i]; c {
	case '{':
		return n.object(dst, b, i)
	case '[':
		dst = append(dst, '[')
		i = blank(b, i+1)
		for b[i] != ']' {
			if b[i] == ',' {
				dst = append(dst, ',')
				i = blank(b, i+1)
			}
			dst, i = n.append(dst, b, i)
			i = blank(b, i)
		}
		return append(dst, ']'), i + 1
	case '"':
		end, _ := skipString(b, i)
		dst = append(dst, '"')
		dst = appendSpelled(dst, b[i+1:end-1])
		return append(dst, '"'), end
	}
	end, _ := skipValue(b, i, 1)
	if b[i] == '-' || b[i]-'0' <= 9 {
		return appendNumber(dst, b[i:end], true), end
	}
	return append(dst, b[i:end]...), end
}

func (n *nested) object(dst, b []byte, i int) ([]byte, int) {
	first := len(n.written)
	dst = append(dst, '{')
	i = blank(b, i+1)
	for b[i] != '}' {
		if b[i] == ',' {
			dst = append(dst, ',')
			i = blank(b, i+1)
		}
		w := written{key: len(dst)}
		dst, i = n.append(dst, b, i)
		w.keyEnd = len(dst)
		dst = append(dst, ':')
		dst, i = n.append(dst, b, blank(b, blank(b, i)+1)) // behind the colon
		w.end = len(dst)
		n.written = append(n.written, w)
		i = blank(b, i)
	}
	dst = unique(dst, n.written[first:])
	n.written = n.written[:first]
	return append(dst, '}'), i + 1
}

// unique takes the earlier values of keys that are there twice out of the object at
// the end of dst. The last value goes to the place of the first.
func unique(dst []byte, list []written) []byte {
	if !repeats(dst, list) {
		return dst
	}
	last := map[string]written{}
	for _, w := range list {
		last[string(dst[w.key:w.keyEnd])] = w
	}
	var members [][]byte
	for _, w := range list {
		key := string(dst[w.key:w.keyEnd])
		if l, ok := last[key]; ok {
			members = append(members, dst[l.key:l.end])
			delete(last, key)
		}
	}
	return append(dst[:list[0].key], bytes.Join(members, []byte{','})...)
}

// repeats reports whether a key is there twice.
func repeats(dst []byte, list []written) bool {
	const few = 32
	if len(list) > few {
		seen := make(map[string]bool, len(list))
		for _, w := range list {
			seen[string(dst[w.key:w.keyEnd])] = true
		}
		return len(seen) < len(list)
	}
	for i, w := range list {
		for _, v := range list[:i] {
			if string(dst[w.key:w.keyEnd]) == string(dst[v.key:v.keyEnd]) {
				return true
			}
		}
	}
	return false
}
