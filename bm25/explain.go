package bm25

import (
	"slices"

	"github.com/prospect-go/prospect"
)

// An Explanation says how the score of a document for a query comes about.
type Explanation struct {
	ID        string
	Score     float64       // the sum of the terms' scores, in their order
	Documents int           // N, in the whole index
	Length    int           // dl, of the Text in terms
	AvgLength float64       // avgdl, of the Texts
	Norm      float64       // the length part of the Text, L = 1 − b + b·dl/avgdl
	Fields    []FieldLength // of [Options].Fields, in their order
	Terms     []TermScore
}

// A FieldLength is the length part of a field of a document.
type FieldLength struct {
	Field     string
	Weight    float64
	Length    int
	AvgLength float64
	Norm      float64
}

// A TermScore is what one term of the query that the document has adds to
// the score.
type TermScore struct {
	Term   string
	Weight float64      // in the query: for a text, how often it has the term
	TF     int          // how often the document has the term, in all fields
	DF     int          // how many documents have it, in any field
	IDF    float64      // of the index's variant
	Score  float64      // Weight·IDF·frequency part
	Fields []FieldScore // where the term is, in an index with fields
}

// A FieldScore is the part of one field in the score of a term.
type FieldScore struct {
	Field     string  // "" for the Text
	TF        int     // how often the field has the term
	Frequency float64 // weight·tf/L; their sum is what saturates
	Score     float64 // the share of the term's score in proportion to Frequency
}

// Explain takes the score of a document for the terms of a text apart. Its
// Score is bit for bit that of Search, 0 without terms for a document that
// matches nothing. Terms come in byte order. Error: [prospect.ErrNotFound] in
// a [*prospect.IDError].
func (s *Snapshot) Explain(text, id string) (Explanation, error) {
	m := scratches.Get().(*scratch)
	defer m.release()
	s.readText(m, text)
	return s.explain(m.clauses, id)
}

// ExplainTerms is Explain for terms with weights, as in
// [Snapshot.SearchTerms], whose error for weights it has too.
func (s *Snapshot) ExplainTerms(terms []QueryTerm, id string) (Explanation, error) {
	m := scratches.Get().(*scratch)
	defer m.release()
	if err := s.readTerms(m, terms); err != nil {
		return Explanation{}, err
	}
	return s.explain(m.clauses, id)
}

func (s *Snapshot) explain(clauses []clause, id string) (Explanation, error) {
	row, ok := s.docs.Row(id)
	if !ok {
		return Explanation{}, &prospect.IDError{ID: id, Err: prospect.ErrNotFound}
	}
	e := Explanation{
		ID:        id,
		Documents: s.Len(),
	}
	lengths := s.lengths[int(row)*s.width():][:s.width()]
	for i, f := range s.settings.fields {
		norm := s.formula.fields[i].of(lengths[i])
		if i == 0 {
			e.Length, e.AvgLength, e.Norm = int(lengths[i]), s.AvgLength(), norm
			continue
		}
		e.Fields = append(e.Fields, FieldLength{f.name, f.weight, int(lengths[i]), s.avgLength(i), norm})
	}
	width := uint32(s.width())
	for i := range clauses {
		c := &clauses[i]
		at, _ := slices.BinarySearch(c.cells, row*width)
		if at == len(c.cells) || c.cells[at]/width != row {
			continue
		}
		part, n := s.formula.part(c.cells[at:], c.tfs[at:], s.lengths)
		t := TermScore{Term: c.term, Weight: c.weight, DF: c.df, IDF: c.idf, Score: c.score(part)}
		for j := at; j < at+n; j++ {
			t.TF += int(c.tfs[j])
		}
		if width > 1 {
			t.Fields = s.fieldScores(c.cells[at:at+n], c.tfs[at:at+n], t.Score)
		}
		e.Score += t.Score
		e.Terms = append(e.Terms, t)
	}
	return e, nil
}

// fieldScores divides the score of a term among the fields of a row.
func (s *Snapshot) fieldScores(cells []uint32, tfs []uint16, score float64) []FieldScore {
	fields := make([]FieldScore, len(cells))
	sum := 0.0
	for i, cell := range cells {
		field := int(cell) % s.width()
		f := s.formula.fields[field].frequency(tfs[i], s.lengths[cell])
		fields[i] = FieldScore{Field: s.settings.fields[field].name, TF: int(tfs[i]), Frequency: f}
		sum += f
	}
	for i := range fields {
		fields[i].Score = score * (fields[i].Frequency / sum)
	}
	return fields
}

// Explain is [Snapshot.Explain] of the current state.
func (ix *Index) Explain(text, id string) (Explanation, error) {
	return ix.Snapshot().Explain(text, id)
}

// ExplainTerms is [Snapshot.ExplainTerms] of the current state.
func (ix *Index) ExplainTerms(terms []QueryTerm, id string) (Explanation, error) {
	return ix.Snapshot().ExplainTerms(terms, id)
}
