package types

// The functions of this file read times of the json format, which takes them more
// strictly than csv. Where Flink makes another day of one that does not exist,
// they report a fault.

// ParseJSONDate reads a DATE: yyyy-MM-dd.
func ParseJSONDate(b []byte) (days int64, fault Fault) {
	if len(b) != 10 {
		return 0, Malformed
	}
	return ParseCSVDate(b)
}

// ParseJSONTime reads a TIME(p) in milliseconds of the day: HH:mm:ss[.fraction];
// digits beyond p are cut, and 24:00:00 is 00:00:00, as in Flink.
func ParseJSONTime(b []byte, p int32) (millis int64, fault Fault) {
	s := scanner{b, true}
	seconds, nanos, fault := s.clock(false)
	if fault != OK {
		return 0, fault
	}
	if len(s.b) > 0 {
		return 0, Malformed
	}
	nanos -= nanos % nanosOf[min(max(p, 0), 3)]
	return int64(seconds%86400)*MillisPerSecond + int64(nanos)/1e6, OK
}

// ParseJSONTimestamp reads a TIMESTAMP(p) in units of 1/unit second; digits beyond
// p are cut. The forms are
//
//	yyyy-MM-dd HH:mm:ss[.fraction]
//	yyyy-MM-ddTHH:mm[:ss[.fraction]]    if iso is set
func ParseJSONTimestamp(b []byte, unit int64, p int32, iso bool) (int64, Fault) {
	s := scanner{b, true}
	year := s.number(4, 4)
	s.sign('-')
	month := s.number(2, 2)
	s.sign('-')
	day := s.number(2, 2)
	if !s.ok || year == 0 {
		return 0, Malformed
	}
	if blank := s.have(' '); iso {
		if blank || !s.have('T') && !s.have('t') {
			return 0, Malformed
		}
	} else if !blank {
		return 0, Malformed
	}
	seconds, nanos, fault := s.clock(iso)
	if fault != OK {
		return 0, fault
	}
	if len(s.b) > 0 {
		return 0, Malformed
	}
	days, fault := dayOf(year, month, day)
	if fault != OK {
		return 0, fault
	}
	v, ok := Units(days*86400+int64(seconds), nanos, unit, p)
	if !ok {
		return 0, OutOfRange
	}
	return v, OK
}

// ParseJSONTimestampLTZ is ParseJSONTimestamp for a TIMESTAMP_LTZ(p): a Z must
// stand behind the time.
func ParseJSONTimestampLTZ(b []byte, unit int64, p int32, iso bool) (int64, Fault) {
	last := len(b) - 1
	if last < 0 || b[last] != 'Z' {
		if _, fault := ParseJSONTimestamp(b, unit, p, iso); fault != OK {
			return 0, fault
		}
		return 0, NoZone
	}
	return ParseJSONTimestamp(b[:last], unit, p, iso)
}

// clock reads HH:mm:ss[.fraction] with two digits each. iso makes the seconds
// optional and refuses 24:00:00.
func (s *scanner) clock(iso bool) (seconds, nanos int, fault Fault) {
	hour := s.number(2, 2)
	s.sign(':')
	minute, second := s.number(2, 2), 0
	if !iso || len(s.b) > 0 {
		s.sign(':')
		second = s.number(2, 2)
		if nanos, fault = s.fraction(); fault != OK {
			return 0, 0, fault
		}
	}
	if !s.ok {
		return 0, 0, Malformed
	}
	if iso && hour == 24 {
		return 0, 0, NoSuchTime
	}
	seconds, fault = clock(hour, minute, second, nanos)
	return seconds, nanos, fault
}
