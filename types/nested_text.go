package types

import "streamsql/types/bitmap"

// AppendRawText appends a value of type t, given by its raw bytes, as CAST to STRING
// does: [a, NULL], {k=v}, (1, a). hex shows bytes in hexadecimal, as results do; else
// they are read as UTF-8.
func AppendRawText(dst []byte, t Type, raw []byte, z ZoneRules, hex bool) []byte {
	switch t.Kind {
	case Array:
		a := ReadArray(t, raw)
		dst = append(dst, '[')
		for i := range a.n {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendElement(dst, &a, i, z, hex)
		}
		return append(dst, ']')
	case Map, Multiset:
		m := ReadMap(t, raw)
		dst = append(dst, '{')
		for i := range m.Len() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendElement(dst, &m.Keys, i, z, hex), '=')
			dst = appendElement(dst, &m.Values, i, z, hex)
		}
		return append(dst, '}')
	case Row:
		r := ReadRow(t, raw)
		dst = append(dst, '(')
		for i, f := range t.parts.fields {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if r.IsNull(i) {
				dst = append(dst, "NULL"...)
			} else {
				dst = AppendRawText(dst, f.Type, r.Raw(i), z, hex)
			}
		}
		return append(dst, ')')
	}
	switch t.Layout() {
	case NoLayout:
		return append(dst, "NULL"...)
	case Float32:
		return AppendFloat(dst, float32(RawFloat(t, raw)))
	case Float64:
		return AppendDouble(dst, RawFloat(t, raw))
	case Int128:
		return AppendDecimal(dst, RawDecimal(raw), t.Scale)
	case Bytes:
		switch {
		case t.IsText():
			return append(dst, raw...)
		case t.Kind == Variant:
			return AppendVariant(dst, raw)
		case t.Kind == Bitmap:
			return bitmap.AppendText(dst, raw)
		case hex:
			return AppendHex(dst, raw)
		}
		return AppendUTF8(dst, raw)
	}
	return AppendInt64(dst, t, RawInt(t, raw), z)
}

func appendElement(dst []byte, a *ArrayValue, i int, z ZoneRules, hex bool) []byte {
	if a.IsNull(i) {
		return append(dst, "NULL"...)
	}
	return AppendRawText(dst, a.elem, a.Raw(i), z, hex)
}
