// Package text reads rows from byte streams: it opens one input after the other,
// keeps the buffer, carries over records that are cut by its end, and turns what
// a Decoder makes of the bytes into batches. It is what the text formats (csv,
// raw) and the connectors that hold text (files, pipes) have in common.
package text
