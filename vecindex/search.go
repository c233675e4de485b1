package vecindex

import (
	"context"
	"fmt"

	"github.com/prospect-go/prospect"
)

// A Filter restricts what is ranked. The zero Filter keeps everything; with
// both fields set a document must pass both.
type Filter struct {
	// Within, where it is not nil, restricts to these ids. Unknown and
	// repeated ids are ignored. Only the rows of these ids are read.
	Within []string
	// Keep, where it is not nil, restricts to the ids for which it returns
	// true. It is asked only about documents whose score would rank, possibly
	// from several goroutines at once, and must give one answer per id. A panic
	// in it reaches the caller of the search.
	Keep func(id string) bool
}

// Search returns the q.K documents whose vectors have the highest cosine with
// q.Vector, from -1 to 1, best first, as [prospect.Searcher] promises.
// q.Vector need not have unit length; q.Text is ignored. Filters apply while
// scanning, so fewer than q.K hits means that there are no more.
//
// Errors: [prospect.ErrInvalidK], [prospect.ErrUnsupportedQuery] (no vector),
// [prospect.ErrDimension], [prospect.ErrZeroVector],
// [prospect.ErrNotFinite], and ctx's error soon after it is done.
//
// Cost: O(n·d), a handful of allocations. With q.Within it is linear in its
// length instead of n.
func (s *Snapshot) Search(ctx context.Context, q prospect.Query) ([]prospect.Hit, error) {
	unit, err := s.unitOf(q)
	if err != nil {
		return nil, err
	}
	lists, err := s.rank(ctx, []probe{{vector: unit, k: q.K, cosine: true, keep: q.Keep}}, q.Within)
	if err != nil {
		return nil, err
	}
	return lists[0], nil
}

// SearchBatch answers several queries in one pass over the rows: the i-th
// list is what Search gives for the i-th query. Errors are those of Search,
// with the position of the query in their text; then there are no lists.
func (s *Snapshot) SearchBatch(ctx context.Context, queries []prospect.Query) ([][]prospect.Hit, error) {
	lists := make([][]prospect.Hit, len(queries))
	probes := make([]probe, 0, len(queries))
	at := make([]int, 0, len(queries)) // at[i] is the query of probes[i]
	for i, q := range queries {
		unit, err := s.unitOf(q)
		if err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
		p := probe{vector: unit, k: q.K, cosine: true, keep: q.Keep}
		if q.Within == nil {
			probes, at = append(probes, p), append(at, i)
			continue
		}
		// Its rows are its own: nothing to share with the others.
		one, err := s.rank(ctx, []probe{p}, q.Within)
		if err != nil {
			return nil, err
		}
		lists[i] = one[0]
	}
	shared, err := s.rank(ctx, probes, nil)
	if err != nil {
		return nil, err
	}
	for j, list := range shared {
		lists[at[j]] = list
	}
	return lists, nil
}

// unitOf validates a query and returns its vector scaled to unit length.
func (s *Snapshot) unitOf(q prospect.Query) ([]float32, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if len(q.Vector) == 0 {
		return nil, fmt.Errorf("%w: a vector", prospect.ErrUnsupportedQuery)
	}
	norm, err := normOf(q.Vector, s.rows.dim)
	if err != nil {
		return nil, fmt.Errorf("query vector: %w", err)
	}
	unit := make([]float32, s.rows.dim)
	scale(unit, q.Vector, norm)
	return unit, nil
}

// Search is [Snapshot.Search] of the current state. It makes an Index a
// [prospect.Searcher].
func (ix *Index) Search(ctx context.Context, q prospect.Query) ([]prospect.Hit, error) {
	return ix.Snapshot().Search(ctx, q)
}

// SearchBatch is [Snapshot.SearchBatch] of the current state.
func (ix *Index) SearchBatch(ctx context.Context, queries []prospect.Query) ([][]prospect.Hit, error) {
	return ix.Snapshot().SearchBatch(ctx, queries)
}
