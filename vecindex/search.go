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

// ScoreBatch returns, for each vector, the k documents with the highest inner
// product of the vector with their unit vectors, best first, ties by order of
// insertion. The vectors are neither scaled nor the scores clamped: for a
// combined vector α·f(q) + β·f(s̃) the score is α·cos(q, d) + β·cos(s̃, d). A
// zero vector scores 0 everywhere. All vectors are answered in one pass.
//
// Errors: [prospect.ErrInvalidK]; [prospect.ErrDimension] and
// [prospect.ErrNotFinite] (also for a norm near the end of float32's range)
// with the position of the vector in their text; ctx's error.
//
// Cost: O(M·n·d) for M vectors; the n rows are read from memory once.
func (s *Snapshot) ScoreBatch(ctx context.Context, vectors [][]float32, k int, f Filter) ([][]prospect.Hit, error) {
	if err := (prospect.Query{K: k}).Validate(); err != nil {
		return nil, err
	}
	if err := s.checkFactors(vectors); err != nil {
		return nil, err
	}
	probes := make([]probe, len(vectors))
	for i, v := range vectors {
		probes[i] = probe{vector: v, k: k, keep: f.Keep}
	}
	return s.rank(ctx, probes, f.Within)
}

// Scores returns the inner products of the vectors with the unit vectors of
// the given documents: the j-th score of the i-th list belongs to vectors[i]
// and ids[j], and is bit for bit what ScoreBatch gives. For a unit vector it is
// the cosine, up to rounding and not clamped.
//
// Errors: [prospect.ErrNotFound] in a [*prospect.IDError] for the first
// unknown id, those of ScoreBatch for vectors, ctx's error.
//
// Cost: O(M·d) for each of the ids.
func (s *Snapshot) Scores(ctx context.Context, vectors [][]float32, ids []string) ([][]float64, error) {
	if err := s.checkFactors(vectors); err != nil {
		return nil, err
	}
	rows := make([]uint32, len(ids))
	for i, id := range ids {
		row, ok := s.docs.Row(id)
		if !ok {
			return nil, &prospect.IDError{ID: id, Err: prospect.ErrNotFound}
		}
		rows[i] = row
	}
	return s.products(ctx, vectors, rows)
}

func (s *Snapshot) checkFactors(vectors [][]float32) error {
	for i, v := range vectors {
		if err := checkFactor(v, s.rows.dim); err != nil {
			return fmt.Errorf("vector %d: %w", i, err)
		}
	}
	return nil
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

// ScoreBatch is [Snapshot.ScoreBatch] of the current state.
func (ix *Index) ScoreBatch(ctx context.Context, vectors [][]float32, k int, f Filter) ([][]prospect.Hit, error) {
	return ix.Snapshot().ScoreBatch(ctx, vectors, k, f)
}

// Scores is [Snapshot.Scores] of the current state.
func (ix *Index) Scores(ctx context.Context, vectors [][]float32, ids []string) ([][]float64, error) {
	return ix.Snapshot().Scores(ctx, vectors, ids)
}
