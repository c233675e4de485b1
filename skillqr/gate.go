package skillqr

import (
	"fmt"
	"strings"

	"github.com/prospect-go/prospect"
)

// A Gate decides which queries are worth a rewrite. It is given the query and
// the hits that it found as it is, best first: those for [Options].Feedback,
// none without, or those of [Rewriter.Search]. It returns why the query should
// be kept as it is, or "" for one that should be rewritten. It must be safe for
// concurrent use.
//
// A gate on scores needs thresholds of the searcher at hand: take them from a
// probe of queries with judgements, for no default fits BM25 and cosines.
type Gate func(query string, raw []prospect.Hit) string

// KeepSure keeps a query whose first hit stands out: its score leads that of
// hit number rank by at least the margin, as a share of the first score.
//
//	(s_1 − s_rank) / s_1 ≥ margin, s_1 > 0
//
// Fewer hits than rank are no evidence, so the query is rewritten: as
// [Options].Gate, with at most [Feedback].K hits to see, a rank above that keeps
// nothing. It panics
// if rank is below 2 or the margin is not in (0, 1], for those are mistakes in
// the program.
func KeepSure(rank int, margin float64) Gate {
	if rank < 2 || !(margin > 0 && margin <= 1) {
		panic("skillqr.KeepSure: needs a rank of 2 or more and a margin in (0, 1]")
	}
	return func(_ string, raw []prospect.Hit) string {
		if len(raw) < rank || !(raw[0].Score > 0) {
			return ""
		}
		lead := (raw[0].Score - raw[rank-1].Score) / raw[0].Score
		if lead < margin {
			return ""
		}
		return fmt.Sprintf("its first hit leads number %d by %.2f of its score, at least %.2f were asked", rank, lead, margin)
	}
}

// KeepStrong keeps a query whose first hit scores at least score.
func KeepStrong(score float64) Gate {
	return func(_ string, raw []prospect.Hit) string {
		if len(raw) == 0 || !(raw[0].Score >= score) {
			return ""
		}
		return fmt.Sprintf("its first hit scores %.3g, at least %.3g were asked", raw[0].Score, score)
	}
}

// KeepShort keeps a query of at most n words: names and keywords, for which
// those who ask expect the very documents that hold them.
func KeepShort(n int) Gate {
	return func(query string, _ []prospect.Hit) string {
		if words := len(strings.Fields(query)); words <= n {
			return fmt.Sprintf("it has %d words, no more than %d", words, n)
		}
		return ""
	}
}

// KeepAny keeps a query that any of the gates keeps, for the reason of the
// first of them.
func KeepAny(gates ...Gate) Gate {
	return func(query string, raw []prospect.Hit) string {
		for _, g := range gates {
			if why := g(query, raw); why != "" {
				return why
			}
		}
		return ""
	}
}
