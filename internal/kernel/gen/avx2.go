package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// floatAVX2 has two registers, of lanes 0 to 7 and 8 to 15, for each sum.
// Three queries by two rows take 12 of the 16 registers, and each step loads
// 10 for its 12 multiplications.
type floatAVX2 struct {
	queries int
	table   operand.Mem // see maskTable
}

func (k floatAVX2) name() string            { return fmt.Sprintf("floatAVX2x%d", k.queries) }
func (k floatAVX2) queriesAtOnce() int      { return k.queries }
func (k floatAVX2) types() (string, string) { return "float32", "float32" }
func (k floatAVX2) size() int               { return 4 }
func (k floatAVX2) width() int              { return 16 }

func (k floatAVX2) tiles() []int {
	if k.queries == 1 {
		// One query runs at the speed of memory, and reading one row after the
		// other is what hardware prefetches best.
		return []int{1}
	}
	return []int{2, 1}
}

func (k floatAVX2) ahead() int {
	if k.queries == 1 {
		return 0
	}
	return k.tiles()[0]
}

func (k floatAVX2) prepare(g generator, b *block) {}

func (k floatAVX2) tile(g generator, b *block, rows int) {
	halves := newTile(vectors, k.queries, rows, 2)
	mask := halves[0].free[0]
	for _, t := range halves {
		t.zero(g, asY)
	}
	add := func(query, row, sum vec) {
		g.VFMADD231PS(row.AsY(), query.AsY(), sum.AsY())
	}
	b.inner(g, rows, func(offset int) {
		load := func(m operand.Mem, v vec) { g.VMOVUPS(m, v.AsY()) }
		for i, t := range halves {
			t.step(b, offset+32*i, load, load, add)
		}
	}, func() {
		masks, words := g.GP64(), b.count // the loop is over
		g.LEAQ(k.table.Offset(64), masks)
		g.MOVQ(b.rest, words)
		g.SHLQ(operand.Imm(2), words)
		g.SUBQ(words, masks)
		load := func(m operand.Mem, v vec) { g.VMASKMOVPS(m, mask.AsY(), v.AsY()) }
		for i, t := range halves {
			g.VMOVUPS(operand.Mem{Base: masks, Disp: 32 * i}, mask.AsY())
			t.step(b, 32*i, load, load, add)
		}
	})
	for q, sums := range halves[0].sums {
		for r, v := range sums {
			g.VADDPS(halves[1].sums[q][r].AsY(), v.AsY(), v.AsY())
		}
	}
	b.store8(g, g.VADDPS, halves[0])
}

// maskTable writes 16 words of ones and 16 of zeros: 16 words from word 16-n
// on are the mask of the first n of 16 lanes.
func (g generator) maskTable() operand.Mem {
	table := g.StaticGlobal("ones16zeros16")
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 32 {
		word := operand.U32(0)
		if i < 16 {
			word = ^word
		}
		g.AddDatum(4*i, word)
	}
	return table
}
