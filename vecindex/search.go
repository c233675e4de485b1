package vecindex

import (
	"context"
	"fmt"

	"github.com/prospect-go/prospect"
)

// Search returns the q.K documents whose vectors have the highest cosine with
// q.Vector, from -1 to 1, best first, as [prospect.Searcher] promises.
// q.Vector need not have unit length; q.Text is ignored. Filters apply while
// scanning, so fewer than q.K hits means that there are no more. For what a
// query has no field for, such as a minimum score, see SearchBatch.
//
// Errors: [prospect.ErrInvalidK], [prospect.ErrUnsupportedQuery] (no vector),
// [prospect.ErrDimension], [prospect.ErrZeroVector],
// [prospect.ErrNotFinite], and ctx's error soon after it is done.
//
// Cost: O(n·d), a handful of allocations. With q.Within it is linear in its
// length instead of n.
func (s *Snapshot) Search(ctx context.Context, q prospect.Query) ([]prospect.Hit, error) {
	norm, err := s.checkQuery(q)
	if err != nil {
		return nil, err
	}
	sel, err := s.selects(Filter{Within: q.Within})
	if err != nil {
		return nil, err
	}
	r := takeRanking(sel)
	defer r.release()
	s.probe(r, q, norm)
	if err := s.rank(ctx, r, r.one[:]); err != nil {
		return nil, err
	}
	return r.one[0], nil
}

// SearchBatch answers several queries in one pass over the vectors: the i-th
// list is what Search gives for the i-th query among what f keeps. Queries
// with a Within of their own are answered one by one. Errors are those of
// Search, with the position of the query in their text; then there are no
// lists.
func (s *Snapshot) SearchBatch(ctx context.Context, queries []prospect.Query, f Filter) ([][]prospect.Hit, error) {
	shared := takeRanking(selection{})
	defer shared.release()
	norms := make([]float64, len(queries))
	at := make([]int, 0, len(queries)) // at[i] is the query of shared.probes[i]
	for i, q := range queries {
		var err error
		if norms[i], err = s.checkQuery(q); err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
		if q.Within == nil {
			s.probe(shared, q, norms[i])
			at = append(at, i)
		}
	}
	sel, err := s.selects(f)
	if err != nil {
		return nil, err
	}
	shared.selection = sel
	lists := make([][]prospect.Hit, len(queries))
	for i, q := range queries {
		if q.Within == nil {
			continue
		}
		// Its documents are its own: nothing to share with the others.
		if err := s.searchWithin(ctx, s.within(sel, q.Within), q, norms[i], lists[i:i+1]); err != nil {
			return nil, err
		}
	}
	rest := make([][]prospect.Hit, len(at))
	if err := s.rank(ctx, shared, rest); err != nil {
		return nil, err
	}
	for j, list := range rest {
		lists[at[j]] = list
	}
	return lists, nil
}

// searchWithin puts the hits of a valid query in a selection into list.
func (s *Snapshot) searchWithin(ctx context.Context, sel selection, q prospect.Query, norm float64, list [][]prospect.Hit) error {
	r := takeRanking(sel)
	defer r.release()
	s.probe(r, q, norm)
	return s.rank(ctx, r, list)
}

// probe adds a valid query, whose vector has the norm.
func (s *Snapshot) probe(r *ranking, q prospect.Query, norm float64) {
	scale(r.room(s.Dim()), q.Vector, norm)
	r.probes = append(r.probes, probe{k: q.K, cosine: true, keep: q.Keep})
}

// checkQuery refuses a query that is not valid, and returns the norm of its
// vector.
func (s *Snapshot) checkQuery(q prospect.Query) (norm float64, err error) {
	if err := q.Validate(); err != nil {
		return 0, err
	}
	if len(q.Vector) == 0 {
		return 0, fmt.Errorf("%w: a vector", prospect.ErrUnsupportedQuery)
	}
	if norm, err = normOf(q.Vector, s.Dim()); err != nil {
		return 0, fmt.Errorf("query vector: %w", err)
	}
	return norm, nil
}

// Search is [Snapshot.Search] of the current state. It makes an Index a
// [prospect.Searcher].
func (ix *Index) Search(ctx context.Context, q prospect.Query) ([]prospect.Hit, error) {
	return ix.Snapshot().Search(ctx, q)
}

// SearchBatch is [Snapshot.SearchBatch] of the current state.
func (ix *Index) SearchBatch(ctx context.Context, queries []prospect.Query, f Filter) ([][]prospect.Hit, error) {
	return ix.Snapshot().SearchBatch(ctx, queries, f)
}
