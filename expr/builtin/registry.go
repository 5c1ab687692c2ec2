package builtin

import (
	"sync/atomic"

	"streamsql/expr"
)

// Functions returns the scalar functions and operators. Operators are named by
// their symbol or words: "+", "NEGATE", "=", "IS NULL", "LIKE", "IN", "||"; the
// difference of two times is "MINUS DAY" or "MINUS MONTH" by its unit. AND, OR, CASE
// and casts are expressions of their own. RAND and UUID give the same values in each
// process; RandomFunctions makes others.
func Functions() []*expr.Function {
	var fs []*expr.Function
	for _, family := range [...]func() []*expr.Function{
		arithmeticOperators, comparisonOperators, booleanOperators, patternOperators, listOperators,
		conditionalFunctions, numericFunctions, stringFunctions, searchFunctions, temporalFunctions,
		calendarFunctions, clockFunctions, regexFunctions, encodingFunctions, jsonFunctions, variantFunctions,
		charsetFunctions, formatFunctions, nestedFunctions, arrayFunctions, arrayOrderFunctions, mapFunctions, splitFunctions, bitmapFunctions,
	} {
		fs = append(fs, family()...)
	}
	for _, f := range fs {
		if as := bareNulls[f.Name]; as != nil {
			takeBareNulls(f, as)
		}
	}
	var uses atomic.Uint64
	return append(fs, RandomFunctions(func() uint64 { return uses.Add(0x9E3779B97F4A7C15) })...)
}

// NewRegistry returns a registry of everything in this package.
func NewRegistry() *expr.Registry { return expr.NewRegistry(Functions(), Aggregates()) }
