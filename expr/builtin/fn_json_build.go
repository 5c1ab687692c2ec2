package builtin

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"streamsql/expr"
	"streamsql/expr/jsonpath"
	"streamsql/stream"
	"streamsql/types"
)

// jsonable refuses the types that have no JSON form.
func jsonable(t types.Type) error {
	switch {
	case t.Kind == types.Null:
		return errNull
	case t.IsNumeric(), t.Kind == types.Variant, t.IsText(), t.IsBytes(), t.IsTimestamp(), t.Kind == types.Boolean:
		return nil
	case t.IsNested():
		return jsonableParts(t)
	}
	return noJSON(t)
}

func noJSON(t types.Type) error {
	return fmt.Errorf("cannot write %s as JSON; CAST it to STRING", t.Name())
}

// appendJSON appends row i of v as a JSON value: numbers with their digits, bytes in
// base 64, times in ISO form, instants in UTC, nested values as arrays and objects.
func appendJSON(dst []byte, v *stream.Vec, i int) []byte {
	k := v.At(i)
	start := len(dst)
	switch t := v.Type; {
	case t.IsNested():
		return appendJSONNested(dst, t, v.Bytes(i))
	case t.Kind == types.Variant:
		return types.AppendVariant(dst, v.Bytes(i))
	case t.IsText():
		return types.AppendJSONString(dst, v.Bytes(i))
	case t.IsBytes():
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v.Bytes(i)), '"')
	case t.Kind == types.Boolean:
		if v.Bool(i) {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case t.IsTimestamp():
		dst = appendText(append(dst, '"'), v, k, nil)
		dst[slices.Index(dst[start:], ' ')+start] = 'T'
		if t.Precision > 0 {
			for dst[len(dst)-1] == '0' {
				dst = dst[:len(dst)-1]
			}
			if dst[len(dst)-1] == '.' {
				dst = dst[:len(dst)-1]
			}
		}
		if t.Kind == types.TimestampLTZ {
			dst = append(dst, 'Z')
		}
		return append(dst, '"')
	case t.Kind == types.Float:
		return appendJSONDouble(dst, float64(stream.Values[float32](v)[k]))
	case t.Kind == types.Double:
		return appendJSONDouble(dst, stream.Values[float64](v)[k])
	case t.Kind == types.Decimal:
		var buf [48]byte
		return jsonpath.AppendNumber(dst, appendText(buf[:0], v, k, nil))
	}
	return appendText(dst, v, k, nil)
}

func appendJSONDouble(dst []byte, x float64) []byte {
	if x-x != 0 {
		return append(types.AppendDouble(append(dst, '"'), x), '"')
	}
	var buf [32]byte
	return jsonpath.AppendNumber(dst, types.AppendDouble(buf[:0], x))
}

func resolveJSONString(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	if err := arity(args, 1, 1); err != nil {
		return expr.Resolution{}, err
	}
	if err := jsonable(args[0]); err != nil {
		return expr.Resolution{}, err
	}
	return withoutNullKeys("JSON_STRING", expr.Resolution{Args: args, Result: like(stringType, args),
		New: safe(sure(func(dst []byte, a []*stream.Vec, i int) []byte { return appendJSON(dst, a[0], i) }))}), nil
}

// resolveJSON binds JSON(text): the text is checked and printed anew.
func resolveJSON(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
	to, err := take(args, 1, textParam)
	if err != nil {
		return expr.Resolution{}, err
	}
	return expr.Resolution{Args: to, Result: stringType, CanFail: true, New: func() expr.Kernel {
		var d jsonpath.Document
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
			eachText(out, rows, func(i int) {
				text := args[0].Bytes(i)
				root := d.Parse(text)
				if root == jsonpath.None && len(bytes.TrimSpace(text)) == 0 {
					out.SetNull(i, rows.N) // as in Flink
					return
				}
				if root == jsonpath.None {
					if failed == nil {
						failed = &expr.RowError{Row: i, Msg: fmt.Sprintf("JSON: '%s' is no JSON", text)}
					}
					return
				}
				out.Data = d.Append(out.Data, root)
			})
			return failed
		}
	}}, nil
}

// jsonPlan says how the n values of JSON_OBJECT and JSON_ARRAY are written.
func jsonPlan(lits []*expr.Literal, n int) (keepNull bool, letters string, err error) {
	s, _ := constText(lits, 0)
	onNull, letters, ok := strings.Cut(s, ":")
	if !ok || len(letters) != n {
		err = errors.New("is bound by the planner only")
	}
	return onNull == "NULL", letters, err
}

// appendJSONValue appends a value of JSON_OBJECT or JSON_ARRAY that is not NULL.
func appendJSONValue(dst []byte, letter byte, v *stream.Vec, i int) []byte {
	if letter == 'j' {
		return append(dst, v.Bytes(i)...)
	}
	return appendJSON(dst, v, i)
}

func resolveJSONArray(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	keepNull, letters, err := jsonPlan(lits, len(args)-1)
	if err != nil {
		return expr.Resolution{}, err
	}
	for _, t := range args[1:] {
		if err := jsonable(t); err != nil {
			return expr.Resolution{}, err
		}
	}
	return withoutNullKeys("JSON_ARRAY", expr.Resolution{Args: args, Result: stringType.Required(), NullAware: true, New: safe(sure(func(dst []byte, a []*stream.Vec, i int) []byte {
		dst = append(dst, '[')
		first := true
		for k, v := range a[1:] {
			null := v.IsNull(i)
			if null && !keepNull {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			if null {
				dst = append(dst, "null"...)
			} else {
				dst = appendJSONValue(dst, letters[k], v, i)
			}
		}
		return append(dst, ']')
	}))}), nil
}

func resolveJSONObject(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	o := jsonObject{}
	var err error
	if o.keepNull, o.letters, err = jsonPlan(lits, len(args)/2); err != nil || len(args)%2 == 0 {
		return expr.Resolution{}, errors.Join(err, arity(args, len(args)|1, len(args)|1))
	}
	for k := 1; k < len(args); k += 2 {
		if !args[k].IsText() || lits[k] != nil && lits[k].Value.Null {
			return expr.Resolution{}, fmt.Errorf("expects a text that is not NULL as key, not %s", args[k].Name())
		}
		if err := jsonable(args[k+1]); err != nil {
			return expr.Resolution{}, err
		}
	}
	for k := 1; k < len(args); k += 2 {
		o.canFail = o.canFail || !args[k].NotNull
	}
	return withoutNullKeys("JSON_OBJECT", expr.Resolution{Args: args, Result: stringType.Required(), NullAware: true, CanFail: o.canFail, New: func() expr.Kernel {
		own := o
		return own.run
	}}), nil
}

// jsonObject is the kernel of JSON_OBJECT.
type jsonObject struct {
	keepNull, canFail bool
	letters           string
	order             []int // arguments that are keys, sorted by their values
}

func (o *jsonObject) run(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
	eachText(out, rows, func(i int) {
		o.order = o.order[:0]
		for k := 1; k < len(args); k += 2 {
			if args[k].IsNull(i) {
				if failed == nil {
					failed = &expr.RowError{Row: i, Msg: "JSON_OBJECT: a key is NULL"}
				}
				return
			}
			o.order = append(o.order, k)
		}
		slices.SortStableFunc(o.order, func(a, b int) int { return types.CompareJSONKeys(args[a].Bytes(i), args[b].Bytes(i)) })
		dst := append(out.Data, '{')
		first := true
		for p, k := range o.order {
			if p+1 < len(o.order) && string(args[k].Bytes(i)) == string(args[o.order[p+1]].Bytes(i)) {
				continue // of equal keys the last one counts
			}
			null := args[k+1].IsNull(i)
			if null && !o.keepNull {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(types.AppendJSONString(dst, args[k].Bytes(i)), ':')
			if null {
				dst = append(dst, "null"...)
			} else {
				dst = appendJSONValue(dst, o.letters[k/2], args[k+1], i)
			}
		}
		out.Data = append(dst, '}')
	})
	return failed
}
