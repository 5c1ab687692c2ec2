// Package pipe reads from where somebody may still be writing: standard input,
// FIFOs, network streams. A goroutine does the waiting, so that the caller gets
// what is there at once and can stop to wait.
package pipe
