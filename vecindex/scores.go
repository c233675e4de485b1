package vecindex

import (
	"context"
	"fmt"
	"slices"

	"github.com/prospect-go/prospect"
)

// ScoreBatch returns, for each vector, the k documents with the highest inner
// product of the vector with their unit vectors, best first, ties by order of
// insertion. The vectors are neither scaled nor the scores clamped: for a
// combined vector α·f(q) + β·f(s̃) and documents with one vector each, the
// score is α·cos(q, d) + β·cos(s̃, d); see ScoreSums for documents with
// several. A zero vector scores 0 everywhere. All vectors are answered in one
// pass.
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
	sel, err := s.selects(f)
	if err != nil {
		return nil, err
	}
	if err := s.checkFactors(vectors); err != nil {
		return nil, err
	}
	r := takeRanking(sel)
	defer r.release()
	for _, v := range vectors {
		r.add(v, probe{k: k})
	}
	lists := make([][]prospect.Hit, len(vectors))
	if err := s.rank(ctx, r, lists); err != nil {
		return nil, err
	}
	return lists, nil
}

// Scores returns the inner products of the vectors with the unit vectors of
// the given documents, the highest where a document has several: the j-th
// score of the i-th list belongs to vectors[i] and ids[j], and is bit for bit
// what ScoreBatch gives. For a unit vector it is the cosine, up to rounding and
// not clamped.
//
// Errors: [prospect.ErrNotFound] in a [*prospect.IDError] for the first
// unknown id, those of ScoreBatch for vectors, ctx's error.
//
// Cost: O(M·d) for each vector of the ids.
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
	all := make([]float64, len(vectors)*len(rows))
	if err := s.products(ctx, all, slices.Concat(vectors...), rows); err != nil {
		return nil, err
	}
	lists := make([][]float64, len(vectors))
	for i := range lists {
		lists[i] = all[i*len(rows) : (i+1)*len(rows) : (i+1)*len(rows)]
	}
	return lists, nil
}

func (s *Snapshot) checkFactors(vectors [][]float32) error {
	for i, v := range vectors {
		if err := checkFactor(v, s.Dim()); err != nil {
			return fmt.Errorf("vector %d: %w", i, err)
		}
	}
	return nil
}

// products sets dst to the best inner product of each factor with each row: the
// rows of the first factor, of the second and so on.
func (s *Snapshot) products(ctx context.Context, dst []float64, factors []float32, rows []uint32) error {
	if err := ctx.Err(); err != nil || len(dst) == 0 {
		return err
	}
	w := takeWorker(nil)
	defer w.release()
	p := product{vecs: &s.vecs, factors: factors, tile: s.vecs.unit.full()}
	for at := 0; at < len(rows); {
		t := tile{list: rows[at:min(at+p.tile, len(rows))]}
		t.n = len(t.list)
		scores := p.scores(w, t)
		for i := 0; i*t.n < len(scores); i++ {
			for j, x := range scores[i*t.n : (i+1)*t.n] {
				dst[i*len(rows)+at+j] = float64(x)
			}
		}
		at += t.n
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// ScoreBatch is [Snapshot.ScoreBatch] of the current state.
func (ix *Index) ScoreBatch(ctx context.Context, vectors [][]float32, k int, f Filter) ([][]prospect.Hit, error) {
	return ix.Snapshot().ScoreBatch(ctx, vectors, k, f)
}

// Scores is [Snapshot.Scores] of the current state.
func (ix *Index) Scores(ctx context.Context, vectors [][]float32, ids []string) ([][]float64, error) {
	return ix.Snapshot().Scores(ctx, vectors, ids)
}
