package bm25

import (
	"context"
	"errors"
	"io"

	"github.com/prospect-go/prospect"
)

var errNotYet = errors.New("bm25: being written")

// An Analyzer makes terms of texts. Its identity is saved with an index and
// checked when it is opened.
type Analyzer struct{ identity string }

// StandardOptions of [Standard]. The zero value has the defaults.
type StandardOptions struct {
	// Stem is the language whose snowball stems are used. Default English; NoStems for none.
	Stem string
	// StopWords are left out of documents and queries. Default none.
	StopWords []string
}

// Standard is the analyzer of the library.
func Standard(o StandardOptions) (*Analyzer, error) { return &Analyzer{}, nil }

// NewAnalyzer makes an analyzer of one function, which appends the terms of
// the text, in order, to dst. It is called from several goroutines at once.
func NewAnalyzer(identity string, terms func(dst []string, text string) []string) *Analyzer {
	return &Analyzer{identity: identity}
}

// Identity changes whenever the terms may.
func (a *Analyzer) Identity() string { return a.identity }

// Terms are the terms of a text, in order, with repetitions.
func (a *Analyzer) Terms(text string) []string { return nil }

// Query appends the terms of a text to dst, each with the weight.
func (a *Analyzer) Query(dst []QueryTerm, text string, weight float64) []QueryTerm { return dst }

// An Index holds documents.
type Index struct{}

// A Snapshot is the state of an Index at one moment; every method that reads.
type Snapshot struct{}

// New returns an empty index.
func New(opts Options) (*Index, error) { return &Index{}, opts.Validate() }

// A Doc is a document to add or the new text of one to update.
type Doc struct {
	ID   string
	Text string
}

// Changes are made by [Index.Apply] in one step. No id may come twice.
type Changes struct {
	Delete []string // documents that are there
	Update []Doc    // documents that are there; they keep their place in the order
	Add    []Doc    // documents that are not there; they come last, in this order
}

// Apply makes all changes or, on error, none.
func (ix *Index) Apply(ctx context.Context, c Changes) error { return errNotYet }

// Add adds a document.
func (ix *Index) Add(ctx context.Context, id, text string) error { return errNotYet }

// AddBatch adds documents in one step.
func (ix *Index) AddBatch(ctx context.Context, docs []Doc) error { return errNotYet }

// Update replaces the text of a document.
func (ix *Index) Update(ctx context.Context, id, text string) error { return errNotYet }

// Delete removes documents.
func (ix *Index) Delete(ids ...string) error { return errNotYet }

// Compact frees dead rows.
func (ix *Index) Compact() {}

// Snapshot is the current state; the methods of Index below forward to it.
func (ix *Index) Snapshot() *Snapshot { return &Snapshot{} }

// Len is the number of documents.
func (s *Snapshot) Len() int { return 0 }

// Has says whether a document is there.
func (s *Snapshot) Has(id string) bool { return false }

// Analyzer of the index.
func (s *Snapshot) Analyzer() *Analyzer { return nil }

// Search by q.Text, with q.Within and q.Keep.
func (s *Snapshot) Search(ctx context.Context, q prospect.Query) ([]prospect.Hit, error) {
	return nil, errNotYet
}

// SearchTerms by weighted terms; q.Text is ignored.
func (s *Snapshot) SearchTerms(ctx context.Context, terms []QueryTerm, q prospect.Query) ([]prospect.Hit, error) {
	return nil, errNotYet
}

// Scores of the given documents for a text: exactly those of Search, 0 where no term matches.
func (s *Snapshot) Scores(ctx context.Context, text string, ids []string) ([]float64, error) {
	return nil, errNotYet
}

// ScoresTerms of the given documents for weighted terms.
func (s *Snapshot) ScoresTerms(ctx context.Context, terms []QueryTerm, ids []string) ([]float64, error) {
	return nil, errNotYet
}

// Explain says how a document's score for a text comes about.
func (s *Snapshot) Explain(text, id string) (Explanation, error) { return Explanation{}, errNotYet }

// An Explanation of a score.
type Explanation struct {
	ID        string
	Score     float64 // the sum of the terms' scores
	Documents int     // N
	Length    int     // of the document, in terms
	AvgLength float64
	Terms     []TermScore // those of the query that the document has, in byte order
}

// A TermScore is the part of one term in a score.
type TermScore struct {
	Term   string
	Weight float64 // in the query
	TF, DF int
	IDF    float64
	Norm   float64 // 1 − b + b·Length/AvgLength
	Score  float64
}

// WriteTo writes the snapshot for Read.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) { return 0, errNotYet }

// Save writes a file atomically.
func (s *Snapshot) Save(path string) error { return errNotYet }

// Read reads what WriteTo wrote. Analyzer and parameters come from opts and must be those of the file.
func Read(r io.Reader, opts Options) (*Index, error) { return nil, errNotYet }

// Open reads a file that Save wrote.
func Open(path string, opts Options) (*Index, error) { return nil, errNotYet }

// Search and the rest on the current snapshot.
func (ix *Index) Search(ctx context.Context, q prospect.Query) ([]prospect.Hit, error) {
	return ix.Snapshot().Search(ctx, q)
}

// Len is the number of documents.
func (ix *Index) Len() int { return ix.Snapshot().Len() }

// Has says whether a document is there.
func (ix *Index) Has(id string) bool { return ix.Snapshot().Has(id) }

// SearchTerms is [Snapshot.SearchTerms] of the current state.
func (ix *Index) SearchTerms(ctx context.Context, terms []QueryTerm, q prospect.Query) ([]prospect.Hit, error) {
	return ix.Snapshot().SearchTerms(ctx, terms, q)
}

// Scores is [Snapshot.Scores] of the current state.
func (ix *Index) Scores(ctx context.Context, text string, ids []string) ([]float64, error) {
	return ix.Snapshot().Scores(ctx, text, ids)
}

// Explain is [Snapshot.Explain] of the current state.
func (ix *Index) Explain(text, id string) (Explanation, error) { return ix.Snapshot().Explain(text, id) }

// Save is [Snapshot.Save] of the current state.
func (ix *Index) Save(path string) error { return ix.Snapshot().Save(path) }

// WriteTo is [Snapshot.WriteTo] of the current state.
func (ix *Index) WriteTo(w io.Writer) (int64, error) { return ix.Snapshot().WriteTo(w) }
