package builtin

import (
	"errors"
	"fmt"
	"strconv"

	"streamsql/expr"
	"streamsql/expr/jsonpath"
	"streamsql/stream"
	"streamsql/types"
)

// The JSON functions have a grammar of their own, so the planner gives them their
// clauses as constant texts:
//
//	JSON_EXISTS(text, path, onError)
//	JSON_VALUE(text, path, onEmpty, default, onError, default, NULL of the result type)
//	JSON_QUERY(text, path, wrapper, onEmpty, onError [, 'ARRAY'])
//	JSON_OBJECT(onNull + one letter per value, key, value, ...)
//	JSON_ARRAY(onNull + one letter per value, value, ...)
//
// The letters are j for a value that is JSON text already, v for others.
func jsonFunctions() []*expr.Function {
	return []*expr.Function{
		{Name: "JSON_EXISTS", Class: "json", Usage: "JSON_EXISTS(text, path [{TRUE | FALSE | UNKNOWN | ERROR} ON ERROR])",
			Doc:      "Whether a path leads to a value that is not null.",
			Examples: []expr.Example{ex(`JSON_EXISTS('{"a": true}', '$.a')`, "TRUE"), ex(`JSON_EXISTS('{"a": true}', '$.b')`, "FALSE")}, Resolve: resolveJSONExists},
		{Name: "JSON_VALUE", Class: "json", Usage: "JSON_VALUE(text or variant, path [RETURNING type] [{NULL | ERROR | DEFAULT value} ON EMPTY] [{NULL | ERROR | DEFAULT value} ON ERROR])",
			Doc:      "The text, number or BOOLEAN that a path leads to, as STRING, INT, DOUBLE or BOOLEAN.",
			Examples: []expr.Example{ex(`JSON_VALUE('{"a": {"b": 1.50}}', '$.a.b')`, "1.50"), ex(`JSON_VALUE('{"a": 1}', 'lax $.b' RETURNING INT DEFAULT 5 ON EMPTY)`, "5")}, Resolve: resolveJSONValue},
		{Name: "JSON_QUERY", Class: "json", Usage: "JSON_QUERY(text or variant, path [RETURNING {STRING | ARRAY<STRING>}] [{WITHOUT | WITH [CONDITIONAL | UNCONDITIONAL]} [ARRAY] WRAPPER] [{NULL | EMPTY ARRAY | EMPTY OBJECT | ERROR} ON EMPTY] [... ON ERROR])",
			Doc: "The array or object that a path leads to, as JSON text with sorted keys, or an array as its elements.",
			Examples: []expr.Example{ex(`JSON_QUERY('{"a": {"c": 1, "b": 2}}', '$.a')`, `{"b":2,"c":1}`), ex(`JSON_QUERY('{"a": 1}', '$.a' WITH WRAPPER)`, "[1]"),
				ex(`JSON_QUERY('{"a": ["x", 1]}', '$.a' RETURNING ARRAY<STRING>)`, "[x, 1]")}, Resolve: resolveJSONQuery},
		{Name: "JSON_OBJECT", Class: "json", Usage: "JSON_OBJECT([[KEY] key VALUE value], ... [{NULL | ABSENT} ON NULL])",
			Doc:      "A JSON object, as text. Values of JSON_OBJECT, JSON_ARRAY and JSON are put in as they are, other texts in quotes.",
			Examples: []expr.Example{ex("JSON_OBJECT('b' VALUE 1, 'a' VALUE JSON_ARRAY('x', TRUE))", `{"a":["x",true],"b":1}`)}, Resolve: resolveJSONObject},
		{Name: "JSON_ARRAY", Class: "json", Usage: "JSON_ARRAY([value, ...] [{ABSENT | NULL} ON NULL])",
			Doc:      "A JSON array, as text.",
			Examples: []expr.Example{ex("JSON_ARRAY(1, 'a', CAST(NULL AS INT))", `[1,"a"]`), ex("JSON_ARRAY(CAST(NULL AS INT) NULL ON NULL)", "[null]")}, Resolve: resolveJSONArray},
		{Name: "JSON", Class: "json", Usage: "JSON(text)", Doc: "JSON text as a value inside JSON_OBJECT and JSON_ARRAY.",
			Examples: []expr.Example{ex(`JSON_ARRAY(JSON('{"b": 1, "a": 2}'))`, `[{"a":2,"b":1}]`)}, Resolve: resolveJSON},
		{Name: "JSON_STRING", Class: "json", Usage: "JSON_STRING(value)", Doc: "The value as JSON text.",
			Examples: []expr.Example{ex(`JSON_STRING('a"b')`, `"a\"b"`), ex("JSON_STRING(1E10)", "1.0E+10")}, Resolve: resolveJSONString},
		{Name: "JSON_QUOTE", Class: "json", Usage: "JSON_QUOTE(text)", Doc: "The text as a JSON string in ASCII.",
			Examples: []expr.Example{ex("JSON_QUOTE('a/é')", `"a\/\u00e9"`)},
			Resolve: fixed(stringType, safe(sure(func(dst []byte, a []*stream.Vec, i int) []byte {
				return jsonpath.AppendASCII(dst, a[0].Bytes(i))
			})), 1, textParam)},
		{Name: "JSON_UNQUOTE", Class: "json", Usage: "JSON_UNQUOTE(text)", Doc: "What a JSON string stands for; other texts as they are.",
			Examples: []expr.Example{ex(`JSON_UNQUOTE('"a\/b"')`, "a/b"), ex("JSON_UNQUOTE('[1]')", "[1]")},
			Resolve: fixed(stringType, safe(sure(func(dst []byte, a []*stream.Vec, i int) []byte {
				return appendUnquoted(dst, a[0].Bytes(i))
			})), 1, textParam)},
		isJSON("", func(k jsonpath.Kind) bool { return true }),
		isJSON(" VALUE", func(k jsonpath.Kind) bool { return true }),
		isJSON(" SCALAR", func(k jsonpath.Kind) bool { return k < jsonpath.Array }),
		isJSON(" ARRAY", func(k jsonpath.Kind) bool { return k == jsonpath.Array }),
		isJSON(" OBJECT", func(k jsonpath.Kind) bool { return k == jsonpath.Object }),
	}
}

func appendUnquoted(dst, b []byte) []byte {
	if n := len(b); n > 1 && b[0] == '"' && b[n-1] == '"' {
		start := len(dst)
		out, ok := jsonpath.AppendUnescaped(dst, b[1:n-1])
		if ok {
			return out
		}
		dst = out[:start]
	}
	return append(dst, b...)
}

// isJSON makes the test IS JSON of one kind; its result is never NULL.
func isJSON(kind string, is func(jsonpath.Kind) bool) *expr.Function {
	return &expr.Function{Name: "IS JSON" + kind, Class: "json", Operator: true, Usage: "text IS [NOT] JSON" + kind,
		Doc:      "Whether the text is JSON of that kind; FALSE for NULL.",
		Examples: []expr.Example{ex(`'{"a": 1}' IS JSON`+kind, map[bool]string{true: "TRUE", false: "FALSE"}[is(jsonpath.Object)])},
		Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
			to, err := take(args, 1, textParam)
			if err != nil {
				return expr.Resolution{}, err
			}
			return expr.Resolution{Args: to, Result: boolType.Required(), NullAware: true, New: func() expr.Kernel {
				var d jsonpath.Document
				return safe(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) {
					setBools(out, rows, func(i int) bool {
						if args[0].IsNull(i) {
							return false
						}
						root := d.Parse(args[0].Bytes(i))
						return root != jsonpath.None && is(d.Kind(root))
					})
				})()
			}}, nil
		}}
}

// jsonFinder finds paths in texts. The last path is kept compiled.
type jsonFinder struct {
	d    jsonpath.Document
	path *jsonpath.Path
	bad  error
	text string
	seen bool
	json []byte // the text of a VARIANT
	// refused is a fault that ON ERROR must not hide: the path may be good.
	refused error
}

func isUnsupported(err error) bool {
	var e *jsonpath.UnsupportedError
	return errors.As(err, &e)
}

var (
	errNoJSON   = errors.New("the text is no JSON")
	errJSONNull = errors.New("a path cannot be applied to null")
	// errNullValue: only for a lax path a null is nothing.
	errNullValue = errors.New("the value is null")
)

// find returns the value at the path of row i, None if it is null or not there and the
// path is lax.
func (f *jsonFinder) find(args []*stream.Vec, i int) (id int, lax bool, err error) {
	if p := args[1].Bytes(i); !f.seen || string(p) != f.text {
		f.text, f.seen = string(p), true
		f.path, f.bad = jsonpath.Compile(f.text)
		if f.refused = nil; isUnsupported(f.bad) {
			f.refused = fmt.Errorf("path '%s': %w", f.text, f.bad)
		}
	}
	json := args[0].Bytes(i)
	if args[0].Type.Kind == types.Variant {
		f.json = types.AppendVariant(f.json[:0], json)
		json = f.json
	}
	root := f.d.Parse(json)
	switch {
	case root == jsonpath.None && f.path.Lax:
		return jsonpath.None, true, nil
	case f.bad != nil:
		return 0, false, fmt.Errorf("path '%s' is not valid: %w", f.text, f.bad)
	case root == jsonpath.None:
		return 0, false, errNoJSON
	case f.d.Kind(root) == jsonpath.Null:
		return 0, false, errJSONNull
	}
	id, err = f.d.Find(root, f.path)
	if err == nil && id != jsonpath.None && f.d.Kind(id) == jsonpath.Null {
		if id = jsonpath.None; !f.path.Lax {
			err = errNullValue
		}
	}
	return id, f.path.Lax, err
}

// jsonArgs checks text and path; a constant path that can never be right is refused
// only where it names what is not supported, since Flink takes it for an error of
// each row. As in Flink a VARIANT may stand for its text in some of the functions.
func jsonArgs(args []types.Type, lits []*expr.Literal, n int, variant bool) error {
	if err := arity(args, n, n); err != nil {
		return err
	}
	if path, ok := constText(lits, 1); ok {
		if _, err := jsonpath.Compile(path); isUnsupported(err) {
			return err
		}
	}
	for i, what := range []string{"text", "path"} {
		if !args[i].IsText() && (i > 0 || !variant || args[i].Kind != types.Variant) {
			if args[i].Kind == types.Null {
				return errNull
			}
			return fmt.Errorf("expects a text as %s, not %s", what, args[i].Name())
		}
	}
	return nil
}

func resolveJSONExists(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := jsonArgs(args, lits, 3, false); err != nil {
		return expr.Resolution{}, err
	}
	onError, _ := constText(lits, 2)
	return expr.Resolution{Args: args, Result: boolType, CanFail: true, New: func() expr.Kernel {
		var f jsonFinder
		return func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) error {
			return each(rows, func(i int) error {
				out.SetBool(i, false)
				if !isValid(out, i) {
					return nil
				}
				id, _, err := f.find(args, i)
				switch {
				case err == nil:
					out.SetBool(i, id != jsonpath.None)
				case f.refused != nil:
					return rowFault(i, "JSON_EXISTS: "+f.refused.Error())
				case onError == "ERROR":
					return rowFault(i, "JSON_EXISTS: "+err.Error())
				case onError == "UNKNOWN":
					out.SetNull(i, rows.N)
				default:
					out.SetBool(i, onError == "TRUE")
				}
				return nil
			})
		}
	}}, nil
}

func resolveJSONValue(args []types.Type, lits []*expr.Literal) (expr.Resolution, error) {
	if err := jsonArgs(args, lits, 7, true); err != nil {
		return expr.Resolution{}, err
	}
	t := args[6]
	switch {
	case t.IsText(), t.Kind == types.Int, t.Kind == types.Double, t.Kind == types.Boolean:
	default:
		return expr.Resolution{}, fmt.Errorf("cannot return %s; RETURNING takes STRING, INT, DOUBLE or BOOLEAN", t.Name())
	}
	v := jsonValue{result: t}
	v.onEmpty, _ = constText(lits, 2)
	v.onError, _ = constText(lits, 4)
	to := append([]types.Type{}, args...)
	to[3], to[5] = t.Nullable(), t.Nullable()
	return expr.Resolution{Args: to, Result: t.Nullable(), NullAware: true, CanFail: true, New: func() expr.Kernel {
		own := v
		return own.run
	}}, nil
}

// jsonValue is the kernel of JSON_VALUE.
type jsonValue struct {
	jsonFinder
	result           types.Type
	onEmpty, onError string
	text             []byte
}

func (v *jsonValue) run(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
	put := func(i int) {
		if failed != nil {
			return
		}
		if err := v.row(args, out, i, rows.N); err != nil {
			failed = rowFault(i, "JSON_VALUE: "+err.Error())
		}
	}
	if v.result.IsText() {
		eachText(out, rows, put)
		return failed
	}
	_ = each(rows, func(i int) error { put(i); return failed })
	return failed
}

func (v *jsonValue) row(args []*stream.Vec, out *stream.Vec, i, n int) error {
	if args[0].IsNull(i) || args[1].IsNull(i) {
		v.null(out, i, n)
		return nil
	}
	id, lax, err := v.find(args, i)
	if v.refused != nil {
		return v.refused
	}
	if err == nil {
		switch {
		case id == jsonpath.None, lax && v.d.IsContainer(id):
			return v.instead(v.onEmpty, errors.New("there is no value"), args[3], out, i, n)
		case !v.d.IsContainer(id):
			return v.put(id, out, i)
		}
		err = errors.New("the value is an array or object; use JSON_QUERY")
	}
	return v.instead(v.onError, err, args[5], out, i, n)
}

func (v *jsonValue) null(out *stream.Vec, i, n int) {
	out.SetNull(i, n)
	if w := out.Type.Layout().Width(); w > 0 {
		zero(out, i)
	}
}

// instead applies ON EMPTY or ON ERROR.
func (v *jsonValue) instead(what string, err error, def, out *stream.Vec, i, n int) error {
	switch {
	case what == "ERROR":
		return err
	case what != "DEFAULT" || def.IsNull(i):
		v.null(out, i, n)
	case v.result.IsText():
		out.Data = append(out.Data, def.Bytes(i)...)
	case v.result.Kind == types.Boolean:
		out.SetBool(i, def.Bool(i))
	case v.result.Kind == types.Int:
		stream.Values[int32](out)[i] = stream.Values[int32](def)[def.At(i)]
	default:
		stream.Values[float64](out)[i] = stream.Values[float64](def)[def.At(i)]
	}
	return nil
}

// put writes the value, which must be of the result type already.
func (v *jsonValue) put(id int, out *stream.Vec, i int) error {
	if v.result.IsText() {
		start := len(out.Data)
		out.Data = types.FitText(v.d.AppendScalar(out.Data, id), start, v.result)
		return nil
	}
	v.text = v.d.AppendScalar(v.text[:0], id)
	kind := v.d.Kind(id)
	var err error
	switch {
	case v.result.Kind == types.Boolean && (kind == jsonpath.True || kind == jsonpath.False):
		out.SetBool(i, kind == jsonpath.True)
		return nil
	case v.result.Kind == types.Int && kind == jsonpath.Number:
		var x int64
		if x, err = strconv.ParseInt(string(v.text), 10, 32); err == nil {
			stream.Values[int32](out)[i] = int32(x)
			return nil
		}
	case v.result.Kind == types.Double && kind == jsonpath.Number:
		x, fault := types.ParseDouble(v.text)
		if fault == types.OK {
			stream.Values[float64](out)[i] = x
			return nil
		}
	}
	what := ""
	if kind == jsonpath.String {
		what = "the text "
	}
	return fmt.Errorf("%s'%s' is no %s; leave out RETURNING, and CAST the result", what, v.text, v.result.Name())
}
