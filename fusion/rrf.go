package fusion

import (
	"fmt"

	"github.com/prospect-go/prospect"
)

// DefaultRankConstant is the k of [RRF]: Cormack, Clarke and Büttcher,
// "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
// Methods", SIGIR 2009, fixed it at 60 in a pilot study.
const DefaultRankConstant = 60

// RRFOptions are the options of [RRF]; the zero value is the default.
type RRFOptions struct {
	// RankConstant damps the lead of the first ranks: the larger, the flatter.
	// Finite and positive. 0: DefaultRankConstant.
	RankConstant float64
	// Weights, one a list: finite and not negative. nil: 1 for each.
	Weights []float64
	// K is the most hits to return. 0: all.
	K int
}

// RRF merges lists by rank alone, reciprocal rank fusion:
//
//	score(d) = Σ_l w_l / (RankConstant + rank_l(d)), rank from 1
//
// over the lists that have d. The scores of the lists are not read. Errors:
// [ErrWeight], [prospect.ErrInvalidK] for a negative K, [prospect.ErrOption] for
// a bad RankConstant. Cost: O(n log n) over all hits.
func RRF(lists [][]prospect.Hit, opts RRFOptions) ([]prospect.Hit, error) {
	weights, err := weightsFor(opts.Weights, len(lists))
	if err != nil {
		return nil, err
	}
	constant := opts.RankConstant
	if constant == 0 {
		constant = DefaultRankConstant
	}
	if !finite(constant) || constant < 0 {
		return nil, fmt.Errorf("%w: fusion: RankConstant is %v, want it finite and positive", prospect.ErrOption, opts.RankConstant)
	}
	if opts.K < 0 {
		return nil, fmt.Errorf("%w: %d", prospect.ErrInvalidK, opts.K)
	}
	t := newTally(lists)
	for l, hits := range lists {
		ranked := distinct(hits)
		for i := range ranked {
			ranked[i].Score = 1 / (constant + float64(i+1))
		}
		t.add(l, ranked, weights[l])
	}
	return t.best(opts.K)
}
