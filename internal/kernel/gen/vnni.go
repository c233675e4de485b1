package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// int8VNNI multiplies by VPDPBUSD, whose one factor is unsigned: rows are
// offset by 128 (the sign bit flipped), and sums start at what takes that off
// again, -128 Σ query. All of it is exact modulo 2³², so only the result must
// fit.
type int8VNNI struct {
	queries int
	mask    reg.OpmaskVirtual // of the rest
	sign    vec               // 0x80 in each byte
	start   []vec             // of each query: what its sums start at, by lane
}

func (k *int8VNNI) name() string            { return fmt.Sprintf("int8VNNIx%d", k.queries) }
func (k *int8VNNI) queriesAtOnce() int      { return k.queries }
func (k *int8VNNI) types() (string, string) { return "int8", "int32" }
func (k *int8VNNI) size() int               { return 1 }
func (k *int8VNNI) width() int              { return 64 }
func (k *int8VNNI) tiles() []int {
	if k.queries == 1 {
		return []int{1}
	}
	return []int{4, 1}
}
func (k *int8VNNI) ahead() int { return 0 }

func (k *int8VNNI) prepare(g generator, b *block) {
	k.mask = lowMask(g, b.rest)
	k.sign = vectors512[31]
	k.start = vectors512[31-k.queries : 31]
	word := g.GP32()
	g.MOVL(operand.U32(0x80808080), word)
	g.VPBROADCASTD(word, k.sign.AsZ())

	// As if all queries met one row, of nothing but the offset.
	t := newTile(vectors512, k.queries, 1, 1)[0]
	t.zero(g, asZ)
	step := func(offset int, load loader) {
		t.step(b, offset, load, func(operand.Mem, vec) {}, func(query, _, sum vec) {
			g.dotProduct(query, k.sign, sum)
		})
	}
	b.inner(g, 0,
		func(offset int) { step(offset, k.load(g)) },
		func() { step(0, k.loadRest(g)) })
	g.VXORPS(t.other.AsZ(), t.other.AsZ(), t.other.AsZ())
	for q, v := range k.start {
		g.VPSUBD(t.sums[q][0].AsZ(), t.other.AsZ(), v.AsZ())
	}
}

func (k *int8VNNI) tile(g generator, b *block, rows int) {
	t := newTile(vectors512, k.queries, rows, 1)[0]
	for q, sums := range t.sums {
		for _, v := range sums {
			g.VMOVDQU32(k.start[q].AsZ(), v.AsZ())
		}
	}
	step := func(offset int, load loader) {
		t.step(b, offset, load, func(m operand.Mem, v vec) {
			load(m, v)
			g.VPXORD(k.sign.AsZ(), v.AsZ(), v.AsZ())
		}, g.dotProduct)
	}
	b.inner(g, rows,
		func(offset int) { step(offset, k.load(g)) },
		func() { step(0, k.loadRest(g)) })
	b.store16(g, g.VPADDD, t)
}

func (k *int8VNNI) load(g generator) loader {
	return func(m operand.Mem, v vec) { g.VMOVDQU8(m, v.AsZ()) }
}

// loadRest leaves zeros in the query after its end, so that the offset, which
// is all that the row has there, does not count.
func (k *int8VNNI) loadRest(g generator) loader {
	return func(m operand.Mem, v vec) { g.VMOVDQU8_Z(m, k.mask, v.AsZ()) }
}

// dotProduct adds to each 32-bit lane of sum the four products of its bytes,
// signed ones of s and unsigned ones of u: VPDPBUSD, which avo does not know.
func (g generator) dotProduct(s, u, sum vec) {
	ops := []operand.Op{s.AsZ(), u.AsZ(), sum.AsZ()}
	g.Instruction(&ir.Instruction{
		Opcode:   "VPDPBUSD",
		Operands: ops,
		Inputs:   ops,
		Outputs:  ops[2:],
		ISA:      []string{"AVX512VNNI"},
	})
}
