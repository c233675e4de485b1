package bm25

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/topk"
)

// window is how many rows are scored at a time: 512 KiB of sums, which stay
// in a core's second-level cache.
const window = 1 << 16

// scratch is the memory of a search, kept for the next one.
type scratch struct {
	mentions []mention
	clauses  []clause
	sums     []float64 // zero between searches
	heap     topk.Heap[float64]
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// release gives the scratch back without what it points to.
func (m *scratch) release() {
	clear(m.mentions)
	clear(m.clauses)
	scratches.Put(m)
}

// Search returns the q.K documents with the highest scores for the terms of
// q.Text, best first, as [prospect.Searcher] promises. Hits have a score above
// 0. A term counts as often as the text has it, terms that no document has
// are ignored, and q.Vector is too. Filters apply while scoring, so fewer than
// q.K hits means that there are no more; statistics are those of the whole
// index.
//
// Errors: [prospect.ErrInvalidK] and ctx's error.
//
// Cost: linear in the postings of the query's terms, and a few allocations.
// With q.Within it is about |Within|·log(n) a term instead, where that is
// less.
func (s *Snapshot) Search(ctx context.Context, q prospect.Query) ([]prospect.Hit, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	m := scratches.Get().(*scratch)
	defer m.release()
	s.readText(m, q.Text)
	return s.search(ctx, m, q)
}

// SearchTerms is Search for terms with weights in place of q.Text: a term's
// part of the score is multiplied with its weight. Weights of equal terms add
// up. [Analyzer.Query] makes such terms of a text.
//
// Errors: those of Search, and [prospect.ErrNotFinite] for a weight that is
// negative, not finite or above the largest float32.
func (s *Snapshot) SearchTerms(ctx context.Context, terms []QueryTerm, q prospect.Query) ([]prospect.Hit, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	m := scratches.Get().(*scratch)
	defer m.release()
	if err := s.readTerms(m, terms); err != nil {
		return nil, err
	}
	return s.search(ctx, m, q)
}

// search ranks by m.clauses.
func (s *Snapshot) search(ctx context.Context, m *scratch, q prospect.Query) ([]prospect.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.heap.Reset(q.K)
	var err error
	switch {
	case len(m.clauses) == 0:
	case q.Within != nil:
		err = s.rankRows(ctx, m, q)
	default:
		err = s.rankAll(ctx, m, q.Keep)
	}
	if err != nil {
		return nil, err
	}
	best := m.heap.Sorted()
	hits := make([]prospect.Hit, len(best))
	for i, item := range best {
		hits[i] = prospect.Hit{ID: s.docs.ID(item.Row), Score: item.Score}
	}
	return hits, nil
}

// offer pushes a row unless it cannot enter or is filtered out.
func (s *Snapshot) offer(m *scratch, row uint32, score float64, keep func(string) bool) {
	item := topk.Item[float64]{Score: score, Seq: s.docs.Seq(row), Row: row}
	if m.heap.Full() && topk.Compare(item, m.heap.Worst()) >= 0 {
		return
	}
	if !s.docs.Live(row) || keep != nil && !keep(s.docs.ID(row)) {
		return
	}
	m.heap.Push(item)
}

// rankAll sums term by term over windows of rows.
func (s *Snapshot) rankAll(ctx context.Context, m *scratch, keep func(string) bool) error {
	n := s.docs.Rows()
	sums := m.sums
	m.sums = nil // until they are zero again: keep may panic
	if size := min(n, window); cap(sums) < size {
		sums = make([]float64, size)
	}
	sums = sums[:min(n, window)]
	s.memory.learn(s, m.clauses)
	floor := 0.0 // only scores above it may enter
	for from := 0; from < n; from += window {
		if err := ctx.Err(); err != nil {
			return err
		}
		in := sums[:min(window, n-from)]
		for i := range m.clauses {
			s.addWindow(in, uint32(from), &m.clauses[i])
		}
		for i, score := range in {
			if score > floor {
				s.offer(m, uint32(from+i), score, keep)
				if m.heap.Full() {
					// An equal score may still enter: an updated document stands before
					// those that were added after it.
					floor = math.Nextafter(m.heap.Worst().Score, 0)
				}
			}
		}
		clear(in)
	}
	m.sums = sums
	return nil
}

// addWindow adds what a clause gives to the rows of a window, and moves the
// clause past it.
func (s *Snapshot) addWindow(sums []float64, from uint32, c *clause) {
	if c.parts != nil {
		rows := upTo(c.rows, int(from)+len(sums), s.docs.Rows())
		parts := c.parts[:len(rows)]
		c.rows, c.parts = c.rows[len(rows):], c.parts[len(rows):]
		addImpacts(sums, from, c.factor, c.bonus, rows, parts)
		return
	}
	width := s.width()
	cells := upTo(c.cells, (int(from)+len(sums))*width, s.cells())
	tfs := c.tfs[:len(cells)]
	c.cells, c.tfs = c.cells[len(cells):], c.tfs[len(cells):]
	f := &s.formula
	if f.alpha == 0 && f.plus == 0 && width == 1 {
		// What is below, bit for bit, without what adds nothing.
		lengths := s.lengths[from:][:len(sums)]
		norm, beta, factor := f.fields[0], f.beta, c.factor
		for i, row := range cells {
			at := int(row - from)
			tf := float64(tfs[i])
			l := norm.fixed + float64(norm.slope*float64(lengths[at]))
			sums[at] += float64(factor * (tf / (tf + float64(beta*l))))
		}
		return
	}
	for at := 0; at < len(cells); {
		part, n := f.part(cells[at:], tfs[at:], s.lengths)
		sums[cells[at]/uint32(width)-from] += c.score(part)
		at += n
	}
}

func addImpacts(sums []float64, from uint32, factor, bonus float64, rows []uint32, parts []float64) {
	parts = parts[:len(rows)]
	if bonus == 0 {
		for i, row := range rows {
			sums[row-from] += float64(factor * parts[i])
		}
		return
	}
	for i, row := range rows {
		sums[row-from] += float64(factor*parts[i]) + bonus
	}
}

// upTo is the start of ascending numbers that is below limit, all of them
// where that is the end.
func upTo(numbers []uint32, limit, end int) []uint32 {
	if limit >= end {
		return numbers
	}
	at, _ := slices.BinarySearch(numbers, uint32(limit))
	return numbers[:at]
}
