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
	total    uint64
	dead     *deadCounts
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

// AvgLength is the mean length of the documents in terms, 0 where there are
// none.
func (s *Snapshot) AvgLength() float64 {
	if s.docs.Len() == 0 {
		return 0
	}
	return float64(s.total) / float64(s.docs.Len())
}

// DocFreq is the number of documents that have a term, given as the analyzer
// makes it. Cost: O(1), or one pass over the postings of the term where
// documents have died since the last compaction, once for each change that
// deletes or updates.
func (s *Snapshot) DocFreq(term string) int {
	n, ok := s.terms.find(term)
	if !ok {
		return 0
	}
	rows, _ := s.lists.of(n).below(s.docs.Rows())
	return s.docFreq(n, rows)
}

func (s *Snapshot) docFreq(term uint32, rows []uint32) int {
	if s.docs.AllLive() {
		return len(rows)
	}
	return len(rows) - s.dead.of(term, rows, s.docs)
}

// deadCounts remembers for terms how many of their postings are in dead rows.
// It belongs to one set of dead rows, which the snapshots between two
// deletions share: rows added meanwhile are alive and change no count.
type deadCounts struct {
	mu     sync.Mutex // guards counts
	counts map[uint32]int
}

func (d *deadCounts) of(term uint32, rows []uint32, docs docids.View) int {
	d.mu.Lock()
	n, ok := d.counts[term]
	d.mu.Unlock()
	if ok {
		return n
	}
	// Counted without the lock: two searches may count the same, to the same end.
	for _, row := range rows {
		if !docs.Live(row) {
			n++
		}
	}
	d.mu.Lock()
	if d.counts == nil {
		d.counts = make(map[uint32]int)
	}
	d.counts[term] = n
	d.mu.Unlock()
	return n
}

// Len is the number of documents.
func (ix *Index) Len() int { return ix.Snapshot().Len() }

// Has is [Snapshot.Has] of the current state.
func (ix *Index) Has(id string) bool { return ix.Snapshot().Has(id) }

// Analyzer is the analyzer of the index.
func (ix *Index) Analyzer() *Analyzer { return ix.settings.analyzer }
