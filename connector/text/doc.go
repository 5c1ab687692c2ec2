// Package text reads rows from byte streams: it opens one input after the other,
// keeps the buffer, carries over records that are cut by its end, and turns what
// a Decoder makes of the bytes into batches. It is what the text formats (csv,
// raw) and the connectors that hold text (files, pipes) have in common.
//
// With several workers, what only one goroutine can do at a time (cutting, order, the
// reader's ids of texts, and the reading itself where there is no random access) is meant
// to stay below five per cent of what a worker does; BenchmarkSerialPart measures it.
package text
