package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// int8AVX2 widens codes to 16 bits (VPMOVSXBW) and adds products in pairs
// (VPMADDWD). A pair is at most 2·128², so nothing saturates.
type int8AVX2 struct{ queries int }

func (k *int8AVX2) name() string { return fmt.Sprintf("int8AVX2x%d", k.queries) }

func (k *int8AVX2) queriesAtOnce() int      { return k.queries }
func (k *int8AVX2) types() (string, string) { return "int8", "int32" }
func (k *int8AVX2) size() int               { return 1 }
func (k *int8AVX2) width() int              { return 16 }
func (k *int8AVX2) tiles() []int            { return []int{4, 1} }
func (k *int8AVX2) ahead() int              { return 0 }

func (k *int8AVX2) prepare(g generator, b *block) {}

func (k *int8AVX2) tile(g generator, b *block, rows int) {
	t := newTile(vectors, k.queries, rows, 1)[0]
	product := t.free[0]
	t.zero(g, asY)
	load := func(m operand.Mem, v vec) { g.VPMOVSXBW(m, v.AsY()) }
	b.inner(g, rows, func(offset int) {
		t.step(b, offset, load, load, func(query, row, sum vec) {
			g.VPMADDWD(query.AsY(), row.AsY(), product.AsY())
			g.VPADDD(product.AsY(), sum.AsY(), sum.AsY())
		})
	}, func() {})
	b.store8(g, g.VPADDD, t)
	k.rest(g, b, rows)
}

// rest adds to the stored scores what up to 15 codes at the end contribute,
// one by one: AVX2 has no loads that stop at a byte.
func (k *int8AVX2) rest(g generator, b *block, rows int) {
	loop, end := fmt.Sprintf("codes%d", rows), fmt.Sprintf("stored%d", rows)
	left := b.count
	g.MOVQ(b.rest, left)
	g.TESTQ(left, left)
	g.JZ(operand.LabelRef(end))
	whole := g.GP64()
	g.MOVQ(b.times[1], whole)
	g.SUBQ(b.rest, whole)
	g.LEAQ(operand.Mem{Base: b.queries, Index: whole, Scale: 1}, b.q)
	g.LEAQ(operand.Mem{Base: b.rows, Index: whole, Scale: 1}, b.r)
	g.Label(loop)
	for q := range k.queries {
		query, row := g.GP32(), g.GP32()
		for r := range rows {
			to := operand.Mem{Base: b.dst, Disp: 4 * r}
			if q > 0 {
				to.Index, to.Scale = b.stride, 1
			}
			g.MOVBLSX(b.at(b.q, q, 0), query)
			g.MOVBLSX(b.at(b.r, r, 0), row)
			g.IMULL(query, row)
			g.ADDL(row, to)
		}
	}
	g.INCQ(b.q)
	g.INCQ(b.r)
	g.DECQ(left)
	g.JNZ(operand.LabelRef(loop))
	g.Label(end)
}
