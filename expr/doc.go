// Package expr holds typed expressions as plain data, and the registry's form: what
// a scalar function and an aggregate are. The built-in functions and aggregates
// themselves, with their kernels, are in expr/builtin. Expressions are made by the
// planner and compiled to programs over vectors by exec/eval.
package expr
