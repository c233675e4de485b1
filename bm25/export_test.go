package bm25

// CountTerms runs an analyzer without keeping its terms.
func CountTerms(a *Analyzer, text string) (n int) {
	a.each(text, func([]byte) { n++ })
	return n
}
