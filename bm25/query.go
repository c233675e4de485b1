package bm25

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
)

// A clause is a term of a query, ready to score: a posting adds
// factor·part + bonus.
type clause struct {
	term          string
	number        uint32
	weight        float64
	cells         []uint32
	tfs           []uint16
	df            int
	idf           float64
	factor, bonus float64
	impacts       // empty where they are not kept
}

func (c *clause) score(part float64) float64 { return float64(c.factor*part) + c.bonus }

// textClauses appends the clauses of a text to dst.
func (s *Snapshot) textClauses(dst []clause, text string) []clause {
	s.settings.analyzer.each(text, func(term []byte) {
		if n, ok := s.terms.findBytes(term); ok {
			dst = append(dst, clause{term: s.terms.terms[n], number: n, weight: 1})
		}
	})
	return s.prepare(dst)
}

// termClauses appends the clauses of weighted terms to dst.
func (s *Snapshot) termClauses(dst []clause, terms []QueryTerm) ([]clause, error) {
	for _, t := range terms {
		if !(t.Weight >= 0 && t.Weight <= math.MaxFloat32) {
			return nil, fmt.Errorf("%w: weight %v of term %q, want 0 to %v", prospect.ErrNotFinite, t.Weight, t.Term, math.MaxFloat32)
		}
		if n, ok := s.terms.find(t.Term); ok {
			dst = append(dst, clause{term: s.terms.terms[n], number: n, weight: t.Weight})
		}
	}
	return s.prepare(dst), nil
}

// prepare merges equal terms and looks up the rest. Clauses are sorted by
// term, and every score is summed in that order: it does not depend on the
// order of the query, and is the same for one document as for all.
func (s *Snapshot) prepare(clauses []clause) []clause {
	slices.SortFunc(clauses, func(a, b clause) int {
		if a.number == b.number {
			return cmp.Compare(a.weight, b.weight) // weights too are summed in one order
		}
		return strings.Compare(a.term, b.term)
	})
	merged := clauses[:0]
	for _, c := range clauses {
		if last := len(merged) - 1; last >= 0 && merged[last].number == c.number {
			merged[last].weight += c.weight
			continue
		}
		merged = append(merged, c)
	}
	kept := merged[:0]
	for _, c := range merged {
		if c.weight == 0 {
			continue
		}
		c.cells, c.tfs = s.lists.of(c.number).below(s.cells())
		if c.df = s.docFreq(c.number, c.cells); c.df == 0 {
			continue
		}
		c.idf = s.settings.variant.idf(s.formula.n, float64(c.df))
		c.factor = c.weight * c.idf * s.formula.scale
		c.bonus = c.weight * c.idf * s.formula.plus
		kept = append(kept, c)
	}
	if limit := s.settings.maxQueryTerms; limit > 0 && len(kept) > limit {
		kept = rarest(kept, limit)
	}
	return kept
}

// rarest keeps the clauses of the rarest terms, in their order.
func rarest(clauses []clause, limit int) []clause {
	slices.SortStableFunc(clauses, func(a, b clause) int { return cmp.Compare(a.df, b.df) })
	clauses = clauses[:limit]
	slices.SortFunc(clauses, func(a, b clause) int { return strings.Compare(a.term, b.term) })
	return clauses
}
