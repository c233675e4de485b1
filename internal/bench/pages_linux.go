package main

import (
	"syscall"
	"unsafe"
)

// floats makes a block for which the kernel is asked for huge pages, as an index
// does for its own: what is compared is the way of searching, not the pages.
func floats(n int) []float32 {
	const huge = 2 << 20
	p := make([]float32, n)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p))), 4*n)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(p))) & (huge - 1))
	if size := (len(bytes) - skip) &^ (huge - 1); size > 0 {
		_ = syscall.Madvise(bytes[skip:skip+size], syscall.MADV_HUGEPAGE)
	}
	return p
}
