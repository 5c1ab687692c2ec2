// Package eval compiles typed expressions into programs over batches.
//
// A program is a graph of nodes, one per distinct expression, each with a reused
// output vector. Nodes belong to a scope: the rows that reach them. The operands of
// AND and OR behind the first, and the branches of CASE, open scopes of their own,
// since they must not be evaluated for rows that do not need them. A node is
// computed at most once per run, so an expression that is written twice costs once.
//
// A row that fails does not spoil the rows before it: see Error.
package eval
