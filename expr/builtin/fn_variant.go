package builtin

import (
	"errors"
	"fmt"

	"streamsql/expr"
	"streamsql/expr/jsonpath"
	"streamsql/stream"
	"streamsql/types"
)

var variantType = types.Of(types.Variant)

func variantFunctions() []*expr.Function {
	return []*expr.Function{
		{Name: "PARSE_JSON", Class: "json", Usage: "PARSE_JSON(text [, allow duplicate keys])",
			Doc: "The value that JSON text stands for, as VARIANT. Text that is no JSON is an error, as is a key that an object has twice; " +
				"with TRUE the last value of such a key counts.",
			Examples: []expr.Example{ex(`PARSE_JSON('{"b": [1, 2.50], "a": null}')`, `{"a":null,"b":[1,2.5]}`), ex(`PARSE_JSON('{"a": 1, "a": 2}', TRUE)['a']`, "2")},
			Resolve:  resolveParseJSON("PARSE_JSON", false)},
		{Name: "TRY_PARSE_JSON", Class: "json", Usage: "TRY_PARSE_JSON(text [, allow duplicate keys])",
			Doc:      "PARSE_JSON with NULL instead of an error.",
			Examples: []expr.Example{ex("TRY_PARSE_JSON('[1, \"a\"]')", `[1,"a"]`), ex("TRY_PARSE_JSON('[1,')", ""), ex(`TRY_PARSE_JSON('{"a": 1, "a": 2}')`, "")},
			Resolve:  resolveParseJSON("TRY_PARSE_JSON", true)},
	}
}

func resolveParseJSON(name string, try bool) resolve {
	return func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
		if err := arity(args, 1, 2); err != nil {
			return expr.Resolution{}, err
		}
		to := append([]types.Type{}, args...)
		if to[0].Kind == types.Null {
			to[0] = stringType
		}
		if !to[0].IsText() || len(to) > 1 && to[1].Kind != types.Boolean {
			return expr.Resolution{}, expects("a text and, perhaps, a BOOLEAN", args)
		}
		p := jsonParser{name: name, try: try}
		res := expr.Resolution{Args: to, Result: like(variantType, args), NullAware: len(args) > 1, CanFail: len(args) > 1 || !try}
		if try {
			res.Result = variantType
		}
		res.New = func() expr.Kernel {
			own := p
			return own.run
		}
		return res, nil
	}
}

// jsonParser is the kernel of PARSE_JSON and TRY_PARSE_JSON.
type jsonParser struct {
	name string
	try  bool
	d    jsonpath.Document
}

func (p *jsonParser) run(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
	p.d.LongExponents = true
	eachText(out, rows, func(i int) {
		if failed == nil {
			failed = p.row(args, out, i, rows.N)
		}
	})
	return failed
}

func (p *jsonParser) row(args []*stream.Vec, out *stream.Vec, i, n int) error {
	twice := false
	if len(args) > 1 {
		if args[1].IsNull(i) { // as in Flink an error, whatever the text is
			return &expr.RowError{Row: i, Msg: p.name + ": whether keys may come twice is NULL", Hint: "use COALESCE(condition, FALSE)"}
		}
		if args[0].IsNull(i) {
			out.SetNull(i, n)
			return nil
		}
		twice = args[1].Bool(i)
	}
	text, start := args[0].Bytes(i), len(out.Data)
	fault, hint := "is no JSON", "use TRY_PARSE_JSON to get NULL instead"
	if root := p.d.Parse(text); root != jsonpath.None {
		var ok bool
		if out.Data, ok = p.d.AppendVariant(out.Data, root, twice); ok {
			return nil
		}
		out.Data = out.Data[:start]
		fault, hint = "has a key twice in one object", p.name+"(text, TRUE) takes the last value of the key"
	}
	if p.try {
		out.SetNull(i, n)
		return nil
	}
	return &expr.RowError{Row: i, Msg: fmt.Sprintf("%s: '%s' %s", p.name, shorten(text), fault), Hint: hint}
}

// shorten cuts a value to what an error message shows.
func shorten(b []byte) string {
	cut, _ := types.Cut(b, shown)
	if len(cut) < len(b) {
		return string(cut) + "..."
	}
	return string(b)
}

// resolveVariantItem binds variant[index] and variant[key].
func resolveVariantItem(args []types.Type) (expr.Resolution, error) {
	to := []types.Type{args[0], args[1]}
	find, want := variantField, "an object"
	switch {
	case args[1].Kind == types.Null:
		return expr.Resolution{}, errNull
	case args[1].IsInteger():
		to[1] = bigintType
		find, want = variantElement, "an array"
	case !args[1].IsText():
		return expr.Resolution{}, fmt.Errorf("needs an integer or a text to look into a VARIANT, not %s", args[1].Name())
	}
	res := expr.Resolution{Args: to, Result: variantType, NullAware: true, CanFail: true}
	res.New = plain(func(_ *expr.Context, args []*stream.Vec, out *stream.Vec, rows expr.Rows) (failed error) {
		putEach(out, rows, func(i int) []byte {
			if args[0].IsNull(i) || args[1].IsNull(i) || failed != nil {
				return nil
			}
			v := args[0].Bytes(i)
			raw, err := find(v, args[1], i)
			if err != nil {
				failed = &expr.RowError{Row: i, Msg: fmt.Sprintf("VARIANT %s is not %s", shorten(types.AppendVariant(nil, v)), want),
					Hint: "JSON_VALUE(variant, '$.key') and JSON_QUERY give NULL instead"}
			}
			return raw
		})
		return failed
	})
	return res, nil
}

var errVariantKind = errors.New("the VARIANT is of another kind")

func variantField(v []byte, key *stream.Vec, i int) ([]byte, error) {
	if types.VariantKindOf(v) != types.VariantObject {
		return nil, errVariantKind
	}
	raw, _ := types.VariantField(v, key.Bytes(i))
	return raw, nil
}

func variantElement(v []byte, index *stream.Vec, i int) ([]byte, error) {
	if types.VariantKindOf(v) != types.VariantArray {
		return nil, errVariantKind
	}
	raw, _ := types.VariantElement(v, stream.Values[int64](index)[index.At(i)]-1)
	return raw, nil
}
