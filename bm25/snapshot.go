package bm25

import (
	"sync"

	"github.com/prospect-go/prospect/internal/docids"
)

// A Snapshot is the state of an [Index] at one moment. It never changes and
// is safe for any number of goroutines.
type Snapshot struct {
	settings *settings
	formula  formula
	docs     docids.View
	terms    dict
	lists    lists
	lengths  []uint32
	totals   []uint64
	counts   *docCounts
	memory   *memory
}

// Len is the number of documents.
func (s *Snapshot) Len() int { return s.docs.Len() }

// Has says whether a document with the id is there.
func (s *Snapshot) Has(id string) bool {
	_, ok := s.docs.Row(id)
	return ok
}

// Analyzer is the analyzer of the index.
func (s *Snapshot) Analyzer() *Analyzer { return s.settings.analyzer }

// AvgLength is the mean length of the documents' Text in terms, 0 where there
// are none.
func (s *Snapshot) AvgLength() float64 { return s.avgLength(0) }

func (s *Snapshot) avgLength(field int) float64 {
	if s.docs.Len() == 0 {
		return 0
	}
	return float64(s.totals[field]) / float64(s.docs.Len())
}

// width is the number of cells of a row, one for each field.
func (s *Snapshot) width() int { return len(s.settings.fields) }

// cells is the number of cells of the snapshot.
func (s *Snapshot) cells() int { return s.docs.Rows() * s.width() }

// DocFreq is the number of documents that have a term, given as the analyzer
// makes it, in any field. Cost: O(1), or where there are fields, or documents
// have died since the last compaction, one pass over the postings of the term,
// once after each change that deletes or updates, and over new postings.
func (s *Snapshot) DocFreq(term string) int {
	n, ok := s.terms.find(term)
	if !ok {
		return 0
	}
	cells, _ := s.lists.of(n).below(s.cells())
	return s.docFreq(n, cells)
}

func (s *Snapshot) docFreq(term uint32, cells []uint32) int {
	if s.docs.AllLive() && s.width() == 1 {
		return len(cells)
	}
	return s.counts.of(term, cells, uint32(s.width()), s.docs)
}

// docCounts remembers for terms how many live documents they have. It belongs
// to one set of dead rows, which the snapshots between two deletions share:
// documents added meanwhile are alive, and come after those counted before.
type docCounts struct {
	mu sync.Mutex // guards df
	df map[uint32]docCount
}

type docCount struct {
	postings int // that were counted
	docs     int
}

func (d *docCounts) of(term uint32, cells []uint32, width uint32, docs docids.View) int {
	d.mu.Lock()
	c := d.df[term]
	d.mu.Unlock()
	if c.postings == len(cells) {
		return c.docs
	}
	stale := c.postings > len(cells) // a snapshot from before
	if stale {
		c = docCount{}
	}
	// Counted without the lock: two searches may count the same, to the same
	// end. The postings of a document are added together, so that none of the
	// new ones is in a row counted before.
	last := uint32(gone)
	for _, cell := range cells[c.postings:] {
		if row := cell / width; row != last {
			last = row
			if docs.Live(row) {
				c.docs++
			}
		}
	}
	if !stale {
		c.postings = len(cells)
		d.mu.Lock()
		if d.df == nil {
			d.df = make(map[uint32]docCount)
		}
		if d.df[term].postings < c.postings {
			d.df[term] = c
		}
		d.mu.Unlock()
	}
	return c.docs
}

// Len is the number of documents.
func (ix *Index) Len() int { return ix.Snapshot().Len() }

// Has is [Snapshot.Has] of the current state.
func (ix *Index) Has(id string) bool { return ix.Snapshot().Has(id) }

// Analyzer is the analyzer of the index.
func (ix *Index) Analyzer() *Analyzer { return ix.settings.analyzer }
