// Package types holds the SQL types of the dialect, their layout in memory and
// their text form: parsing, printing and converting single values exactly as
// Flink 2.3 does (CAST and the csv/json formats have different rules; both live
// here). It knows nothing of batches or expressions.
package types
