package skilldreamer

import (
	"context"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
)

// A Store is where a [Dreamer] looks for skills. [Gallery] is the one of this
// package; a database can stand behind another.
//
// Implementations are safe for concurrent use.
type Store interface {
	// Embedder made the store's vectors. Tasks and imagined skills are
	// embedded with it.
	Embedder() prospect.Embedder

	// Recipe makes the texts that are embedded. Imagined skills go through it
	// too, so that they lie where real skills lie.
	Recipe() Recipe

	// View is the present state of the skills that come from the named
	// sources, or of all if none is named. It stays as it is while the store
	// goes on, and one search uses one view.
	View(ctx context.Context, sources ...string) (View, error)
}

// A View is one consistent state of a [Store], for one search, which calls
// Nearest and Skills once, Similarities and Matching at most once (Matching if
// [Weights.Words] is set), and Lexical once a query. They may be called from
// several goroutines. Ids are those that Nearest and Matching gave; an id that is
// not in the view is an error that wraps [prospect.ErrNotFound]. All scores are
// finite, and no list has a skill twice.
type View interface {
	// Len is the number of skills in the view.
	Len() int

	// Nearest returns, for each sum, the k skills s with the highest
	//
	//	Σ_t Weight_t · sim(vectors[Vector_t], s)
	//
	// best first, ties in the order of the gallery; fewer where the view has
	// fewer. The vectors have unit length and the embedder's dimension. sim is
	// the cosine, and of a skill with several vectors the highest of them. Where
	// every skill has one vector, that is the inner product with one combined
	// vector, Σ Weight·vector, which a store may search for instead: it has
	// another length than 1, and the product is neither normalised nor clamped.
	Nearest(ctx context.Context, vectors [][]float32, sums [][]Term, k int) ([][]Candidate, error)

	// Matching returns, for each query, the k skills with the highest BM25 score,
	// which is that of Lexical: best first, ties in the order of the gallery.
	// Skills that have no term of the query are left out.
	Matching(ctx context.Context, queries []string, k int) ([][]Candidate, error)

	// Similarities returns sim of each vector (row) with each skill (column).
	// The vectors have unit length.
	Similarities(ctx context.Context, vectors [][]float32, ids []string) ([][]float64, error)

	// Lexical returns the BM25 score of the query for each skill, with the
	// statistics of the whole store: 0 or more, higher is better.
	Lexical(ctx context.Context, query string, ids []string) ([]float64, error)

	// Skills returns the skill of each id, in order. They are shared: do not
	// change them.
	Skills(ctx context.Context, ids []string) ([]*skill.Skill, error)
}

// A Term is a part of a weighted sum of similarities.
type Term struct {
	Vector int     // position among the vectors
	Weight float64 // finite, 0 or more
}

// A Candidate is a skill that a [View] offers for one sum or query.
type Candidate struct {
	ID    string
	Order int64   // the skill's place in the gallery; smaller is earlier
	Score float64 // the sum, or the BM25 score
}
