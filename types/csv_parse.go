package types

import (
	"bytes"
	"encoding/base64"
)

// The functions of this file read values of the csv format. They follow Flink's
// decoder, which differs from CAST; where it invents data (any text but "true" is
// FALSE, February 30 is March 1, DECIMALs that do not fit are NULL) they report a
// fault instead, and they accept more forms of timestamps. None of them allocates,
// ParseCSVBytes apart.

// ParseCSVInt reads an integer of kind k: digits with an optional sign, white space
// around them. Digits of other scripts count.
func ParseCSVInt(b []byte, k Kind) (int64, Fault) {
	if x, fault := parseInt(b, k); fault == OK {
		return x, OK
	}
	b = trimControls(b)
	x, fault := parseInt(b, k)
	if fault != Malformed {
		return x, fault
	}
	var ascii [24]byte
	n := 0
	for len(b) > 0 {
		if n == len(ascii) {
			return 0, Malformed
		}
		if b[0] == '+' || b[0] == '-' {
			ascii[n] = b[0]
			b = b[1:]
		} else {
			d, size := digitAt(b)
			if size == 0 {
				return 0, Malformed
			}
			ascii[n] = byte('0' + d)
			b = b[size:]
		}
		n++
	}
	return parseInt(ascii[:n], k)
}

// ParseCSVBool reads TRUE or FALSE in any letter case, white space around it.
func ParseCSVBool(b []byte) (bool, Fault) {
	b = trimControls(b)
	switch {
	case equalFold(b, "true"):
		return true, OK
	case equalFold(b, "false"):
		return false, OK
	}
	return false, Malformed
}

// equalFold reports whether b is word, given in lower case ASCII letters.
func equalFold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, c := range b {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}

// ParseCSVDouble reads a DOUBLE: see ParseDouble.
func ParseCSVDouble(b []byte) (float64, Fault) { return parseFloat(b, 64) }

// ParseCSVDecimal64 reads a DECIMAL(p, s), p ≤ 18: no white space, an exponent is
// accepted, digits beyond the scale are rounded half up.
func ParseCSVDecimal64(b []byte, p, s int32) (int64, Fault) { return parseDecimal64(b, p, s) }

// ParseCSVDecimal is ParseCSVDecimal64 for any precision.
func ParseCSVDecimal(b []byte, p, s int32) (Num128, Fault) {
	w, negative, fault := parseDecimal(b, p, s)
	if fault != OK {
		return Num128{}, fault
	}
	d, _ := w.signed(negative)
	return d, OK
}

// ParseCSVBytes appends the bytes of a text in base 64 with padding; white space
// around it is cut.
func ParseCSVBytes(dst, b []byte) ([]byte, Fault) {
	b = trimControls(b)
	// The decoder of the standard library passes over line ends, Java's does not.
	if bytes.IndexByte(b, '\n') >= 0 || bytes.IndexByte(b, '\r') >= 0 {
		return dst, Malformed
	}
	out, err := base64.StdEncoding.AppendDecode(dst, b)
	if err != nil {
		return dst, Malformed
	}
	return out, OK
}

// ParseCSVDate reads a DATE: year-month-day, four digits and one or two each, no
// white space.
func ParseCSVDate(b []byte) (days int64, fault Fault) {
	s := scanner{b, true}
	year := s.number(4, 4)
	s.sign('-')
	month := s.number(1, 2)
	s.sign('-')
	day := s.number(1, 2)
	if !s.ok || len(s.b) > 0 {
		return 0, Malformed
	}
	return dayOf(year, month, day)
}

// ParseCSVTime reads a TIME(p) in milliseconds of the day: HH:mm[:ss[.fraction]]
// with two digits each, no white space; digits beyond p are cut.
func ParseCSVTime(b []byte, p int32) (millis int64, fault Fault) {
	s := scanner{b, true}
	hour := s.number(2, 2)
	s.sign(':')
	minute := s.number(2, 2)
	second, nanos := 0, 0
	if s.have(':') {
		second = s.number(2, 2)
		if len(s.b) == 1 && s.b[0] == '.' {
			return 0, Malformed
		}
		if nanos, fault = s.fraction(); fault != OK {
			return 0, fault
		}
	}
	if !s.ok || len(s.b) > 0 {
		return 0, Malformed
	}
	if hour > 23 || minute > 59 || second > 59 {
		return 0, NoSuchTime
	}
	nanos -= nanos % nanosOf[min(max(p, 0), 3)]
	return int64((hour*60+minute)*60+second)*MillisPerSecond + int64(nanos)/1e6, OK
}

// ParseCSVTimestamp reads a TIMESTAMP(p) in units of 1/unit second:
//
//	yyyy-MM-dd HH:mm:ss[.fraction][zone]
//
// white space around it is cut, digits beyond p are cut. Beyond Flink it accepts T
// for the blank and a zone, Z or an offset such as +01:00; the value is then the
// wall clock in UTC.
func ParseCSVTimestamp(b []byte, unit int64, p int32) (int64, Fault) {
	v, _, fault := parseCSVInstant(b, unit, p)
	return v, fault
}

// ParseCSVTimestampLTZ is ParseCSVTimestamp for a TIMESTAMP_LTZ(p), whose text must
// have a zone.
func ParseCSVTimestampLTZ(b []byte, unit int64, p int32) (int64, Fault) {
	v, zoned, fault := parseCSVInstant(b, unit, p)
	if fault == OK && !zoned {
		return 0, NoZone
	}
	return v, fault
}

func parseCSVInstant(b []byte, unit int64, p int32) (v int64, zoned bool, fault Fault) {
	if len(b) < 19 || b[0] <= ' ' || b[len(b)-1] <= ' ' {
		if b = trimControls(b); len(b) < 19 {
			return 0, false, Malformed
		}
	}
	if b[4] != '-' || b[7] != '-' || b[10] != ' ' && b[10]|0x20 != 't' || b[13] != ':' || b[16] != ':' {
		return 0, false, Malformed
	}
	var bad byte
	pair := func(i int) int {
		hi, lo := b[i]-'0', b[i+1]-'0'
		if hi > 9 || lo > 9 {
			bad = 1
		}
		return int(hi)*10 + int(lo)
	}
	year, month, day := pair(0)*100+pair(2), pair(5), pair(8)
	hour, minute, second := pair(11), pair(14), pair(17)
	if bad != 0 || year == 0 {
		return 0, false, Malformed
	}
	var nanos int
	var offset int64
	if len(b) > 19 {
		s := scanner{b[19:], true}
		if nanos, fault = s.fraction(); fault != OK {
			return 0, false, fault
		}
		if len(s.b) > 0 {
			if offset, zoned = s.offset(); !zoned {
				return 0, false, Malformed
			}
		}
	}
	days, fault := dayOf(year, month, day)
	if fault != OK {
		return 0, false, fault
	}
	seconds, fault := clock(hour, minute, second, nanos)
	if fault != OK {
		return 0, false, fault
	}
	v, ok := Units(days*86400+int64(seconds)-offset, nanos, unit, p)
	if !ok {
		return 0, false, OutOfRange
	}
	return v, zoned, OK
}

// offset reads Z or ±HH[:mm] or ±HHmm up to the end, a blank in front, in seconds.
func (s *scanner) offset() (seconds int64, ok bool) {
	s.have(' ')
	if s.have('Z') || s.have('z') {
		return 0, len(s.b) == 0
	}
	negative := s.have('-')
	if !negative && !s.have('+') {
		return 0, false
	}
	hours, minutes := s.number(2, 2), 0
	if s.have(':') || len(s.b) > 0 {
		minutes = s.number(2, 2)
	}
	if !s.ok || len(s.b) > 0 || minutes > 59 || hours > 18 {
		return 0, false
	}
	seconds = int64(hours*3600 + minutes*60)
	if negative {
		seconds = -seconds
	}
	return seconds, true
}
