package main

import "github.com/mmcloughlin/avo/operand"

// An adder is VADDPS or VPADDD. Adding up lanes is the same for both: always
// in halves, lane l with l+8 where there are 16, l with l+4, l with l+2, and
// the last two. The functions below overwrite their first register with the
// result, and the scratch register.
type adder func(ops ...operand.Op)

// half16 adds the upper 8 of 16 lanes to the lower.
func half16(g generator, add adder, v, scratch vec) {
	g.VEXTRACTF64X4(operand.Imm(1), v.AsZ(), scratch.AsY())
	add(scratch.AsY(), v.AsY(), v.AsY())
}

// half8 adds the upper 4 of 8 lanes to the lower.
func half8(g generator, add adder, v, scratch vec) {
	if v.PhysicalIndex() < 16 {
		g.VEXTRACTF128(operand.Imm(1), v.AsY(), scratch.AsX())
	} else {
		g.VEXTRACTF32X4(operand.Imm(1), v.AsY(), scratch.AsX())
	}
	add(scratch.AsX(), v.AsX(), v.AsX())
}

// half4 makes v, in each 128-bit lane, v0+v2, v1+v3, w0+w2, w1+w3. w may be v.
func half4(g generator, add adder, as view, v, w, scratch vec) {
	g.VUNPCKLPD(as(w), as(v), as(scratch))
	g.VUNPCKHPD(as(w), as(v), as(v))
	add(as(scratch), as(v), as(v))
}

// half2 makes v, in each 128-bit lane, v0+v1, v2+v3, w0+w1, w2+w3. w may be v.
func half2(g generator, add adder, as view, v, w, scratch vec) {
	g.VSHUFPS(operand.Imm(0x88), as(w), as(v), as(scratch))
	g.VSHUFPS(operand.Imm(0xdd), as(w), as(v), as(v))
	add(as(scratch), as(v), as(v))
}

// pair256 makes v the halves of v added, and above them those of w. w may be v.
func pair256(g generator, add adder, v, w, scratch vec) {
	g.VSHUFF32X4(operand.Imm(0x44), w.AsZ(), v.AsZ(), scratch.AsZ())
	g.VSHUFF32X4(operand.Imm(0xee), w.AsZ(), v.AsZ(), v.AsZ())
	add(scratch.AsZ(), v.AsZ(), v.AsZ())
}

// quad128 makes v, in 128-bit lanes, v0+v1, v2+v3, w0+w1, w2+w3. w may be v.
func quad128(g generator, add adder, v, w, scratch vec) {
	g.VSHUFF32X4(operand.Imm(0x88), w.AsZ(), v.AsZ(), scratch.AsZ())
	g.VSHUFF32X4(operand.Imm(0xdd), w.AsZ(), v.AsZ(), v.AsZ())
	add(scratch.AsZ(), v.AsZ(), v.AsZ())
}

// pair128 makes v, of 256 bits, the halves of v added, and above them those of
// w. w may be v.
func pair128(g generator, add adder, v, w, scratch vec) {
	g.VPERM2F128(operand.Imm(0x20), w.AsY(), v.AsY(), scratch.AsY())
	g.VPERM2F128(operand.Imm(0x31), w.AsY(), v.AsY(), v.AsY())
	add(scratch.AsY(), v.AsY(), v.AsY())
}
