// Package udf makes registry entries of plain Go functions: the arguments and the
// result of a function give its SQL signature, and a panic in one becomes an error.
package udf
