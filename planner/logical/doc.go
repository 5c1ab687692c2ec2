// Package logical is the bound query as plain data: names resolved, types and time
// attributes known, every column still there. The planner's lowering prunes it and
// turns it into a physical plan; EXPLAIN prints both.
package logical
