package bm25

import (
	"sync"
	"sync/atomic"
)

// A known term is a term with all that a search needs of it in one place:
// found by one look-up, where the index's own way touches the memory of the
// dictionary, the term, its list and its postings, which is seldom in a cache.
//
// Its impacts are the fractions of its postings (see formula), one for each
// row that has the term. With them a search adds up products where it would
// divide; scores are the same bit for bit.
type known struct {
	term   string
	number uint32
	df     int
	idf    float64
	cells  []uint32
	tfs    []uint16
	rows   []uint32 // the cells where there is one field
	parts  []float64
}

// termCost is what a known term takes of the room for impacts besides its
// postings.
const termCost = 32

// A memory keeps what searches ask for again and again, from the second time
// on and as long as there is room. It belongs to one snapshot: any change of
// the documents moves the mean length, on which all impacts depend.
//
// Reading takes no lock: terms is replaced now and then by a larger copy.
type memory struct {
	terms atomic.Pointer[map[string]*known]
	full  atomic.Bool

	mu    sync.Mutex      // guards what follows
	asked map[uint32]bool // by number of the term: asked for twice
	fresh []*known        // not in terms yet
	late  int             // searches since terms was replaced that it lacked something for
	room  int             // for postings
}

func newMemory(room int) *memory {
	m := &memory{asked: make(map[uint32]bool), room: room}
	m.terms.Store(&map[string]*known{})
	m.full.Store(room < termCost)
	return m
}

// learn looks at the clauses of a search whose terms are not known.
func (m *memory) learn(s *Snapshot, clauses []clause) {
	if m.full.Load() {
		return
	}
	unknown := 0
	for i := range clauses {
		if clauses[i].parts == nil {
			unknown++
		}
	}
	if unknown == 0 {
		return
	}
	var fresh []*known
	for _, i := range m.choose(clauses) {
		c := &clauses[i]
		k := s.know(c)
		c.rows, c.parts = k.rows, k.parts
		fresh = append(fresh, k)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fresh = append(m.fresh, fresh...)
	m.late++
	full := m.room < termCost
	old := *m.terms.Load()
	// A copy for every so many searches costs each of them little.
	if len(m.fresh) > 0 && (full || 8*m.late >= len(old)) {
		larger := make(map[string]*known, len(old)+len(m.fresh))
		for term, k := range old {
			larger[term] = k
		}
		for _, k := range m.fresh {
			larger[k.term] = k
		}
		m.terms.Store(&larger)
		m.fresh, m.late = nil, 0
	}
	m.full.Store(full)
}

// choose picks the clauses whose terms the caller shall make known.
func (m *memory) choose(clauses []clause) (chosen []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range clauses {
		c := &clauses[i]
		if c.parts != nil {
			continue
		}
		twice, asked := m.asked[c.number]
		m.asked[c.number] = asked
		if cost := len(c.cells) + termCost; asked && !twice && cost <= m.room {
			m.room -= cost
			chosen = append(chosen, i)
		}
	}
	return chosen
}

func (s *Snapshot) know(c *clause) *known {
	k := &known{
		term: c.term, number: c.number, df: c.df, idf: c.idf, cells: c.cells, tfs: c.tfs,
		rows: c.cells, parts: make([]float64, 0, len(c.cells)),
	}
	width := uint32(s.width())
	if width > 1 {
		k.rows = make([]uint32, 0, c.df) // it grows where rows are dead
	}
	for at := 0; at < len(c.cells); {
		part, n := s.formula.part(c.cells[at:], c.tfs[at:], s.lengths)
		k.parts = append(k.parts, part)
		if width > 1 {
			k.rows = append(k.rows, c.cells[at]/width)
		}
		at += n
	}
	return k
}
