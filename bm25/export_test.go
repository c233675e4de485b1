package bm25

// CountTerms runs an analyzer without keeping its terms.
func CountTerms(a *Analyzer, text string) (n int) {
	a.each(text, func([]byte) { n++ })
	return n
}

// Size is the number of rows and terms of a snapshot, dead ones included.
func Size(s *Snapshot) (rows, terms int) { return s.docs.Rows(), len(s.terms.terms) }
