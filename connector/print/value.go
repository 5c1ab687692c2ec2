package print

import (
	"strconv"

	"streamsql/stream"
	"streamsql/types"
)

// appendValue appends row i of a vector as Java prints the object that Flink
// makes of it: times have a T and no zeros that can be left out, bytes are a list
// of numbers, rows tell their kind.
func appendValue(dst []byte, v *stream.Vec, i int) []byte {
	if v.IsNull(i) {
		return append(dst, "null"...)
	}
	return appendRaw(dst, v.Type, v.Raw(i))
}

// appendRaw appends a value given by its raw bytes.
func appendRaw(dst []byte, t types.Type, raw []byte) []byte {
	switch t.Kind {
	case types.Char, types.Varchar:
		return append(dst, raw...)
	case types.Binary, types.Varbinary:
		dst = append(dst, '[')
		for k, b := range raw {
			if k > 0 {
				dst = append(dst, ", "...)
			}
			dst = strconv.AppendInt(dst, int64(int8(b)), 10)
		}
		return append(dst, ']')
	case types.Boolean:
		return strconv.AppendBool(dst, raw[0] != 0)
	case types.Time:
		millis := types.RawInt(t, raw)
		return appendClock(dst, millis/1000, millis%1000*1e6, false)
	case types.Timestamp, types.TimestampLTZ:
		unit := t.TimeUnit()
		days, rest := types.FloorDiv(types.RawInt(t, raw), 86400*unit)
		dst = append(types.AppendDate(dst, days), 'T')
		local := t.Kind == types.Timestamp
		dst = appendClock(dst, rest/unit, rest%unit*(1e9/unit), !local)
		if !local {
			dst = append(dst, 'Z')
		}
		return dst
	case types.Array:
		a := types.ReadArray(t, raw)
		dst = append(dst, '[')
		for i := range a.Len() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendElement(dst, &a, i)
		}
		return append(dst, ']')
	case types.Map, types.Multiset:
		m := types.ReadMap(t, raw)
		dst = append(dst, '{')
		for i := range m.Len() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendElement(dst, &m.Keys, i), '=')
			dst = appendElement(dst, &m.Values, i)
		}
		return append(dst, '}')
	case types.Row:
		r := types.ReadRow(t, raw)
		dst = append(dst, "+I["...)
		for i, f := range t.Fields() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if r.IsNull(i) {
				dst = append(dst, "null"...)
			} else {
				dst = appendRaw(dst, f.Type, r.Raw(i))
			}
		}
		return append(dst, ']')
	}
	return types.AppendRawText(dst, t, raw, nil, true)
}

func appendElement(dst []byte, a *types.ArrayValue, i int) []byte {
	if a.IsNull(i) {
		return append(dst, "null"...)
	}
	return appendRaw(dst, a.Elem(), a.Raw(i))
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
