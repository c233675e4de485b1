package vecindex

import (
	"syscall"
	"unsafe"
)

// hugePages asks the kernel for pages of 2 MiB where p lies, before p is first
// written to. Scans read far more memory than the translation buffers of a CPU
// reach with pages of 4 KiB; on virtual machines, where a miss costs most, huge
// pages were measured to double the rate. It is advice alone: contents, and what
// the garbage collector does, stay as they are, and where the kernel does not
// follow it nothing is lost.
func hugePages[T any](p []T) {
	const huge = 2 << 20
	if len(p) == 0 {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&p[0])), len(p)*int(unsafe.Sizeof(p[0])))
	// Whole pages within p alone: the neighbours are not ours.
	skip := int(-uintptr(unsafe.Pointer(&bytes[0])) & (huge - 1))
	if n := (len(bytes) - skip) &^ (huge - 1); n > 0 {
		_ = syscall.Madvise(bytes[skip:skip+n], syscall.MADV_HUGEPAGE)
	}
}
