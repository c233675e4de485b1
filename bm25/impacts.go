package bm25

import "sync"

// Impacts are the fractions of a term's postings (see formula), one for each
// row that has the term. With them a search adds up products where it would
// divide; scores are the same bit for bit.
type impacts struct {
	rows  []uint32 // shared with the postings where there is one field
	parts []float64
}

// minImpacts is how many postings a term must have for its impacts to be kept.
// For fewer, looking them up costs about what computing them does.
const minImpacts = 128

// An impactCache keeps the impacts of terms that were asked for twice, as long
// as there is room. It belongs to one snapshot: any change of the documents
// moves the mean length, on which all impacts depend.
type impactCache struct {
	mu    sync.RWMutex
	terms map[uint32]*impacts // nil for a term asked for once, without rows while they are made or where there was no room
	room  int                 // postings
}

// attach gives impacts to the clauses whose terms have them, and makes some.
func (c *impactCache) attach(s *Snapshot, clauses []clause) {
	missing := false
	c.mu.RLock()
	for i := range clauses {
		if q := &clauses[i]; len(q.cells) >= minImpacts {
			if im := c.terms[q.number]; im != nil {
				q.impacts = *im
			} else {
				missing = true
			}
		}
	}
	full := c.room < minImpacts
	c.mu.RUnlock()
	if !missing || full {
		return
	}
	for i := range clauses {
		q := &clauses[i]
		if len(q.cells) < minImpacts || q.parts != nil || !c.claim(q) {
			continue
		}
		q.impacts = s.impactsOf(q)
		done := q.impacts
		c.mu.Lock()
		c.terms[q.number] = &done
		c.mu.Unlock()
	}
}

// claim says whether the caller shall make the impacts of a term.
func (c *impactCache) claim(q *clause) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.terms == nil {
		c.terms = make(map[uint32]*impacts)
	}
	im, asked := c.terms[q.number]
	if !asked {
		c.terms[q.number] = nil
		return false
	}
	if im != nil {
		return false
	}
	c.terms[q.number] = &impacts{} // for good where there is no room
	if len(q.cells) > c.room {
		return false
	}
	c.room -= len(q.cells)
	return true
}

func (s *Snapshot) impactsOf(q *clause) impacts {
	im := impacts{rows: q.cells, parts: make([]float64, 0, len(q.cells))}
	width := uint32(s.width())
	if width > 1 {
		im.rows = make([]uint32, 0, q.df) // df leaves out dead rows: it may grow
	}
	for at := 0; at < len(q.cells); {
		part, n := s.formula.part(q.cells[at:], q.tfs[at:], s.lengths)
		im.parts = append(im.parts, part)
		if width > 1 {
			im.rows = append(im.rows, q.cells[at]/width)
		}
		at += n
	}
	return im
}
