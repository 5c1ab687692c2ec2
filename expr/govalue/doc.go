// Package govalue takes values between SQL and Go: which SQL type a Go type stands for,
// how a value of a column goes into a Go variable, and how a Go value becomes the raw
// bytes of a column.
package govalue
