// Package report writes what a query has done, for people and for machines: rows
// read and printed, how far event time got, late rows with the delay that would have
// kept them, rows that could not be read. It also holds the text forms of counts,
// sizes and times that the command uses everywhere.
package report
