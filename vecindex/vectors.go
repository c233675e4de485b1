package vecindex

import (
	"math"

	"github.com/prospect-go/prospect"
)

// maxVectors bounds the vectors of an index, as docids bounds its rows.
const maxVectors = math.MaxUint32 - 1

// vectors are the unit vectors of a docids table: those of a row lie one
// after the other, and those of a row after those of the row before it. A copy
// of the struct is a snapshot's, as with blocks.
type vectors struct {
	n    int // how many
	unit blocks[float32]
	// starts has, by row, the number of its first vector, and at its end n. It
	// is nil while every row has one vector.
	starts []uint32
	codes  *codes // nil unless quantised
}

func newVectors(dim int, quantise bool) vectors {
	v := vectors{unit: newBlocks[float32](dim)}
	if quantise {
		v.codes = newCodes(dim)
	}
	return v
}

// first is the number of a row's first vector; the first of the row after it
// is where its vectors end.
func (v *vectors) first(row uint32) uint32 {
	if v.starts == nil {
		return row
	}
	return v.starts[row]
}

// count is how many vectors a row has.
func (v *vectors) count(row uint32) int { return int(v.first(row+1) - v.first(row)) }

// room makes room for n more vectors.
func (v *vectors) room(n int) error {
	if uint64(v.n)+uint64(n) > maxVectors {
		return prospect.ErrFull
	}
	v.unit.extend(v.n + n)
	if v.codes != nil {
		v.codes = v.codes.extended(v.n + n)
	}
	return nil
}

// append adds a row; there must be room. fill sets the i-th of its n vectors.
func (v *vectors) append(rows, n int, fill func(i int, dst []float32)) {
	if n != 1 && v.starts == nil {
		v.starts = make([]uint32, rows+1)
		for i := range v.starts {
			v.starts[i] = uint32(i)
		}
	}
	for i := range n {
		at := uint32(v.n + i)
		fill(i, v.unit.at(at))
		if v.codes != nil {
			v.codes.set(at, v.unit.at(at))
		}
	}
	v.n += n
	if v.starts != nil {
		v.starts = append(v.starts, uint32(v.n))
	}
}

// compacted returns the vectors of some rows alone.
func (v *vectors) compacted(rows []uint32) vectors {
	c := newVectors(v.unit.dim, v.codes != nil)
	total := 0
	for _, row := range rows {
		total += v.count(row)
	}
	_ = c.room(total) // there are no more than v has
	for i, row := range rows {
		from := v.first(row)
		c.append(i, v.count(row), func(j int, dst []float32) {
			copy(dst, v.unit.at(from+uint32(j)))
		})
	}
	return c
}
