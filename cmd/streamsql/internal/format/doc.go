// Package format turns the rows of a result into text: table, csv, json, ndjson and
// the lines of a changelog. Printers append to a buffer and do no output of their
// own, so that whoever owns the output decides when it is flushed. Fold keeps the
// final rows of a result whose rows change.
package format
