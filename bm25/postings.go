package bm25

import (
	"slices"
	"sync/atomic"
)

// maxTF is how often a term counts in one document at most. Beyond it the
// frequency part of a score moves by less than 2·10⁻⁵ of itself with the
// usual parameters, and two bytes a posting are enough.
const maxTF = 1<<16 - 1

// A run is the storage of the postings of a term: the cells that have it,
// ascending, and how often. Both slices have the same length, the capacity.
//
// A cell is a field of a row: with n fields (n is 1 for Text alone) field f of
// a row has the number row·n + f. So an index of one field pays nothing for
// there being fields, and a document one posting for each field that has the
// term.
type run struct {
	cells []uint32
	tfs   []uint16
}

// A list is the postings of one term.
//
// Invariant: postings are appended in order of cells and never change; n grows
// after the posting is in place, and run is replaced, by a larger copy, before
// n exceeds the old one's capacity. So a reader that loads n first finds n
// postings in whatever run it then loads, and cuts at its own number of cells.
type list struct {
	run atomic.Pointer[run]
	n   atomic.Uint32
}

// lists holds the list of each term by its number, in blocks that never move.
type lists []*[listBlock]list

const listBlock = 1 << 10

func (l lists) of(term uint32) *list { return &l[term/listBlock][term%listBlock] }

// extend makes room for n terms.
func (l *lists) extend(n int) {
	for len(*l)*listBlock < n {
		*l = append(*l, new([listBlock]list))
	}
}

// below returns the postings in cells below limit.
func (l *list) below(limit int) (cells []uint32, tfs []uint16) {
	n := l.n.Load()
	if n == 0 {
		return nil, nil
	}
	r := l.run.Load()
	cells = r.cells[:n]
	if int(cells[n-1]) >= limit {
		at, _ := slices.BinarySearch(cells, uint32(limit))
		cells = cells[:at]
	}
	return cells, r.tfs[:len(cells)]
}

// append adds a posting, for which there must be room.
func (l *list) append(cell uint32, tf uint16) {
	n := l.n.Load()
	r := l.run.Load()
	r.cells[n], r.tfs[n] = cell, tf
	l.n.Store(n + 1)
}

// A store hands out runs. Short ones are cut from common slabs, because most
// terms are in one or two documents.
type store struct {
	cells []uint32
	tfs   []uint16
	runs  []run
}

const slab = 1 << 12

func (s *store) run(n int) *run {
	if len(s.runs) == 0 {
		s.runs = make([]run, 256)
	}
	r := &s.runs[0]
	s.runs = s.runs[1:]
	if n > slab/8 {
		r.cells, r.tfs = make([]uint32, n), make([]uint16, n)
		return r
	}
	if len(s.cells) < n {
		s.cells, s.tfs = make([]uint32, slab), make([]uint16, slab)
	}
	r.cells, s.cells = s.cells[:n:n], s.cells[n:]
	r.tfs, s.tfs = s.tfs[:n:n], s.tfs[n:]
	return r
}

// reserve makes room for more postings. A list that grows again and again
// gets a quarter more than it needs, which keeps a posting below 8 bytes.
func (l *list) reserve(more int, s *store) {
	n := int(l.n.Load())
	old := l.run.Load()
	if old != nil && len(old.cells) >= n+more {
		return
	}
	need := n + more
	if n > 0 {
		need += need / 4
	}
	r := s.run(need)
	if old != nil {
		copy(r.cells, old.cells[:n])
		copy(r.tfs, old.tfs[:n])
	}
	l.run.Store(r)
}
