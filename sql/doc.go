// Package sql reads the dialect: Flink SQL 2.3 plus the extensions of
// docs/differences.md. Its own lexer and statement parser frame TiDB's grammar,
// which parses queries and expressions; what leaves the package is this package's
// own syntax tree with spans in the user's text. No TiDB type crosses its border.
//
// The tree says what was written, not what it means: names are unresolved, types
// of expressions unknown. A construct that parses but that the engine cannot run
// is refused by the planner, by name.
package sql
