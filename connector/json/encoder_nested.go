package json

import (
	"streamsql/internal/diag"
	"streamsql/stream"
	"streamsql/types"
)

// nullKey says what is done with a NULL key of a MAP, which JSON has no word for.
type nullKey uint8

const (
	failKey    nullKey = iota // writing fails
	dropKey                   // the entry is left out
	literalKey                // the key is written as a word
)

// appendNested appends a nested value, given by its raw bytes.
func (e *Encoder) appendNested(dst []byte, t types.Type, raw []byte) ([]byte, error) {
	var err error
	switch t.Kind {
	case types.Array:
		a := types.ReadArray(t, raw)
		dst = append(dst, '[')
		for i := range a.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = e.appendElement(dst, &a, i); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case types.Row:
		return e.appendFields(dst, t, types.ReadRow(t, raw))
	case types.Map, types.Multiset:
		return e.appendEntries(dst, types.ReadMap(t, raw))
	}
	var one stream.Vec
	one.ResetConst(t)
	one.PutRaw(0, raw)
	return e.appendValue(dst, &one, 0), nil
}

func (e *Encoder) appendElement(dst []byte, a *types.ArrayValue, i int) ([]byte, error) {
	if a.IsNull(i) {
		return append(dst, "null"...), nil
	}
	return e.appendNested(dst, a.Elem(), a.Raw(i))
}

func (e *Encoder) appendFields(dst []byte, t types.Type, r types.RowValue) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	var err error
	for i, f := range t.Fields() {
		if r.IsNull(i) && e.opts.SkipNulls {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendString(dst, []byte(f.Name)), ':')
		if r.IsNull(i) {
			dst = append(dst, "null"...)
		} else if dst, err = e.appendNested(dst, f.Type, r.Raw(i)); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func (e *Encoder) appendEntries(dst []byte, m types.MapValue) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	var err error
	for i := range m.Len() {
		null := m.Keys.IsNull(i)
		if null && e.opts.NullKeys == failKey {
			return dst, diag.New(diag.Runtime, diag.Span{}, "a MAP has a NULL key, which JSON cannot hold").
				WithHint("set 'json.map-null-key.mode' = 'DROP' or 'LITERAL'")
		}
		if null && e.opts.NullKeys == dropKey || m.Values.IsNull(i) && e.opts.SkipNulls {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if null {
			dst = appendString(dst, []byte(e.opts.NullKey))
		} else {
			dst = appendString(dst, m.Keys.Raw(i))
		}
		if dst, err = e.appendElement(append(dst, ':'), &m.Values, i); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
