package bm25

import (
	"sync"
)

// An Analyzer makes terms of texts, the same ones for documents and queries.
// It is safe for any number of goroutines. [Standard] makes the one that comes
// with the package, [NewAnalyzer] one of your own.
type Analyzer struct {
	identity string
	run      func(text string, emit func(term []byte))
}

// NewAnalyzer makes an analyzer of one function, which appends the terms of
// text to dst, in order and with repetitions, and returns it. The function
// must give the same terms for the same text always, and is called from
// several goroutines at once. Empty terms are dropped.
//
// The identity names the function and all that its terms depend on. It is
// saved with an index; an index made with another one is refused
// ([prospect.ErrIdentity]). NewAnalyzer panics if the identity is empty, which
// would make all such analyzers the same, or terms is nil: these are mistakes in
// the program.
func NewAnalyzer(identity string, terms func(dst []string, text string) []string) *Analyzer {
	if identity == "" || terms == nil {
		panic("bm25.NewAnalyzer: an analyzer needs an identity and a function")
	}
	type memory struct {
		terms []string
		bytes []byte
	}
	pool := sync.Pool{New: func() any { return new(memory) }}
	return &Analyzer{identity: identity, run: func(text string, emit func([]byte)) {
		m := pool.Get().(*memory)
		m.terms = terms(m.terms[:0], text)
		for _, term := range m.terms {
			if term != "" {
				m.bytes = append(m.bytes[:0], term...)
				emit(m.bytes)
			}
		}
		clear(m.terms) // they may hold on to the text
		pool.Put(m)
	}}
}

// Identity changes whenever the terms of some text may.
func (a *Analyzer) Identity() string { return a.identity }

// Terms returns the terms of a text, in order and with repetitions.
func (a *Analyzer) Terms(text string) []string {
	var terms []string
	a.each(text, func(term []byte) { terms = append(terms, string(term)) })
	return terms
}

// Query appends the terms of a text to dst, each with the weight, for
// [Snapshot.SearchTerms]: so a query is put together from texts that count
// differently.
func (a *Analyzer) Query(dst []QueryTerm, text string, weight float64) []QueryTerm {
	a.each(text, func(term []byte) { dst = append(dst, QueryTerm{string(term), weight}) })
	return dst
}

// each calls emit for each term. The bytes are valid during the call alone.
func (a *Analyzer) each(text string, emit func(term []byte)) { a.run(text, emit) }
