// Package slt runs the two kinds of behaviour files through the public API: case
// files with the answers of a real Flink (.case and .out), and sqllogictest files
// with streaming records (.slt). Both are rerun over batch sizes, read buffers,
// workers and hash seeds, which must not change one byte of what comes out.
//
// A .slt file holds records, separated by blank lines; lines that start with # are
// comments. Plain sqllogictest records are
//
//	statement ok | statement error [REGEXP]
//	query TYPES [nosort | rowsort | valuesort]
//	skipif NAME, onlyif NAME, halt
//
// A query's expected rows stand one a line behind ----, values joined by " | ", or
// one value a line. The records of a stream name one stimulus each, and ---- lists
// exactly what comes out until the engine is quiet again:
//
//	stream                starts the query that follows, over tables WITH ('connector'='script')
//	input TABLE           rows, a line each: values as in csv, NULL for a NULL
//	watermark TABLE TIME  raises the watermark of a table without a WATERMARK clause
//	clock TIME            sets the clock of the engine: processing time stands there
//	finish [TABLE]        ends the input
//	stop                  stops the query without ending its input
//
// Expected lines are changes ("+I a | 1"), "late N" for rows dropped as late in this
// step, and "W TIME" (or "W max") if the watermark of the result rose: the last one
// of the step.
package slt
