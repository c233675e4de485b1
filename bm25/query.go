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
	rows          []uint32  // with parts
	parts         []float64 // of known terms, else nil
}

func (c *clause) score(part float64) float64 { return float64(c.factor*part) + c.bonus }

// A mention is a term as it comes in a query.
type mention struct {
	term   string
	prefix uint64 // of the term: most comparisons end with it
	number uint32
	weight float64
	known  *known // or nil
}

// prefixOf orders terms by their first bytes.
func prefixOf(term string) (p uint64) {
	for i := range min(8, len(term)) {
		p |= uint64(term[i]) << (56 - 8*i)
	}
	return p
}

func compareMentions(a, b mention) int {
	switch {
	case a.prefix != b.prefix:
		return cmp.Compare(a.prefix, b.prefix)
	case a.number != b.number:
		return strings.Compare(a.term, b.term)
	}
	return cmp.Compare(a.weight, b.weight) // weights too are summed in one order
}

// readText fills in the clauses of a text.
func (s *Snapshot) readText(m *scratch, text string) {
	terms := *s.memory.terms.Load()
	m.mentions = m.mentions[:0]
	s.settings.analyzer.each(text, func(term []byte) {
		if k := terms[string(term)]; k != nil {
			m.mentions = append(m.mentions, mention{k.term, prefixOf(k.term), k.number, 1, k})
		} else if n, ok := s.terms.findBytes(term); ok {
			t := s.terms.terms[n]
			m.mentions = append(m.mentions, mention{t, prefixOf(t), n, 1, nil})
		}
	})
	s.prepare(m)
}

// readTerms fills in the clauses of weighted terms.
func (s *Snapshot) readTerms(m *scratch, query []QueryTerm) error {
	terms := *s.memory.terms.Load()
	m.mentions = m.mentions[:0]
	for _, t := range query {
		if !(t.Weight >= 0 && t.Weight <= math.MaxFloat32) {
			return fmt.Errorf("%w: weight %v of term %q, want 0 to %v", prospect.ErrNotFinite, t.Weight, t.Term, math.MaxFloat32)
		}
		if k := terms[t.Term]; k != nil {
			m.mentions = append(m.mentions, mention{k.term, prefixOf(k.term), k.number, t.Weight, k})
		} else if n, ok := s.terms.find(t.Term); ok {
			m.mentions = append(m.mentions, mention{s.terms.terms[n], prefixOf(t.Term), n, t.Weight, nil})
		}
	}
	s.prepare(m)
	return nil
}

// prepare merges equal terms and looks up the rest. Clauses are sorted by
// term, and every score is summed in that order: it does not depend on the
// order of the query, and is the same for one document as for all.
func (s *Snapshot) prepare(m *scratch) {
	slices.SortFunc(m.mentions, compareMentions)
	m.clauses = m.clauses[:0]
	for i := 0; i < len(m.mentions); {
		at := &m.mentions[i]
		weight := 0.0
		for ; i < len(m.mentions) && m.mentions[i].number == at.number; i++ {
			weight += m.mentions[i].weight
		}
		if weight == 0 {
			continue
		}
		c := clause{term: at.term, number: at.number, weight: weight}
		if k := at.known; k != nil {
			c.cells, c.tfs, c.rows, c.parts, c.df, c.idf = k.cells, k.tfs, k.rows, k.parts, k.df, k.idf
		} else {
			c.cells, c.tfs = s.lists.of(c.number).below(s.cells())
			if c.df = s.docFreq(c.number, c.cells); c.df == 0 {
				continue
			}
			c.idf = s.settings.variant.idf(s.formula.n, float64(c.df))
		}
		c.factor = c.weight * c.idf * s.formula.scale
		c.bonus = c.weight * c.idf * s.formula.plus
		m.clauses = append(m.clauses, c)
	}
	if limit := s.settings.maxQueryTerms; limit > 0 && len(m.clauses) > limit {
		m.clauses = rarest(m.clauses, limit)
	}
}

// rarest keeps the clauses of the rarest terms, in their order.
func rarest(clauses []clause, limit int) []clause {
	slices.SortStableFunc(clauses, func(a, b clause) int { return cmp.Compare(a.df, b.df) })
	clauses = clauses[:limit]
	slices.SortFunc(clauses, func(a, b clause) int { return strings.Compare(a.term, b.term) })
	return clauses
}
