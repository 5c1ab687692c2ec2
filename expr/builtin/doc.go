// Package builtin holds the functions, operators, casts and aggregates of the
// dialect: their types, rules and kernels. Kernels are typed loops over vectors;
// they allocate nothing per row and reuse what they need.
//
// A family of functions has one file: op_*.go operators, fn_*.go scalar functions,
// cast*.go conversions, agg*.go aggregates.
package builtin
