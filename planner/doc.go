// Package planner turns statements into plans. Binding resolves names and types
// and gives the logical plan (bind*.go, expr*.go); lowering prunes columns and
// gives the physical plan (lower*.go), with the time attribute, changelog mode,
// key, boundedness and state bound of every node. EXPLAIN, DESCRIBE, SHOW and the
// statements that change the catalog are here too.
//
// Connectors are seen through catalog.TableFactory only. Nothing here reads data or
// a clock; constants are folded through Env.Fold.
package planner
