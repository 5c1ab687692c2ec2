// Package field reads single values of text formats straight into the vectors of
// a batch, eight bytes at a time. A function that does not surely know a value
// gives up, and the format's slow path decides. It is what the fast paths of the
// text formats have in common.
package field
