package builtin

import (
	"errors"

	"streamsql/expr"
	"streamsql/expr/jsonpath"
	"streamsql/stream"
	"streamsql/types"
)

func resolveJSONQuery(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	array := len(args) == 6
	if err := jsonArgs(args, lits, max(5, min(len(args), 6)), true); err != nil {
		return expr.Resolution{}, err
	}
	q := jsonQuery{array: array}
	q.wrapper, _ = constText(lits, 2)
	q.onEmpty, _ = constText(lits, 3)
	q.onError, _ = constText(lits, 4)
	result := stringType
	if array {
		if result = textArray; q.onEmpty == "EMPTY OBJECT" || q.onError == "EMPTY OBJECT" {
			return expr.Resolution{}, errors.New("cannot give EMPTY OBJECT as an array")
		}
	}
	return expr.Resolution{Args: args, Result: result, CanFail: true, New: func() expr.Kernel {
		q := q
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
			eachText(out, rows, func(i int) {
				if failed == nil {
					failed = q.row(args, out, i, rows.N)
				}
			})
			return failed
		}
	}}, nil
}

// jsonQuery is one compiled JSON_QUERY.
type jsonQuery struct {
	wrapper, onEmpty, onError string
	array                     bool // the result is an ARRAY<STRING>

	f    jsonFinder
	made types.ArrayBuilder
}

func (q *jsonQuery) row(args []*stream.Vec, out *stream.Vec, i, n int) error {
	id, lax, err := q.f.find(args, i)
	if q.f.refused != nil {
		return rowFault(i, "JSON_QUERY: "+q.f.refused.Error())
	}
	instead := q.onError
	if err == nil {
		wrap := id != jsonpath.None && (q.wrapper == "UNCONDITIONAL" || q.wrapper == "CONDITIONAL" && q.f.d.Kind(id) != jsonpath.Array)
		switch {
		case wrap || id != jsonpath.None && q.fits(id):
			q.put(out, id, wrap)
			return nil
		case id != jsonpath.None && q.f.d.IsContainer(id):
			err = errors.New("the value is an object, not an array")
		case id == jsonpath.None || lax:
			instead, err = q.onEmpty, errors.New("there is no value")
		default:
			err = errors.New("the value is no array or object; use JSON_VALUE, or WITH WRAPPER")
		}
	}
	switch instead {
	case "ERROR":
		return rowFault(i, "JSON_QUERY: "+err.Error())
	case "EMPTY ARRAY":
		if q.array {
			q.made.Reset(stringType)
			out.Data = q.made.AppendTo(out.Data)
		} else {
			out.Data = append(out.Data, "[]"...)
		}
	case "EMPTY OBJECT":
		out.Data = append(out.Data, "{}"...)
	default:
		out.SetNull(i, n)
	}
	return nil
}

// fits reports whether a value can be given as it is.
func (q *jsonQuery) fits(id int) bool {
	if q.array {
		return q.f.d.Kind(id) == jsonpath.Array
	}
	return q.f.d.IsContainer(id)
}

// put appends a value, or an array of it alone.
func (q *jsonQuery) put(out *stream.Vec, id int, wrap bool) {
	d := &q.f.d
	switch {
	case !q.array && wrap:
		out.Data = append(d.Append(append(out.Data, '['), id), ']')
		return
	case !q.array:
		out.Data = d.Append(out.Data, id)
		return
	}
	q.made.Reset(stringType)
	if wrap {
		q.element(id)
	} else {
		for k := d.First(id); k != jsonpath.None; k = d.Next(k) {
			q.element(k)
		}
	}
	out.Data = q.made.AppendTo(out.Data)
}

// element appends a value as a text: arrays and objects are JSON, a null is NULL.
func (q *jsonQuery) element(id int) {
	d := &q.f.d
	switch {
	case d.Kind(id) == jsonpath.Null:
		q.made.AppendNull()
	case d.IsContainer(id):
		q.made.Close(d.Append(q.made.Open(), id))
	default:
		q.made.Close(d.AppendScalar(q.made.Open(), id))
	}
}
