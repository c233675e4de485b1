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
