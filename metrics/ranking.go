package metrics

import (
	"cmp"
	"slices"

	"github.com/prospect-go/prospect"
)

// Ranking returns the ids of hits in the order given, which is the ranking.
func Ranking(hits []prospect.Hit) []string {
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	return ids
}

// TrecRanking returns the ids of hits in the order in which trec_eval reads
// them, whatever order they are in: by score, in single precision, descending,
// and among equal scores by the bytes of the id, descending. Where scores tie,
// values agree with those of trec_eval for this ranking only. NaN is last.
func TrecRanking(hits []prospect.Hit) []string {
	sorted := slices.Clone(hits)
	slices.SortFunc(sorted, func(a, b prospect.Hit) int {
		return cmp.Or(cmp.Compare(float32(b.Score), float32(a.Score)), cmp.Compare(b.ID, a.ID))
	})
	return Ranking(sorted)
}

// Unique returns the run with each document once for a query, where it stands
// first; those after a repetition move up. It is for rankings of searchers
// that may give a document twice, which [Evaluate] refuses:
//
//	metrics.Evaluate(run.Unique(), qrels, …)
//
// The run is not changed.
func (r Run[Q, D]) Unique() Run[Q, D] {
	unique := make(Run[Q, D], len(r))
	for q, ranking := range r {
		seen := make(map[D]struct{}, len(ranking))
		once := make([]D, 0, len(ranking))
		for _, id := range ranking {
			if _, dup := seen[id]; !dup {
				seen[id] = struct{}{}
				once = append(once, id)
			}
		}
		unique[q] = once
	}
	return unique
}
