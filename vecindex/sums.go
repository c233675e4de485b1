package vecindex

import (
	"context"
	"fmt"
	"math"

	"github.com/prospect-go/prospect"
)

// A Term is one summand of a score of [Snapshot.ScoreSums]: a weight times
// what Scores gives for one of the vectors.
type Term struct {
	Vector int     // position among the vectors
	Weight float64 // of at most float32's range, also negative
}

// ScoreSums returns, for each sum, the k documents d with the highest
//
//	Σ_t Weight_t · max_c ⟨vectors[Vector_t], c⟩,  c over the unit vectors of d,
//
// best first, ties by order of insertion. A maximum is not linear, so where
// documents have several vectors no combined vector gives this. For documents
// with one vector it is what ScoreBatch gives for combined vectors, up to
// rounding, and slower where the sums are fewer than the vectors. All is done
// in one pass. A sum is made in float64, term by term, of the scores that
// Scores gives.
//
// To rank by α·f(q) + β·f(s̃_j) for several j, give q and the s̃ as vectors and
// {{0, α}, {j, β}} as the j-th sum.
//
// Errors are those of ScoreBatch, [prospect.ErrNotFinite] for a weight, and an
// error for a Vector that there is not, with the position of the sum in their
// text.
//
// Cost: O(M·n·d) for M vectors, and O(n) a term.
func (s *Snapshot) ScoreSums(ctx context.Context, vectors [][]float32, sums [][]Term, k int, f Filter) ([][]prospect.Hit, error) {
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
		r.factors = append(r.factors, v...)
	}
	for i, terms := range sums {
		for _, t := range terms {
			if t.Vector < 0 || t.Vector >= len(vectors) {
				return nil, fmt.Errorf("vecindex: sum %d: vector %d of %d", i, t.Vector, len(vectors))
			}
			if !(math.Abs(t.Weight) <= math.MaxFloat32) {
				return nil, fmt.Errorf("sum %d: %w: weight %v", i, prospect.ErrNotFinite, t.Weight)
			}
		}
		if terms == nil {
			terms = []Term{} // a sum all the same, of nothing
		}
		r.probes = append(r.probes, probe{k: k, terms: terms})
	}
	lists := make([][]prospect.Hit, len(sums))
	if err := s.rank(ctx, r, lists); err != nil {
		return nil, err
	}
	return lists, nil
}

// sum sets dst to the sums of the terms, of scores that lie in lists of
// len(dst).
func sum(dst []float64, terms []Term, scores []float32) {
	clear(dst)
	n := len(dst)
	for _, t := range terms {
		for i, x := range scores[t.Vector*n:][:n] {
			// The conversion keeps compilers from fusing: one result everywhere.
			dst[i] += float64(t.Weight * float64(x))
		}
	}
}

// ScoreSums is [Snapshot.ScoreSums] of the current state.
func (ix *Index) ScoreSums(ctx context.Context, vectors [][]float32, sums [][]Term, k int, f Filter) ([][]prospect.Hit, error) {
	return ix.Snapshot().ScoreSums(ctx, vectors, sums, k, f)
}
