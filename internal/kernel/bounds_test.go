//go:build unix

package kernel

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// guarded returns n elements that end, or with first set begin, at a page that
// nobody may touch: reading or writing one byte too many ends the program.
func guarded[T int8 | int32 | float32](t *testing.T, n int, first bool) []T {
	t.Helper()
	page, size := unix.Getpagesize(), n*int(unsafe.Sizeof(*new(T)))
	whole := (size + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, whole+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(m)) })
	require.NoError(t, unix.Mprotect(m[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(m[page+whole:], unix.PROT_NONE))
	at := page
	if !first {
		at += whole - size
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&m[at])), n)
}

func TestNothingIsTouchedOutside(t *testing.T) {
	shapes := []struct{ m, n int }{{1, 1}, {1, 9}, {2, 3}, {3, 8}, {4, 5}, {5, 4}, {6, 7}, {7, 13}}
	dims := []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 100, 127, 129, 384}
	each(t, func(t *testing.T, s isa) {
		r := rand.New(rand.NewPCG(9, 10))
		for _, first := range []bool{false, true} {
			for _, c := range shapes {
				for _, d := range dims {
					// One test function each, so that its pages are returned.
					t.Run("", func(t *testing.T) {
						queries, rows := guarded[float32](t, c.m*d, first), guarded[float32](t, c.n*d, first)
						copy(queries, floats(r, len(queries)))
						copy(rows, floats(r, len(rows)))
						dst := guarded[float32](t, c.m*c.n, first)
						s.dotMatrix(dst, queries, rows, d)
						s.dots(dst[len(dst)-c.n:], queries[len(queries)-d:], rows)
						near(t, s, queries[len(queries)-d:], rows[len(rows)-d:], dst[len(dst)-1])

						q8, r8 := guarded[int8](t, c.m*d, first), guarded[int8](t, c.n*d, first)
						copy(q8, codes(r, len(q8)))
						copy(r8, codes(r, len(r8)))
						ints := guarded[int32](t, c.m*c.n, first)
						s.dotMatrixInt8(ints, q8, r8, d)
						s.dotsInt8(ints[len(ints)-c.n:], q8[len(q8)-d:], r8)
						require.Equal(t, exact(q8[len(q8)-d:], r8[len(r8)-d:]), ints[len(ints)-1])
					})
				}
			}
		}
	})
}
