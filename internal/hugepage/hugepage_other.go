//go:build !linux

package hugepage

// Advise does nothing: other systems give large pages of their own accord, or not at all.
func Advise[T any](s []T) {}
