// Package raw is the raw format: one column that holds each line as it is.
package raw
