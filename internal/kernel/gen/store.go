package main

import "github.com/mmcloughlin/avo/operand"

// store16 adds up the 16 lanes of each sum and stores the results, of one row
// or a multiple of four. Four queries by four rows share the instructions,
// each score in a lane of its own.
func (b *block) store16(g generator, add adder, t tile) {
	g.MOVQ(b.dst, b.q) // the inner loop is over
	for first := 0; first < len(t.sums); first += 4 {
		group := t.sums[first:min(first+4, len(t.sums))]
		as := asZ // a query a 128-bit lane
		switch len(group) {
		case 1:
			as = asX
		case 2:
			as = asY
		}
		for r := 0; r+4 <= len(group[0]); r += 4 {
			for i := r; i < r+4; i++ {
				addQueries(g, add, group, i, t.other)
			}
			v := group[0][r : r+4]
			half4(g, add, as, v[0], v[1], t.other)
			half4(g, add, as, v[2], v[3], t.other)
			half2(g, add, as, v[0], v[2], t.other)
		}
		for q := range group {
			b.nextQuery(g, first+q)
			if len(group[q]) == 1 {
				v := group[q][0]
				half16(g, add, v, t.other)
				half8(g, add, v, t.other)
				b.storeOne(g, add, v, t.other)
				continue
			}
			for r := 0; r < len(group[q]); r += 4 {
				v, to := group[0][r], operand.Mem{Base: b.q, Disp: 4 * r}
				if q == 0 {
					g.VMOVUPS(v.AsX(), to)
				} else if len(group) == 2 {
					g.VEXTRACTF32X4(operand.Imm(1), v.AsY(), to)
				} else {
					g.VEXTRACTF32X4(operand.Imm(uint64(q)), v.AsZ(), to)
				}
			}
		}
	}
}

// addQueries adds the 16 lanes of row r up to four for each query: the first
// query's register gets all, a query a 128-bit lane.
func addQueries(g generator, add adder, group [][]vec, r int, scratch vec) {
	v := group[0][r]
	switch len(group) {
	case 1:
		half16(g, add, v, scratch)
		half8(g, add, v, scratch)
	case 2:
		pair256(g, add, v, group[1][r], scratch)
		quad128(g, add, v, v, scratch)
	default:
		w := group[2][r]
		pair256(g, add, v, group[1][r], scratch)
		pair256(g, add, w, group[len(group)-1][r], scratch)
		quad128(g, add, v, w, scratch)
	}
}

// storeOne adds up four lanes and stores the result.
func (b *block) storeOne(g generator, add adder, v, scratch vec) {
	half4(g, add, asX, v, v, scratch)
	half2(g, add, asX, v, v, scratch)
	g.VMOVSS(v.AsX(), operand.Mem{Base: b.q})
}

// store8 is store16 for 8 lanes, of up to three queries by one or two rows, or
// any number by four.
func (b *block) store8(g generator, add adder, t tile) {
	g.MOVQ(b.dst, b.q) // the inner loop is over
	to := operand.Mem{Base: b.q}
	switch len(t.sums[0]) {
	case 1:
		for q, v := range t.sums {
			b.nextQuery(g, q)
			half8(g, add, v[0], t.other)
			b.storeOne(g, add, v[0], t.other)
		}
	case 2:
		for _, v := range t.sums {
			pair128(g, add, v[0], v[1], t.other) // a row a lane
		}
		v, w := t.sums[0][0], t.sums[len(t.sums)-1][0]
		half4(g, add, asY, v, t.sums[min(1, len(t.sums)-1)][0], t.other)
		if len(t.sums) > 2 {
			half4(g, add, asY, w, w, t.other)
		} else {
			w = v
		}
		half2(g, add, asY, v, w, t.other) // queries 0, 1, 2, 2
		upper := t.other
		g.VEXTRACTF128(operand.Imm(1), v.AsY(), upper.AsX())
		low := t.sums[0][1]
		g.VUNPCKLPS(upper.AsX(), v.AsX(), low.AsX()) // rows 0, 1 of query 0, of query 1
		g.VMOVLPS(low.AsX(), to)
		if len(t.sums) > 1 {
			b.nextQuery(g, 1)
			g.VMOVHPS(low.AsX(), to)
		}
		if len(t.sums) > 2 {
			b.nextQuery(g, 2)
			g.VUNPCKHPS(upper.AsX(), v.AsX(), low.AsX())
			g.VMOVLPS(low.AsX(), to)
		}
	case 4:
		for q, v := range t.sums {
			b.nextQuery(g, q)
			pair128(g, add, v[0], v[1], t.other)
			pair128(g, add, v[2], v[3], t.other)
			half4(g, add, asY, v[0], v[2], t.other)
			half2(g, add, asY, v[0], v[0], t.other) // rows 0, 2, and above them 1, 3
			g.VEXTRACTF128(operand.Imm(1), v[0].AsY(), t.other.AsX())
			g.VUNPCKLPS(t.other.AsX(), v[0].AsX(), v[0].AsX())
			g.VMOVUPS(v[0].AsX(), to)
		}
	}
}

// nextQuery moves b.q, where results go, on to query q.
func (b *block) nextQuery(g generator, q int) {
	if q > 0 {
		g.ADDQ(b.stride, b.q)
	}
}
