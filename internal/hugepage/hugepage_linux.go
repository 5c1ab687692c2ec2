package hugepage

import (
	"syscall"
	"unsafe"
)

const (
	// fromSize is the size in bytes from which an array is worth asking for.
	fromSize = 256 << 10
	// block is what is asked for at once. The heap of Go lies in areas of 64 MiB, so a
	// block never reaches beyond it; and asking for whole blocks keeps the number of
	// areas with different settings, which the system limits, far below that limit.
	block = 16 << 20
)

// Advise asks for large pages for s, which has been made and not been written to yet: only
// memory that has never been touched gets them at once. A refusal has no consequence,
// so none is reported.
func Advise[T any](s []T) {
	var x T
	size := uintptr(cap(s)) * unsafe.Sizeof(x)
	if size < fromSize {
		return
	}
	first := uintptr(unsafe.Pointer(unsafe.SliceData(s))) &^ (block - 1)
	behind := (uintptr(unsafe.Pointer(unsafe.SliceData(s))) + size + block - 1) &^ (block - 1)
	syscall.RawSyscall(syscall.SYS_MADVISE, first, behind-first, syscall.MADV_HUGEPAGE)
}
