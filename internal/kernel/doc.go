// Package kernel computes inner products of many vectors at once: the inner
// loops of exact search and of k-means.
//
// All functions take blocks: contiguous, row-major, of n vectors of one
// dimension, without padding and of any alignment.
//
//	Dot            float32, one pair
//	Dots           float32, one query with the rows of a block; runs at the
//	               speed of memory
//	DotMatrix      float32, the queries of one block with the rows of another;
//	               runs at the speed of the multipliers
//	DotsInt8       as Dots, of int8 codes, exact
//	DotMatrixInt8  as DotMatrix, of int8 codes, exact
//
// Implementations are chosen at start by what the CPU has, and [ISA] names the
// one in use: AVX-512 with VNNI, AVX-512, AVX2 with FMA (each Go assembly,
// written by the program in the folder gen), or portable Go, which is also
// what other platforms and builds with the tag noasm have.
//
// # Order of summation
//
// A score depends on the two vectors alone. It is the same to the last bit
// from Dot, Dots and DotMatrix, for any number of queries and rows and at any
// place among them.
//
// In assembly, lane l of 16 adds up the products at positions i with
// i mod 16 = l, in ascending order and each with one rounding (a fused
// multiply-add onto zero at first); then the lanes are added in halves: l with
// l+8, l with l+4, l with l+2, and the last two. AVX-512 keeps the lanes in
// one register and AVX2 in two, so these too agree to the last bit.
//
// Portable Go has an order of its own, with four lanes: see dotPortable. Where
// the compiler has an instruction for it, it may fuse its products and sums,
// so portable results are the same on one platform and not on all.
//
// Against the exact inner product both stay within the usual bound for a sum
// of n/lanes + log2(lanes) steps: (n/lanes + 5) · 2⁻²⁴ · Σ|a·b|, where nothing
// overflows or underflows.
//
// # Special values
//
// NaN and infinities spread as in any sum of products; which NaN comes out is
// open. Lanes after the end of a vector add zero.
//
// # Cost and concurrency
//
// No function allocates or keeps its arguments. Assembly can't be preempted by
// the garbage collector, so work is handed to it in pieces of some ten
// microseconds. All functions may be called from many goroutines at once. The
// race detector does not see what assembly reads: test for races with the tag
// noasm.
package kernel
