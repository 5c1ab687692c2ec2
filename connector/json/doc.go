// Package json is the json format, one object per line: a decoder from bytes
// straight into the vectors of the wanted columns, an encoder, and the inference
// of a schema from a sample.
//
// The decoder has two paths. The slow path checks one line by all the rules of
// JSON, notes where the wanted values stand, and converts them; it is always right,
// and it alone reports faults. The fast path expects what the lines before had:
// behind a value of one key it compares the bytes up to the next value with those
// that were seen there, eight at a time, and reads the value in the same pass. It
// gives a line back to the slow path, which learns from it, as soon as it meets
// anything else.
package json
