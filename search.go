package prospect

import (
	"cmp"
	"context"
	"fmt"
)

// A Hit is one result of a search: the id of a document and its score. A
// higher score is a better match. Scores of one list are comparable with each
// other; scores of different searchers, and of different queries, are not.
type Hit struct {
	ID    string
	Score float64
}

// A Query says what to search for. A [Searcher] reads the parts that it
// understands: a lexical index Text, a vector index Vector.
type Query struct {
	// Text of the query, for searchers over words.
	Text string
	// Vector of the query, for searchers over vectors: of the index's
	// dimension, finite and not zero. It need not have unit length.
	Vector []float32
	// K is how many hits are wanted at most. It must be positive; a K larger
	// than the number of documents gives what there is.
	K int
	// Within, where it is not nil, restricts the search to these ids. Unknown
	// and repeated ids are ignored. An empty, non-nil Within gives no hits.
	Within []string
	// Keep, where it is not nil, restricts the search to the ids for which it
	// returns true. It is applied while scanning, so that the K best of what
	// it keeps are found. It may be called from several goroutines at once.
	Keep func(id string) bool
}

// Validate reports the errors that are independent of the searcher:
// [ErrInvalidK].
func (q Query) Validate() error {
	if q.K <= 0 {
		return fmt.Errorf("%w: %d", ErrInvalidK, q.K)
	}
	return nil
}

// A Searcher finds the best documents for a query.
//
// Implementations promise:
//   - at most q.K hits, no id twice, ordered by score descending and, among
//     equal scores, by the order in which the documents were first added;
//   - the same hits for the same query on the same snapshot, whatever the
//     number of CPUs and the timing of goroutines;
//   - [ErrInvalidK] for q.K ≤ 0; [ErrUnsupportedQuery] where the part of the
//     query that they need is absent in form (no vector for a vector index);
//     an empty text, or a text without a known term, gives no hits and no
//     error;
//   - safety for many concurrent calls, also while documents are added and
//     deleted: each search sees one consistent state;
//   - they do not keep or change q.Vector and q.Within.
type Searcher interface {
	Search(ctx context.Context, q Query) ([]Hit, error)
}

// SearcherFunc adapts a function to a [Searcher]. The function has the duties
// of the interface.
type SearcherFunc func(ctx context.Context, q Query) ([]Hit, error)

// Search calls f.
func (f SearcherFunc) Search(ctx context.Context, q Query) ([]Hit, error) { return f(ctx, q) }

// CompareScores orders scores best first for slices.SortStableFunc and the
// like: negative when a is better than b. NaN is worse than every number, so
// that it can never displace a real hit.
func CompareScores(a, b float64) int { return cmp.Compare(b, a) }
