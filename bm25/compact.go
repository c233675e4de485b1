package bm25

import (
	"slices"

	"github.com/prospect-go/prospect/internal/docids"
)

// minDead is the number of dead rows below which compacting by itself is not
// worth a copy of the index.
const minDead = 1024

// Compact frees the rows of deleted and updated documents and forgets terms
// that no document has any more. Scores stay as they are, bit for bit.
// Searches go on; snapshots taken before keep the old rows until they are let
// go. Cost: one copy of the index.
func (ix *Index) Compact() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.gen.docs.Dead() > 0 {
		ix.compact()
		ix.publish()
	}
}

// compact replaces the generation; the caller holds mu and publishes.
func (ix *Index) compact() {
	old := ix.gen
	width := len(old.totals)
	g := &generation{terms: newDict(len(old.terms.terms)), totals: slices.Clone(old.totals), counts: &docCounts{}}
	var from []uint32
	g.docs, from = old.docs.Compacted()
	g.lengths = make([]uint32, 0, len(from)*width)
	for _, row := range from {
		g.lengths = append(g.lengths, old.lengths[int(row)*width:][:width]...)
	}
	m := newRenumbering(from, old.docs, width)
	for n, term := range old.terms.terms {
		cells, tfs := m.postings(old.lists.of(uint32(n)), len(old.lengths))
		if len(cells) > 0 {
			g.addList(term, cells, tfs)
		}
	}
	ix.gen = g
}

// addList adds a term that is not there with its postings, which are copied.
func (g *generation) addList(term string, cells []uint32, tfs []uint16) {
	n := g.terms.number(term)
	g.lists.extend(len(g.terms.terms))
	r := g.store.run(len(cells))
	copy(r.cells, cells)
	copy(r.tfs, tfs)
	l := g.lists.of(n)
	l.run.Store(r)
	l.n.Store(uint32(len(cells)))
	g.fresh = append(g.fresh, 0)
}

// A renumbering maps postings to the cells that live documents have once the
// dead are gone and all stand in order of first insertion.
type renumbering struct {
	to     []uint32 // by old row; gone for a dead one
	width  uint32   // cells of a row
	sorted bool     // live rows keep their order
	cells  []uint32
	tfs    []uint16
}

const gone = 1<<32 - 1

// rowCount is a table or a view of one.
type rowCount interface{ Rows() int }

var (
	_ rowCount = (*docids.Table)(nil)
	_ rowCount = docids.View{}
)

// newRenumbering takes for each new row the old one.
func newRenumbering(from []uint32, docs rowCount, width int) *renumbering {
	m := &renumbering{to: slices.Repeat([]uint32{gone}, docs.Rows()), width: uint32(width), sorted: slices.IsSorted(from)}
	for to, row := range from {
		m.to[row] = uint32(to)
	}
	return m
}

// postings returns the renumbered postings of a list, ascending, valid until
// the next call.
func (m *renumbering) postings(l *list, limit int) ([]uint32, []uint16) {
	cells, tfs := l.below(limit)
	m.cells, m.tfs = m.cells[:0], m.tfs[:0]
	for i, cell := range cells {
		row := cell / m.width
		if to := m.to[row]; to != gone {
			m.cells = append(m.cells, to*m.width+cell-row*m.width)
			m.tfs = append(m.tfs, tfs[i])
		}
	}
	if !m.sorted && !slices.IsSorted(m.cells) {
		m.sort()
	}
	return m.cells, m.tfs
}

func (m *renumbering) sort() {
	pairs := make([]uint64, len(m.cells))
	for i, cell := range m.cells {
		pairs[i] = uint64(cell)<<16 | uint64(m.tfs[i])
	}
	slices.Sort(pairs)
	for i, p := range pairs {
		m.cells[i], m.tfs[i] = uint32(p>>16), uint16(p)
	}
}
