package builtin

import (
	"streamsql/expr"
	"streamsql/stream"
	"streamsql/types"
)

// test is one of the IS operators: a word-wise function of validity and value.
type test struct {
	name    string
	usage   string
	anyType bool
	word    func(valid, value uint64) uint64
	example string
	result  string
}

var tests = [...]test{
	{"IS NULL", "value IS NULL", true, func(v, _ uint64) uint64 { return ^v }, "CAST(NULL AS INT) IS NULL", "TRUE"},
	{"IS NOT NULL", "value IS NOT NULL", true, func(v, _ uint64) uint64 { return v }, "1 IS NOT NULL", "TRUE"},
	{"IS TRUE", "condition IS TRUE", false, func(v, b uint64) uint64 { return v & b }, "(1 > 2) IS TRUE", "FALSE"},
	{"IS NOT TRUE", "condition IS NOT TRUE", false, func(v, b uint64) uint64 { return ^(v & b) }, "(1 > 2) IS NOT TRUE", "TRUE"},
	{"IS FALSE", "condition IS FALSE", false, func(v, b uint64) uint64 { return v &^ b }, "(1 > 2) IS FALSE", "TRUE"},
	{"IS NOT FALSE", "condition IS NOT FALSE", false, func(v, b uint64) uint64 { return ^(v &^ b) }, "CAST(NULL AS BOOLEAN) IS NOT FALSE", "TRUE"},
	{"IS UNKNOWN", "condition IS UNKNOWN", false, func(v, _ uint64) uint64 { return ^v }, "CAST(NULL AS BOOLEAN) IS UNKNOWN", "TRUE"},
	{"IS NOT UNKNOWN", "condition IS NOT UNKNOWN", false, func(v, _ uint64) uint64 { return v }, "TRUE IS NOT UNKNOWN", "TRUE"},
}

func booleanOperators() []*expr.Function {
	fs := []*expr.Function{{
		Name: "NOT", Class: "logical", Operator: true, Usage: "NOT condition", Doc: "Negation; NULL stays NULL.",
		Examples: []expr.Example{{SQL: "NOT (1 = 2)", Result: "TRUE"}},
		Resolve:  fixed(boolType, safe(not), 1, boolParam),
	}}
	for _, t := range tests {
		fs = append(fs, &expr.Function{
			Name: t.name, Class: "logical", Operator: true, Usage: t.usage, Doc: "Test for a truth value or NULL; never NULL itself.",
			Examples: []expr.Example{{SQL: t.example, Result: t.result}},
			Resolve: func(args []types.Type, _ []*expr.Literal) (expr.Resolution, error) {
				if err := arity(args, 1, 1); err != nil {
					return expr.Resolution{}, err
				}
				if !t.anyType && !isBool(args[0]) && args[0].Kind != types.Null {
					return expr.Resolution{}, expects("a BOOLEAN", args)
				}
				return expr.Resolution{Args: args, Result: boolType.Required(), NullAware: true, New: safe(t.run)}, nil
			},
		})
	}
	return fs
}

func not(_ *expr.Context, args []*stream.Vec, out *stream.Vec, _ expr.Rows) {
	words := out.Words()
	for k := range words {
		words[k] = ^bitWord(args[0], k)
	}
}

func (t test) run(_ *expr.Context, args []*stream.Vec, out *stream.Vec, _ expr.Rows) {
	words := out.Words()
	for k := range words {
		valid, value := validWord(args[0], k), uint64(0)
		if !t.anyType && valid != 0 {
			value = bitWord(args[0], k)
		}
		words[k] = t.word(valid, value)
	}
}
