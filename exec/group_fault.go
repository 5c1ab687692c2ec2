package exec

import (
	"errors"

	"streamsql/exec/state"
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// ofGroup names the group whose result cannot be given: its keys stand in row at of
// keys, whose names are those of the first fields.
func ofGroup(err error, fields []stream.Field, keys []stream.Vec, at int) error {
	var f *state.Fault
	if len(keys) == 0 || !errors.As(err, &f) {
		return err
	}
	text := []byte("group ")
	for c := range keys {
		if c > 0 {
			text = append(text, ", "...)
		}
		text = append(append(text, fields[c].Name...), " = "...)
		t, x := fields[c].Type, keys[c].Value(at)
		switch {
		case x.Null:
			text = append(text, "NULL"...)
		case t.IsNested():
			text = types.AppendRawText(text, t, []byte(x.S), nil, true)
		case t.IsText():
			text = append(types.AppendValue(append(text, '\''), t, x, nil), '\'')
		default:
			text = types.AppendValue(text, t, x, nil)
		}
	}
	named := *f.Err
	named.Detail = string(text)
	return &state.Fault{At: f.At, Err: &named}
}

// failedRow returns err, of rows that an aggregate was given, as the failure at the row
// that it names.
func failedRow(b *stream.Batch, rows expr.Rows, err error) error {
	return Fail(b.Ordinal(state.FaultAt(err, firstRow(rows))), err)
}

// first returns the failure that comes first in the stream.
func first(a, b error) error {
	if a == nil || b != nil && ordinalOf(b) < ordinalOf(a) {
		return b
	}
	return a
}
