package builtin

import "streamsql/expr"

// Functions returns the scalar functions and operators. Operators are named by
// their symbol or words: "+", "NEGATE", "=", "IS NULL", "LIKE", "IN", "||"; the
// difference of two times is "MINUS DAY" or "MINUS MONTH" by its unit. AND, OR, CASE
// and casts are expressions of their own.
func Functions() []*expr.Function {
	var fs []*expr.Function
	for _, family := range [...]func() []*expr.Function{
		arithmeticOperators, comparisonOperators, booleanOperators, patternOperators, listOperators,
		conditionalFunctions, numericFunctions, stringFunctions, searchFunctions, temporalFunctions,
		calendarFunctions, clockFunctions, regexFunctions, encodingFunctions, jsonFunctions,
	} {
		fs = append(fs, family()...)
	}
	return fs
}

// NewRegistry returns a registry of everything in this package.
func NewRegistry() *expr.Registry { return expr.NewRegistry(Functions(), Aggregates()) }
