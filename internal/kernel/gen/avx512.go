package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// floatAVX512 has one register of 16 lanes for each sum. Six queries by four
// rows take 24 of the 32 registers, and each step loads 10 for its 24
// multiplications; fewer queries go with more rows.
type floatAVX512 struct {
	queries int
	mask    reg.OpmaskVirtual // of the rest
}

func (k *floatAVX512) name() string            { return fmt.Sprintf("floatAVX512x%d", k.queries) }
func (k *floatAVX512) queriesAtOnce() int      { return k.queries }
func (k *floatAVX512) types() (string, string) { return "float32", "float32" }
func (k *floatAVX512) size() int               { return 4 }
func (k *floatAVX512) width() int              { return 16 }

func (k *floatAVX512) tiles() []int {
	if k.queries <= 3 {
		return []int{8, 4, 1}
	}
	return []int{4, 1}
}

func (k *floatAVX512) ahead() int { return k.tiles()[0] }

func (k *floatAVX512) prepare(g generator, b *block) {
	k.mask = lowMask(g, b.rest)
}

func (k *floatAVX512) tile(g generator, b *block, rows int) {
	t := newTile(vectors512, k.queries, rows, 1)[0]
	t.zero(g, asZ)
	step := func(offset int, load loader) {
		t.step(b, offset, load, load, func(query, row, sum vec) {
			g.VFMADD231PS(row.AsZ(), query.AsZ(), sum.AsZ())
		})
	}
	b.inner(g, rows,
		func(offset int) { step(offset, func(m operand.Mem, v vec) { g.VMOVUPS(m, v.AsZ()) }) },
		func() { step(0, func(m operand.Mem, v vec) { g.VMOVUPS_Z(m, k.mask, v.AsZ()) }) })
	b.store16(g, g.VADDPS, t)
}

// lowMask returns a mask with as many low bits set as rest says, at most 63.
func lowMask(g generator, rest reg.GPVirtual) reg.OpmaskVirtual {
	bits, mask := g.GP64(), g.K()
	g.MOVQ(rest, reg.RCX)
	g.MOVQ(operand.U32(1), bits)
	g.SHLQ(reg.CL, bits)
	g.DECQ(bits)
	g.KMOVQ(bits, mask)
	return mask
}
