//go:build !amd64 || noasm

package kernel

// An isa is a set of instructions that has kernels.
type isa struct{}

// available lists what this machine can run, the fastest first.
func available() []isa { return []isa{{}} }

func (isa) String() string { return "portable" }

func (isa) dots(dst, query, rows []float32) { dotsPortable(dst, query, rows) }

func (isa) dotMatrix(dst, queries, rows []float32, dim int) {
	dotMatrixPortable(dst, queries, rows, dim)
}

func (isa) dotsInt8(dst []int32, query, rows []int8) { dotsInt8Portable(dst, query, rows) }

func (isa) dotMatrixInt8(dst []int32, queries, rows []int8, dim int) {
	dotMatrixInt8Portable(dst, queries, rows, dim)
}
