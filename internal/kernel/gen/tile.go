package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A vec is a vector register. They are handed out by hand, which keeps the
// assembly easy to follow.
type vec = reg.VecPhysical

// vectors are those that AVX2 can use; AVX-512 has the other 16 as well.
var (
	vectors = []vec{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
	}
	vectors512 = append(vectors[:16:16],
		reg.Y16, reg.Y17, reg.Y18, reg.Y19, reg.Y20, reg.Y21, reg.Y22, reg.Y23,
		reg.Y24, reg.Y25, reg.Y26, reg.Y27, reg.Y28, reg.Y29, reg.Y30, reg.Y31)
)

// A view is how much of a register an instruction works on.
type view func(v vec) reg.Register

func asX(v vec) reg.Register { return v.AsX() }
func asY(v vec) reg.Register { return v.AsY() }
func asZ(v vec) reg.Register { return v.AsZ() }

// A tile holds in registers the sums of some queries by some rows. In each
// step the fewer of the two are loaded once and kept, and the others one after
// the other.
type tile struct {
	sums  [][]vec // [query][row]
	kept  []vec
	other vec   // also free for use after the loop
	free  []vec // for masks and constants
}

// newTile hands out registers, sets of them for sums: as kept and other serve
// them all, those of set i+1 follow those of set i.
func newTile(registers []vec, queries, rows, sets int) []tile {
	take := func(n int) []vec {
		taken := registers[:n:n]
		registers = registers[n:]
		return taken
	}
	tiles := make([]tile, sets)
	for i := range tiles {
		for range queries {
			tiles[i].sums = append(tiles[i].sums, take(rows))
		}
	}
	kept, other := take(min(queries, rows)), take(1)[0]
	for i := range tiles {
		tiles[i].kept, tiles[i].other, tiles[i].free = kept, other, registers
	}
	return tiles
}

// zero clears the sums.
func (t tile) zero(g generator, as view) {
	for _, sums := range t.sums {
		for _, v := range sums {
			g.VXORPS(as(v), as(v), as(v))
		}
	}
}

// A loader loads the elements at m.
type loader func(m operand.Mem, v vec)

// step loads the elements at offset bytes after the current ones of all
// queries and rows, and has add add their products to the sums.
func (t tile) step(b *block, offset int, query, row loader, add func(query, row, sum vec)) {
	if len(t.sums) < len(t.sums[0]) {
		for q := range t.sums {
			query(b.at(b.q, q, offset), t.kept[q])
		}
		for r := range t.sums[0] {
			row(b.at(b.r, r, offset), t.other)
			for q := range t.sums {
				add(t.kept[q], t.other, t.sums[q][r])
			}
		}
		return
	}
	for r := range t.sums[0] {
		row(b.at(b.r, r, offset), t.kept[r])
	}
	for q := range t.sums {
		query(b.at(b.q, q, offset), t.other)
		for r := range t.sums[q] {
			add(t.other, t.kept[r], t.sums[q][r])
		}
	}
}
