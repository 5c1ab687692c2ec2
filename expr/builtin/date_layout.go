package builtin

import (
	"slices"

	"streamsql/types"
)

// dateLayout prints a pattern whose parts all have a fixed number of digits: a template
// and the places of the numbers in it.
type dateLayout struct {
	template []byte
	parts    []layoutPart
}

type layoutPart struct {
	letter byte
	at     int // in the template
}

// hasFraction reports whether the pattern prints parts of a second.
func (p *datePattern) hasFraction() bool {
	for _, it := range p.items {
		if it.letter == 'S' || it.letter == 'n' || it.letter == 'N' {
			return true
		}
	}
	return false
}

// padded reports whether the pattern pads a part.
func (p *datePattern) padded() bool {
	return slices.ContainsFunc(p.items, func(it dateItem) bool { return it.pad > 0 })
}

// layoutOf returns the layout of a pattern; nil: some part has another form.
func layoutOf(p *datePattern) *dateLayout {
	l := new(dateLayout)
	for _, it := range p.items {
		if it.pad > 0 {
			return nil
		}
		switch it.letter {
		case 0:
			l.template = append(l.template, it.text...)
			continue
		case 'y', 'u':
			if it.count != 4 {
				return nil
			}
		case 'M', 'L', 'd', 'H', 'm', 's', 'h', 'k', 'K':
			if it.count != 2 {
				return nil
			}
		case 'S':
			if it.count != 3 {
				return nil
			}
		default:
			return nil
		}
		l.parts = append(l.parts, layoutPart{it.letter, len(l.template)})
		for range it.count {
			l.template = append(l.template, '0')
		}
	}
	return l
}

// append prints a time; false: its year has no four digits.
func (l *dateLayout) append(dst []byte, ms, nanos int64) ([]byte, bool) {
	days, ofDay := types.FloorDiv(ms, types.MillisPerDay)
	y, month, d := types.Civil(days)
	if y < 1000 || y > 9999 {
		return dst, false
	}
	second := uint(ofDay) / 1000
	hour, minute := second/3600, second/60%60
	start := len(dst)
	dst = appendShort(dst, l.template)
	to := dst[start:]
	for _, p := range l.parts {
		var n uint
		switch p.letter {
		case 'y', 'u':
			n = uint(y)
			putDigits(to, p.at, n/100)
			putDigits(to, p.at+2, n%100)
			continue
		case 'M', 'L':
			n = uint(month)
		case 'd':
			n = uint(d)
		case 'H':
			n = hour
		case 'm':
			n = minute
		case 's':
			n = second % 60
		case 'h':
			n = (hour+11)%12 + 1
		case 'k':
			n = (hour+23)%24 + 1
		case 'K':
			n = hour % 12
		case 'S':
			n = uint(nanos) / 1e6
			to[p.at] = byte('0' + n/100)
			putDigits(to, p.at+1, n%100)
			continue
		}
		putDigits(to, p.at, n)
	}
	return dst, true
}

// putDigits writes n < 100.
func putDigits(to []byte, at int, n uint) {
	ten := n / 10
	to[at+1], to[at] = byte('0'+n-10*ten), byte('0'+ten)
}
