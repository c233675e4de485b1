package bm25

import (
	"context"
	"slices"

	"github.com/prospect-go/prospect"
)

// Scores returns the score of each of the documents for the terms of a text,
// in the order of ids: bit for bit what Search gives, with the statistics of
// the whole index, and 0 for a document that has no term of the text. An id
// may come twice.
//
// Errors: [prospect.ErrNotFound] in a [*prospect.IDError] for the first
// unknown id; ctx's error.
//
// Cost: about len(ids)·log(n) for each distinct term.
func (s *Snapshot) Scores(ctx context.Context, text string, ids []string) ([]float64, error) {
	m := scratches.Get().(*scratch)
	defer m.release()
	s.readText(m, text)
	return s.scores(ctx, m.clauses, ids)
}

// ScoresTerms is Scores for terms with weights, as in [Snapshot.SearchTerms],
// whose error for weights it has too.
func (s *Snapshot) ScoresTerms(ctx context.Context, terms []QueryTerm, ids []string) ([]float64, error) {
	m := scratches.Get().(*scratch)
	defer m.release()
	if err := s.readTerms(m, terms); err != nil {
		return nil, err
	}
	return s.scores(ctx, m.clauses, ids)
}

func (s *Snapshot) scores(ctx context.Context, clauses []clause, ids []string) ([]float64, error) {
	byID := make([]uint32, len(ids))
	for i, id := range ids {
		row, ok := s.docs.Row(id)
		if !ok {
			return nil, &prospect.IDError{ID: id, Err: prospect.ErrNotFound}
		}
		byID[i] = row
	}
	rows := slices.Clone(byID)
	slices.Sort(rows)
	rows = slices.Compact(rows)
	sums := make([]float64, len(rows))
	if err := s.addRows(ctx, sums, rows, clauses); err != nil {
		return nil, err
	}
	scores := make([]float64, len(ids))
	for i, row := range byID {
		at, _ := slices.BinarySearch(rows, row)
		scores[i] = sums[at]
	}
	return scores, nil
}

// rankRows ranks the rows of q.Within.
func (s *Snapshot) rankRows(ctx context.Context, m *scratch, q prospect.Query) error {
	rows := s.docs.LiveRows(nil, q.Within)
	slices.Sort(rows)
	rows = slices.Compact(rows)
	sums := make([]float64, len(rows))
	if err := s.addRows(ctx, sums, rows, m.clauses); err != nil {
		return err
	}
	for i, score := range sums {
		if score > 0 {
			s.offer(m, rows[i], score, q.Keep)
		}
	}
	return nil
}

// addRows adds to each of the sums what the clauses give to its row. Rows are
// ascending. The sums have the order of summation of rankAll.
func (s *Snapshot) addRows(ctx context.Context, sums []float64, rows []uint32, clauses []clause) error {
	width := uint32(s.width())
	for i := range clauses {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &clauses[i]
		at := 0
		for j, row := range rows {
			at += gallop(c.cells[at:], row*width)
			if at == len(c.cells) {
				break
			}
			if c.cells[at]/width == row {
				part, _ := s.formula.part(c.cells[at:], c.tfs[at:], s.lengths)
				sums[j] += c.score(part)
			}
		}
	}
	return nil
}

// gallop returns the first position whose cell is at least the given one, by
// steps that double and a binary search in the last of them: O(log distance).
func gallop(cells []uint32, cell uint32) int {
	low, step := 0, 1
	for low+step <= len(cells) && cells[low+step-1] < cell {
		low += step
		step *= 2
	}
	at, _ := slices.BinarySearch(cells[low:min(low+step, len(cells))], cell)
	return low + at
}

// Search is [Snapshot.Search] of the current state. It makes an Index a
// [prospect.Searcher].
func (ix *Index) Search(ctx context.Context, q prospect.Query) ([]prospect.Hit, error) {
	return ix.Snapshot().Search(ctx, q)
}

// SearchTerms is [Snapshot.SearchTerms] of the current state.
func (ix *Index) SearchTerms(ctx context.Context, terms []QueryTerm, q prospect.Query) ([]prospect.Hit, error) {
	return ix.Snapshot().SearchTerms(ctx, terms, q)
}

// Scores is [Snapshot.Scores] of the current state.
func (ix *Index) Scores(ctx context.Context, text string, ids []string) ([]float64, error) {
	return ix.Snapshot().Scores(ctx, text, ids)
}

// ScoresTerms is [Snapshot.ScoresTerms] of the current state.
func (ix *Index) ScoresTerms(ctx context.Context, terms []QueryTerm, ids []string) ([]float64, error) {
	return ix.Snapshot().ScoresTerms(ctx, terms, ids)
}
