// Package streamsql runs continuous SQL over streams inside a Go program: event
// time, watermarks, windows, late rows and changelogs, with the answers of Flink
// SQL 2.3. The command streamsql uses nothing but this package.
//
// An Engine holds the names of a session (tables, views, settings). Exec runs
// statements that are no queries, Query starts a query; its results come as Arrow
// batches with row kinds (Query.Batches), or as Go values (Rows, Changes, Collect).
// Rows come in from the connectors named in CREATE TABLE, from files and stdin, from
// a Push that Go code feeds, or from any connector.Source.
//
// # Stability
//
// This package and package connector are the public surface. Everything else in
// the module may change in any release.
//
// # Errors
//
// Every error is, or wraps, an *Error with a stable Code, and where there is one the
// place in the SQL text. Render shows it with the source line and a caret.
package streamsql

//go:generate go test -run TestFunctionReference . -update
