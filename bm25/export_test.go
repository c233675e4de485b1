package bm25

import "strings"

// CountTerms runs an analyzer without keeping its terms.
func CountTerms(a *Analyzer, text string) (n int) {
	a.each(text, func([]byte) { n++ })
	return n
}

// Size is the number of rows and terms of a snapshot, dead ones included.
func Size(s *Snapshot) (rows, terms int) { return s.docs.Rows(), len(s.terms.terms) }

// SlowTerms takes an ASCII text apart by the path for other texts, without
// stems and stop words.
func SlowTerms(text string) (terms []string) {
	t := (&standard{}).newTokenizer()
	t.emit = func(term []byte) { terms = append(terms, string(term)) }
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return asciiClass[r] == space }) {
		t.unicode(piece)
	}
	return terms
}

// Impacts is how many postings have kept impacts.
func Impacts(s *Snapshot) (n int) {
	for _, k := range *s.memory.terms.Load() {
		n += len(k.parts)
	}
	return n
}
