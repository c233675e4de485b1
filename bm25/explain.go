package bm25

import (
	"slices"

	"github.com/prospect-go/prospect"
)

// An Explanation says how the score of a document for a query comes about.
type Explanation struct {
	ID        string
	Score     float64 // the sum of the terms' scores, in their order
	Documents int     // N, in the whole index
	Length    int     // dl, of the document in terms
	AvgLength float64 // avgdl
	Norm      float64 // the length part, 1 − b + b·dl/avgdl
	Terms     []TermScore
}

// A TermScore is what one term of the query that the document has adds to
// the score.
type TermScore struct {
	Term   string
	Weight float64 // in the query: for a text, how often it has the term
	TF     int     // how often the document has the term
	DF     int     // how many documents have it
	IDF    float64 // of the index's variant
	Score  float64 // Weight·IDF·frequency part
}

// Explain takes the score of a document for the terms of a text apart. Its
// Score is bit for bit that of Search, 0 without terms for a document that
// matches nothing. Terms come in byte order. Error: [prospect.ErrNotFound] in
// a [*prospect.IDError].
func (s *Snapshot) Explain(text, id string) (Explanation, error) {
	return s.explain(s.textClauses(nil, text), id)
}

// ExplainTerms is Explain for terms with weights, as in
// [Snapshot.SearchTerms], whose error for weights it has too.
func (s *Snapshot) ExplainTerms(terms []QueryTerm, id string) (Explanation, error) {
	clauses, err := s.termClauses(nil, terms)
	if err != nil {
		return Explanation{}, err
	}
	return s.explain(clauses, id)
}

func (s *Snapshot) explain(clauses []clause, id string) (Explanation, error) {
	row, ok := s.docs.Row(id)
	if !ok {
		return Explanation{}, &prospect.IDError{ID: id, Err: prospect.ErrNotFound}
	}
	e := Explanation{
		ID:        id,
		Documents: s.Len(),
		Length:    int(s.lengths[row]),
		AvgLength: s.AvgLength(),
		Norm:      s.formula.norm(s.lengths[row]),
	}
	for i := range clauses {
		c := &clauses[i]
		at, ok := slices.BinarySearch(c.rows, row)
		if !ok {
			continue
		}
		score := c.score(s.formula.part(c.tfs[at], s.lengths[row]))
		e.Score += score
		e.Terms = append(e.Terms, TermScore{
			Term: c.term, Weight: c.weight, TF: int(c.tfs[at]), DF: c.df, IDF: c.idf, Score: score,
		})
	}
	return e, nil
}

// Explain is [Snapshot.Explain] of the current state.
func (ix *Index) Explain(text, id string) (Explanation, error) {
	return ix.Snapshot().Explain(text, id)
}

// ExplainTerms is [Snapshot.ExplainTerms] of the current state.
func (ix *Index) ExplainTerms(terms []QueryTerm, id string) (Explanation, error) {
	return ix.Snapshot().ExplainTerms(terms, id)
}
