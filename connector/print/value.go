package print

import (
	"strconv"

	"streamsql/stream"
	"streamsql/types"
)

// appendValue appends row i of a vector as Java prints the object that Flink
// makes of it: times have a T and no zeros that can be left out, bytes are a list
// of numbers.
func appendValue(dst []byte, v *stream.Vec, i int) []byte {
	if v.IsNull(i) {
		return append(dst, "null"...)
	}
	t := v.Type
	if t.IsText() {
		return append(dst, v.Bytes(i)...)
	}
	if t.IsBytes() {
		dst = append(dst, '[')
		for k, b := range v.Bytes(i) {
			if k > 0 {
				dst = append(dst, ", "...)
			}
			dst = strconv.AppendInt(dst, int64(int8(b)), 10)
		}
		return append(dst, ']')
	}
	x := v.Value(i)
	switch t.Kind {
	case types.Boolean:
		return strconv.AppendBool(dst, x.I != 0)
	case types.Time:
		return appendClock(dst, x.I/1000, x.I%1000*1e6, false)
	case types.Timestamp, types.TimestampLTZ:
		unit := t.TimeUnit()
		days, rest := types.FloorDiv(x.I, 86400*unit)
		dst = append(types.AppendDate(dst, days), 'T')
		local := t.Kind == types.Timestamp
		dst = appendClock(dst, rest/unit, rest%unit*(1e9/unit), !local)
		if !local {
			dst = append(dst, 'Z')
		}
		return dst
	}
	return types.AppendValue(dst, t, x, nil)
}

// appendClock appends HH:mm[:ss[.f]] with 3, 6 or 9 digits of the fraction, as
// java.time does; full keeps seconds that are zero.
func appendClock(dst []byte, second, nanos int64, full bool) []byte {
	dst = pair(dst, second/3600)
	dst = pair(append(dst, ':'), second/60%60)
	if second %= 60; second == 0 && nanos == 0 && !full {
		return dst
	}
	dst = pair(append(dst, ':'), second)
	if nanos == 0 {
		return dst
	}
	digits := 9
	for nanos%1000 == 0 {
		nanos /= 1000
		digits -= 3
	}
	dst = append(dst, '.')
	at := len(dst)
	for range digits {
		dst = append(dst, '0')
	}
	for k := at + digits - 1; k >= at; k-- {
		dst[k] += byte(nanos % 10)
		nanos /= 10
	}
	return dst
}

func pair(dst []byte, n int64) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
