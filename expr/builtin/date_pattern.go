package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"streamsql/types"
)

// datePattern is a parsed pattern of letters as Java's date formats have them.
type datePattern struct {
	items  []dateItem
	plain  bool        // as in Java's older formats: no sign before a year of five digits, the old calendar
	layout *dateLayout // nil: none
}

// dateItem is one run of a letter, or literal text.
type dateItem struct {
	letter byte // 0: literal
	count  int
	text   string
	pad    int // the width that blanks in front fill up; 0: none
}

// maxCount is the longest run of each letter; letters that stand for a zone are refused
// by name.
var maxCount = map[byte]int{
	'G': 5, 'y': 19, 'u': 19, 'Y': 19, 'M': 5, 'L': 5, 'd': 2, 'D': 3, 'E': 5, 'e': 5, 'c': 5, 'a': 1, 'B': 5, 'h': 2, 'H': 2, 'k': 2, 'K': 2,
	'm': 2, 's': 2, 'S': 9, 'n': 19, 'N': 19, 'A': 19, 'Q': 5, 'q': 5, 'w': 2, 'W': 1, 'F': 1,
}

// parseDatePattern reads a pattern for output.
func parseDatePattern(s string) (*datePattern, error) { return parsePatternFor(s, false) }

// parsePatternFor reads a pattern; one for reading may have the offset of a zone.
func parsePatternFor(s string, reading bool) (*datePattern, error) {
	p := new(datePattern)
	var text []byte // literal text that is not among the items yet
	literal := func() {
		if len(text) > 0 {
			p.items = append(p.items, dateItem{text: string(text)})
			text = text[:0]
		}
	}
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\'':
			end := i + 1
			var b strings.Builder
			for {
				k := strings.IndexByte(s[end:], '\'')
				if k < 0 {
					return nil, fmt.Errorf("pattern '%s' ends inside a quoted text", shorten([]byte(s)))
				}
				b.WriteString(s[end : end+k])
				end += k + 1
				if end < len(s) && s[end] == '\'' {
					b.WriteByte('\'')
					end++
					continue
				}
				break
			}
			if end == i+2 { // '' alone is a quote
				b.WriteByte('\'')
			}
			text = append(text, b.String()...)
			i = end
		case letter(c):
			n := 1
			for i+n < len(s) && s[i+n] == c {
				n++
			}
			pad := 0
			if c == 'p' {
				if i += n; i == len(s) || !letter(s[i]) {
					return nil, fmt.Errorf("pattern '%s' has nothing to pad behind the letter p", shorten([]byte(s)))
				}
				pad, c = n, s[i]
				for n = 1; i+n < len(s) && s[i+n] == c; {
					n++
				}
			}
			most, ok := maxCount[c]
			switch {
			case reading && (c == 'X' || c == 'Z') && n <= 3:
			case strings.IndexByte("VzOXxZv", c) >= 0:
				return nil, fmt.Errorf("pattern letter %c (zones) is not supported", c)
			case !ok:
				return nil, fmt.Errorf("pattern '%s' has the unknown letter %c", shorten([]byte(s)), c)
			case n > most, c == 'B' && n > 1 && n < 4:
				return nil, fmt.Errorf("pattern '%s' has too many letters %c", shorten([]byte(s)), c)
			}
			literal()
			p.items = append(p.items, dateItem{letter: c, count: n, pad: pad})
			i += n
		case c == '{' || c == '}' || c == '#':
			return nil, fmt.Errorf("pattern '%s' has the reserved character %c", shorten([]byte(s)), c)
		case c == '[' || c == ']': // an optional part; in output it is always there
			i++
		default:
			_, w := utf8.DecodeRuneInString(s[i:])
			text = append(text, s[i:i+w]...)
			i += w
		}
	}
	literal()
	p.layout = layoutOf(p)
	return p, nil
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// makePlain makes the pattern one of Java's older formats, which know fewer letters.
func (p *datePattern) makePlain() error {
	p.plain = true
	for _, it := range p.items {
		switch {
		case it.pad > 0:
			return errors.New("the pattern letter p is known for TIMESTAMPs only")
		case it.letter == 'B':
			return errors.New("the pattern letter B is known for TIMESTAMPs only")
		}
	}
	return nil
}

var monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
var dayNames = [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

// append prints a wall clock time: milliseconds since 1970 and nanoseconds of its
// second. false: a part is longer than it is to be padded to.
func (p *datePattern) append(dst []byte, ms, nanos int64) (_ []byte, fits bool) {
	old := p.plain
	if p.layout != nil && (!old || ms >= oldCalendarEnd*types.MillisPerDay) {
		if dst, ok := p.layout.append(dst, ms, nanos); ok {
			return dst, true
		}
	}
	days, ofDay := types.FloorDiv(ms, types.MillisPerDay)
	y, m, d := civil(days, old)
	fits = true
	hour, minute, second := ofDay/types.MillisPerHour, ofDay/types.MillisPerMinute%60, ofDay/types.MillisPerSecond%60
	era := y // year of the era
	if y <= 0 {
		era = 1 - y
	}
	for _, it := range p.items {
		start := len(dst)
		switch it.letter {
		case 0:
			dst = append(dst, it.text...)
		case 'y':
			dst = appendYear(dst, era, it.count, p.plain)
		case 'u':
			dst = appendYear(dst, y, it.count, p.plain)
		case 'Y':
			wy, _ := usWeek(days, old)
			dst = appendYear(dst, wy, it.count, p.plain)
		case 'M', 'L':
			dst = appendName(dst, it.count, m, monthNames[m-1])
		case 'd':
			dst = appendPadded0(dst, int64(d), it.count)
		case 'D':
			dst = appendPadded0(dst, days-newYear(y, old)+1, it.count)
		case 'E':
			dst = appendDay(dst, max(it.count, 3), days)
		case 'e', 'c':
			dst = appendDay(dst, it.count, days)
		case 'a':
			if hour < 12 {
				dst = append(dst, "AM"...)
			} else {
				dst = append(dst, "PM"...)
			}
		case 'B':
			dst = append(dst, dayPeriodOf(hour*60+minute).name(it.count)...)
		case 'h':
			dst = appendPadded0(dst, (hour+11)%12+1, it.count)
		case 'H':
			dst = appendPadded0(dst, hour, it.count)
		case 'k':
			dst = appendPadded0(dst, (hour+23)%24+1, it.count)
		case 'K':
			dst = appendPadded0(dst, hour%12, it.count)
		case 'm':
			dst = appendPadded0(dst, minute, it.count)
		case 's':
			dst = appendPadded0(dst, second, it.count)
		case 'S':
			dst = appendPadded0(dst, nanos/pow10(9-it.count), it.count)
		case 'n':
			dst = appendPadded0(dst, nanos, it.count)
		case 'N':
			dst = appendPadded0(dst, (ofDay/types.MillisPerSecond)*1e9+nanos, it.count)
		case 'A':
			dst = appendPadded0(dst, ofDay, it.count)
		case 'Q', 'q':
			dst = appendQuarter(dst, it.count, (m+2)/3)
		case 'w':
			_, w := usWeek(days, old)
			dst = appendPadded0(dst, w, it.count)
		case 'W':
			first := floorMod(days-int64(d)+1+4, 7) // weekday of the month's first day
			dst = appendPadded0(dst, (int64(d)-1+first)/7+1, 1)
		case 'F':
			dst = appendPadded0(dst, int64(d-1)%7+1, 1)
		case 'G':
			dst = appendEra(dst, it.count, y)
		}
		if n := it.pad - utf8.RuneCount(dst[start:]); it.pad > 0 {
			fits = fits && n >= 0
			dst = slices.Insert(dst, start, blanks(n)...)
		}
	}
	return dst, fits
}

func blanks(n int) []byte { return bytes.Repeat([]byte{' '}, max(n, 0)) }

func pow10(n int) int64 { return types.Pow10(int32(n)) }

// usWeek returns year and week where weeks start on Sunday and the first one holds
// January 1.
func usWeek(days int64, old bool) (year int, week int64) {
	saturday := days - floorMod(days+4, 7) + 6
	y, _, _ := civil(saturday, old)
	start := newYear(y, old)
	start -= floorMod(start+4, 7)
	return y, (days-start)/7 + 1
}

// appendPadded0 prints n ≥ 0 with at least width digits.
func appendPadded0(dst []byte, n int64, width int) []byte {
	for w := int64(10); width > 1; width-- {
		if n < w {
			dst = append(dst, '0')
		}
		if w > 1e17 {
			break
		}
		w *= 10
	}
	return strconv.AppendInt(dst, n, 10)
}

func appendYear(dst []byte, y, count int, plain bool) []byte {
	if count == 2 {
		return appendPadded0(dst, floorMod(int64(y), 100), 2)
	}
	if y < 0 {
		dst = append(dst, '-')
		y = -y
	} else if !plain && count >= 4 && int64(y) >= pow10(min(count, 18)) {
		dst = append(dst, '+')
	}
	return appendPadded0(dst, int64(y), count)
}

// appendName prints a number with one or two letters, a short name with three, the
// full one with four, its first letter with five.
func appendName(dst []byte, count, n int, name string) []byte {
	switch count {
	case 3:
		return append(dst, name[:3]...)
	case 4:
		return append(dst, name...)
	case 5:
		return append(dst, name[0])
	}
	return appendPadded0(dst, int64(n), count)
}

func appendDay(dst []byte, count int, days int64) []byte {
	w := floorMod(days+4, 7)
	return appendName(dst, count, int(w)+1, dayNames[w])
}

func appendQuarter(dst []byte, count, q int) []byte {
	switch count {
	case 3:
		return append(dst, 'Q', byte('0'+q))
	case 4:
		return append(append(dst, [...]string{"1st", "2nd", "3rd", "4th"}[q-1]...), " quarter"...)
	case 5:
		return append(dst, byte('0'+q))
	}
	return appendPadded0(dst, int64(q), count)
}

func appendEra(dst []byte, count, year int) []byte {
	k := 0
	if year > 0 {
		k = 1
	}
	switch count {
	case 4:
		return append(dst, [...]string{"Before Christ", "Anno Domini"}[k]...)
	case 5:
		return append(dst, [...]string{"B", "A"}[k]...)
	}
	return append(dst, [...]string{"BC", "AD"}[k]...)
}
