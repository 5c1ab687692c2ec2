package bitmap

import "encoding/binary"

// AppendTo appends the canonical bytes of the set.
func (s *Set) AppendTo(dst []byte) []byte {
	m := s.m
	m.forms = m.forms[:0]
	some := false
	for i := range s.parts {
		f := s.parts[i].written()
		m.forms = append(m.forms, f)
		some = some || f == runsForm
	}
	n, start := len(s.parts), len(dst)
	if some {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n-1)<<16|mixed)
		for i := 0; i < n; i += 8 {
			eight := byte(0)
			for k := i; k < min(i+8, n); k++ {
				if m.forms[k] == runsForm {
					eight |= 1 << (k - i)
				}
			}
			dst = append(dst, eight)
		}
	} else {
		dst = binary.LittleEndian.AppendUint32(dst, plain)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	for i := range s.parts {
		dst = binary.LittleEndian.AppendUint16(dst, s.parts[i].key)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(s.parts[i].card-1))
	}
	offsets := -1
	if !some || n >= offsetsFrom {
		offsets = len(dst)
		for range n {
			dst = append(dst, 0, 0, 0, 0)
		}
	}
	for i := range s.parts {
		if offsets >= 0 {
			binary.LittleEndian.PutUint32(dst[offsets+4*i:], uint32(len(dst)-start))
		}
		dst = s.parts[i].appendTo(dst, m, m.forms[i])
	}
	return dst
}

// written returns the form in which a part is written.
func (p *part) written() form {
	switch p.form {
	case arrayForm:
		return shortest(p.card, listRuns(p.list))
	case wordsForm:
		return shortest(p.card, p.bits.runs())
	}
	return runsForm
}

// appendTo appends the numbers of a part in that form.
func (p *part) appendTo(dst []byte, m *Memory, f form) []byte {
	list := p.list
	switch {
	case f == wordsForm: // so is the part
		for _, w := range p.bits {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
		return dst
	case f == p.form:
	case f == runsForm && p.form == arrayForm:
		list = m.list[:0]
		for _, x := range p.list {
			if n := len(list); n > 0 && x == list[n-2]+list[n-1]+1 {
				list[n-1]++
			} else {
				list = append(list, x, 0)
			}
		}
		m.list = list
	case f == runsForm:
		m.list = p.bits.appendRuns(m.list[:0])
		list = m.list
	default:
		m.list = p.bits.appendNumbers(m.list[:0])
		list = m.list
	}
	if f == runsForm {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(list)/2))
	}
	for _, x := range list {
		dst = binary.LittleEndian.AppendUint16(dst, x)
	}
	return dst
}
