package bm25

import (
	"slices"
	"sync/atomic"
)

// maxTF is how often a term counts in one document at most. Beyond it the
// frequency part of a score moves by less than 2·10⁻⁵ of itself with the
// usual parameters, and two bytes a posting are enough.
const maxTF = 1<<16 - 1

// A run is the storage of the postings of a term: the rows that have it,
// ascending, and how often. Both slices have the same length, the capacity.
type run struct {
	rows []uint32
	tfs  []uint16
}

// A list is the postings of one term.
//
// Invariant: postings are appended in order of rows and never change; n grows
// after the posting is in place, and run is replaced, by a larger copy, before
// n exceeds the old one's capacity. So a reader that loads n first finds n
// postings in whatever run it then loads, and cuts at its own number of rows.
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

// below returns the postings in rows below limit.
func (l *list) below(limit int) (rows []uint32, tfs []uint16) {
	n := l.n.Load()
	if n == 0 {
		return nil, nil
	}
	r := l.run.Load()
	rows = r.rows[:n]
	if int(rows[n-1]) >= limit {
		at, _ := slices.BinarySearch(rows, uint32(limit))
		rows = rows[:at]
	}
	return rows, r.tfs[:len(rows)]
}

// append adds a posting, for which there must be room.
func (l *list) append(row uint32, tf uint16) {
	n := l.n.Load()
	r := l.run.Load()
	r.rows[n], r.tfs[n] = row, tf
	l.n.Store(n + 1)
}

// A store hands out runs. Short ones are cut from common slabs, because most
// terms are in one or two documents.
type store struct {
	rows []uint32
	tfs  []uint16
	runs []run
}

const slab = 1 << 12

func (s *store) run(n int) *run {
	if len(s.runs) == 0 {
		s.runs = make([]run, 256)
	}
	r := &s.runs[0]
	s.runs = s.runs[1:]
	if n > slab/8 {
		r.rows, r.tfs = make([]uint32, n), make([]uint16, n)
		return r
	}
	if len(s.rows) < n {
		s.rows, s.tfs = make([]uint32, slab), make([]uint16, slab)
	}
	r.rows, s.rows = s.rows[:n:n], s.rows[n:]
	r.tfs, s.tfs = s.tfs[:n:n], s.tfs[n:]
	return r
}

// reserve makes room for more postings. A list that grows again and again
// gets a quarter more than it needs, which keeps a posting below 8 bytes.
func (l *list) reserve(more int, s *store) {
	n := int(l.n.Load())
	old := l.run.Load()
	if old != nil && len(old.rows) >= n+more {
		return
	}
	need := n + more
	if n > 0 {
		need += need / 4
	}
	r := s.run(need)
	if old != nil {
		copy(r.rows, old.rows[:n])
		copy(r.tfs, old.tfs[:n])
	}
	l.run.Store(r)
}
