package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type generator struct{ *build.Context }

// A kernel computes the inner products of a fixed number of queries with any
// number of rows. What is common to all is in [generator.kernel].
type kernel interface {
	name() string
	queriesAtOnce() int
	types() (element, result string)
	size() int    // bytes of an element
	width() int   // elements that one step of the inner loop takes
	tiles() []int // numbers of rows that a tile may have, descending, the last 1
	ahead() int   // cache lines to prefetch a step

	prepare(g generator, b *block)        // once, before all tiles
	tile(g generator, b *block, rows int) // the scores of as many rows, stored
}

// A block is the state of a kernel that all tiles share.
type block struct {
	kernel
	queries reg.GPVirtual // the first query
	rows    reg.GPVirtual // the first row not yet scored
	dst     reg.GPVirtual // where its score for the first query goes
	stride  reg.GPVirtual // bytes from the score for one query to the next
	n       reg.GPVirtual // rows left
	next    reg.GPVirtual // what to prefetch next, if anything
	advance operand.Op    // bytes that next moves on a step
	steps   reg.GPVirtual // whole steps of the inner loop
	rest    reg.GPVirtual // elements left after them

	// dim and odd multiples of it, in bytes, for addresses.
	times map[int]reg.GPVirtual

	// Only inside a tile: the next step's elements of the first query and row,
	// and the steps left.
	q, r, count reg.GPVirtual
}

// kernel writes one function:
//
//	for each tile of rows { prepare sums; inner loop; rest; add up lanes; store }
func (g generator) kernel(k kernel) {
	element, result := k.types()
	g.Function(k.name())
	g.Attributes(attr.NOSPLIT)
	g.Pragma("noescape")
	signature := "func(dst *%s, queries, rows *%s, dim, n, stride int)"
	if k.ahead() > 0 {
		signature = "func(dst *%s, queries, rows, ahead *%s, dim, n, stride, advance int)"
	}
	g.SignatureExpr(fmt.Sprintf(signature, result, element))
	prefetch := ""
	if k.ahead() > 0 {
		prefetch = fmt.Sprintf(" Each step of %d elements prefetches %d cache lines from ahead, which moves on by advance bytes.", k.width(), k.ahead())
	}
	g.Doc(fmt.Sprintf("%s computes the inner products of %d queries with n rows: those of query i go to dst[i*stride:].", k.name(), k.queriesAtOnce()) + prefetch)

	load := func(name string) reg.GPVirtual {
		return g.Load(g.Param(name), g.GP64()).(reg.GPVirtual)
	}
	b := &block{
		kernel:  k,
		dst:     load("dst"),
		queries: load("queries"),
		rows:    load("rows"),
		n:       load("n"),
		stride:  load("stride"),
		steps:   load("dim"),
		rest:    g.GP64(),
		times:   map[int]reg.GPVirtual{1: g.GP64()},
		q:       g.GP64(),
		r:       g.GP64(),
		count:   g.GP64(),
	}
	if k.ahead() > 0 {
		b.next = load("ahead")
		advance, err := g.Param("advance").Resolve()
		if err != nil {
			panic(err) // it is in the signature above
		}
		b.advance = advance.Addr
	} else if k.tiles()[0] > 1 {
		b.next = g.GP64()
	}
	g.SHLQ(operand.Imm(2), b.stride)
	dim := b.times[1]
	g.MOVQ(b.steps, b.rest)
	g.ANDQ(operand.Imm(uint64(k.width()-1)), b.rest)
	g.MOVQ(b.steps, dim)
	g.SHLQ(operand.Imm(log2(k.size())), dim)
	g.SHRQ(operand.Imm(log2(k.width())), b.steps)
	b.reach(g, max(k.queriesAtOnce(), k.tiles()[0]))
	k.prepare(g, b)

	for _, rows := range k.tiles() {
		loop, next := fmt.Sprintf("rows%d", rows), fmt.Sprintf("fewer%d", rows)
		g.Label(loop)
		g.CMPQ(b.n, operand.Imm(uint64(rows)))
		g.JL(operand.LabelRef(next))
		k.tile(g, b, rows)
		g.ADDQ(operand.Imm(uint64(4*rows)), b.dst)
		for i := rows; i > 0; i -= min(i, 4) {
			g.LEAQ(operand.Mem{Base: b.rows, Index: dim, Scale: uint8(min(i, 4))}, b.rows)
		}
		g.SUBQ(operand.Imm(uint64(rows)), b.n)
		g.JMP(operand.LabelRef(loop))
		g.Label(next)
	}
	g.VZEROUPPER()
	g.RET()
}

// inner writes the loop over the elements: step for each whole step, at some
// bytes from b.q and b.r, and rest for what is left, if anything is, right at
// them. inner moves both on. A kernel of one query and row at a time has so little
// to do in a step that the loop itself would be half of it: there, a turn takes
// two steps.
func (b *block) inner(g generator, rows int, step func(offset int), rest func()) {
	loop, after, end := fmt.Sprintf("steps%d", rows), fmt.Sprintf("rest%d", rows), fmt.Sprintf("add%d", rows)
	count := b.count
	g.MOVQ(b.queries, b.q)
	g.MOVQ(b.rows, b.r)
	g.MOVQ(b.steps, count)
	g.TESTQ(count, count)
	g.JZ(operand.LabelRef(after))
	if rows > 1 && b.queriesAtOnce() == 1 {
		g.MOVQ(b.rows, b.next)
	}
	bytes := b.width() * b.size()
	if b.tiles()[0] == 1 {
		pairs, single := fmt.Sprintf("pairs%d", rows), fmt.Sprintf("single%d", rows)
		g.SUBQ(operand.Imm(2), count)
		g.JL(operand.LabelRef(single))
		g.Label(pairs)
		step(0)
		step(bytes)
		g.ADDQ(operand.Imm(uint64(2*bytes)), b.q)
		g.ADDQ(operand.Imm(uint64(2*bytes)), b.r)
		g.SUBQ(operand.Imm(2), count)
		g.JGE(operand.LabelRef(pairs))
		g.Label(single)
		g.ADDQ(operand.Imm(2), count)
		g.JZ(operand.LabelRef(after))
	}
	g.Label(loop)
	b.prefetch(g, rows)
	step(0)
	g.ADDQ(operand.Imm(uint64(bytes)), b.q)
	g.ADDQ(operand.Imm(uint64(bytes)), b.r)
	g.DECQ(count)
	g.JNZ(operand.LabelRef(loop))
	g.Label(after)
	g.TESTQ(b.rest, b.rest)
	g.JZ(operand.LabelRef(end))
	rest()
	g.Label(end)
}

// prefetch writes what a step fetches into the second-level cache. (Into the
// first, it would be slower than the hardware alone.) A kernel of one query and
// several rows at a time fetches as many lines as it uses, in their order and
// some rows ahead; one of several queries fetches what it is told to. One row
// after the other is what the hardware fetches best by itself.
func (b *block) prefetch(g generator, rows int) {
	const line = 64
	switch {
	case rows == 0: // a loop over the queries alone
	case b.ahead() > 0:
		for i := range b.ahead() {
			g.PREFETCHT1(operand.Mem{Base: b.next, Disp: line * i})
		}
		g.ADDQ(b.advance, b.next)
	case b.queriesAtOnce() > 1:
	case rows == 1:
	default:
		lines := rows * b.width() * b.size() / line
		for i := range lines {
			g.PREFETCHT1(operand.Mem{Base: b.next, Disp: 4096 + line*i})
		}
		g.ADDQ(operand.U32(line*lines), b.next)
	}
}

// at is the address of vector i of the block whose first vector is at base,
// and bytes further.
func (b *block) at(base reg.GPVirtual, i, bytes int) operand.Mem {
	m := operand.Mem{Base: base, Disp: bytes}
	if i == 0 {
		return m
	}
	for scale := 1; scale <= 8; scale *= 2 {
		if x, ok := b.times[i/scale]; ok && i%scale == 0 {
			m.Index, m.Scale = x, uint8(scale)
			return m
		}
	}
	panic(fmt.Sprintf("no register holds an odd part of %d × dim", i))
}

// reach makes vectors up to n (excluded) of a block addressable.
func (b *block) reach(g generator, n int) {
	for i := 3; i < n; i += 2 {
		x := g.GP64()
		g.LEAQ(operand.Mem{Base: b.times[i-2], Index: b.times[1], Scale: 2}, x)
		b.times[i] = x
	}
}

func log2(n int) uint64 {
	var l uint64
	for ; n > 1; n >>= 1 {
		l++
	}
	return l
}
