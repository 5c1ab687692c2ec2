// Package csv is the csv format: a decoder from bytes straight into the vectors
// of the wanted columns, an encoder, and the inference of a schema from a sample.
//
// The decoder has two paths. The slow path splits one record by all the rules of
// the options and converts its fields with the parsers of package types; it is
// always right. The fast path takes records of plain or simply quoted fields in a
// single pass over the bytes, eight at a time, and gives a record back to the slow
// path as soon as it meets anything else.
package csv
