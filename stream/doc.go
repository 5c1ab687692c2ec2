// Package stream is the vocabulary that every edge of a running plan speaks:
// vectors and batches in Arrow's memory layout, row kinds, watermarks, ordinals
// and messages. ARCHITECTURE.md tells how operators use them.
//
// # Ownership
//
// A batch and all memory it points to belong to its producer and are valid until
// the producer is called again. Who keeps a batch longer calls Batch.Take, which
// moves the buffers out; the producer then gets others from its Pool.
package stream
