package vecindex

import (
	"context"
	"fmt"

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
	r := ranking{selection: sel}
	r.room(len(vectors), s.Dim())
	for _, v := range vectors {
		r.add(v, probe{k: k})
	}
	return s.rank(ctx, &r)
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
	return s.products(ctx, vectors, rows)
}

func (s *Snapshot) checkFactors(vectors [][]float32) error {
	for i, v := range vectors {
		if err := checkFactor(v, s.Dim()); err != nil {
			return fmt.Errorf("vector %d: %w", i, err)
		}
	}
	return nil
}

// products returns the best inner product of each vector with each row.
func (s *Snapshot) products(ctx context.Context, vectors [][]float32, rows []uint32) ([][]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	all := make([]float64, len(vectors)*len(rows))
	lists := make([][]float64, len(vectors))
	factors := ranking{}
	factors.room(len(vectors), s.Dim())
	for i, v := range vectors {
		lists[i] = all[i*len(rows) : (i+1)*len(rows) : (i+1)*len(rows)]
		factors.add(v, probe{})
	}
	if len(all) == 0 {
		return lists, nil
	}
	w := takeWorker(nil)
	defer w.release()
	p := product{vecs: &s.vecs, factors: factors.factors, tile: tileOf(s.Dim())}
	for at := 0; at < len(rows); {
		t := tile{list: rows[at:min(at+p.tile, len(rows))]}
		t.n = len(t.list)
		scores := p.scores(w, t)
		for i := range lists {
			for j, x := range scores[i*t.n : (i+1)*t.n] {
				lists[i][at+j] = float64(x)
			}
		}
		at += t.n
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// ScoreBatch is [Snapshot.ScoreBatch] of the current state.
func (ix *Index) ScoreBatch(ctx context.Context, vectors [][]float32, k int, f Filter) ([][]prospect.Hit, error) {
	return ix.Snapshot().ScoreBatch(ctx, vectors, k, f)
}

// Scores is [Snapshot.Scores] of the current state.
func (ix *Index) Scores(ctx context.Context, vectors [][]float32, ids []string) ([][]float64, error) {
	return ix.Snapshot().Scores(ctx, vectors, ids)
}
