package streamsql

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"

	"streamsql/expr"
	"streamsql/types"
)

// JSON fills t with the values of a column as JSON: arrays and objects for nested types,
// VARIANTs as what they are, numbers and booleans as such (NaN and the infinities as texts), bytes in base 64, all
// others as the texts that Text gives. It leaves NULL empty.
func (b Batch) JSON(col int, t *TextColumn) {
	v, n := &b.vecs[col], int(b.NumRows())
	t.own.Reset(types.Of(types.Varchar), n)
	for i := range n {
		if v.IsNull(i) {
			t.own.AppendBytes(nil)
			t.own.SetNull(i, n)
			continue
		}
		t.own.Data = appendJSON(t.own.Data, v.Type, v.Raw(i), b.zone)
		t.own.AppendBytes(nil)
	}
	t.Data, t.Offsets, t.Valid = t.own.Data, t.own.Off, t.own.Valid
}

// appendJSON appends a value, given by its raw bytes.
func appendJSON(dst []byte, t types.Type, raw []byte, zone expr.Zone) []byte {
	switch {
	case t.Kind == types.Array:
		a := types.ReadArray(t, raw)
		dst = append(dst, '[')
		for i := range a.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONElement(dst, &a, i, zone)
		}
		return append(dst, ']')
	case t.Kind == types.Row:
		r := types.ReadRow(t, raw)
		dst = append(dst, '{')
		for i, f := range t.Fields() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJSONText(dst, []byte(f.Name)), ':')
			if r.IsNull(i) {
				dst = append(dst, "null"...)
			} else {
				dst = appendJSON(dst, f.Type, r.Raw(i), zone)
			}
		}
		return append(dst, '}')
	case t.IsNested():
		m := types.ReadMap(t, raw)
		dst = append(dst, '{')
		for i := range m.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			key := []byte("NULL")
			if !m.Keys.IsNull(i) {
				key = types.AppendRawText(nil, m.Keys.Elem(), m.Keys.Raw(i), zone, true)
			}
			dst = append(appendJSONText(dst, key), ':')
			dst = appendJSONElement(dst, &m.Values, i, zone)
		}
		return append(dst, '}')
	case t.Kind == types.Variant:
		return types.AppendVariantJSON(dst, raw)
	case t.Kind == types.Boolean:
		if raw[0] != 0 {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case t.IsBytes():
		dst = base64.StdEncoding.AppendEncode(append(dst, '"'), raw)
		return append(dst, '"')
	case t.IsApproximate():
		if f := types.RawFloat(t, raw); math.IsNaN(f) || math.IsInf(f, 0) {
			break
		}
		return types.AppendRawText(dst, t, raw, zone, true)
	case t.IsNumeric():
		return types.AppendRawText(dst, t, raw, zone, true)
	}
	return appendJSONText(dst, types.AppendRawText(nil, t, raw, zone, true))
}

func appendJSONElement(dst []byte, a *types.ArrayValue, i int, zone expr.Zone) []byte {
	if a.IsNull(i) {
		return append(dst, "null"...)
	}
	return appendJSON(dst, a.Elem(), a.Raw(i), zone)
}

// appendJSONText appends a text as a JSON string.
func appendJSONText(dst, text []byte) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(string(text)); err != nil { // no string does that
		return append(dst, `""`...)
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte{'\n'})...)
}
