package skillqr

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
)

// A Part is a text of a query and how much it counts beside the others. The
// original query is one part, an expansion another.
type Part struct {
	Text string `json:"text"`
	// Weight is finite and positive; only its ratio to the others matters.
	Weight float64 `json:"weight"`
}

// counts says whether there is anything to search for. A part of another
// weight than allowed is none.
func (p Part) counts() bool { return p.Weight > 0 && !math.IsInf(p.Weight, 0) && !isBlank(p.Text) }

// A Retriever finds at most k documents, best first, for a query that is made
// of weighted parts. It has the duties of a [prospect.Searcher]. [ByText],
// [ByVector] and [ByVectorSum] make one of a searcher; an index that takes
// weighted terms is a function of a few lines, see the example of BM25.
type Retriever func(ctx context.Context, parts []Part, k int) ([]prospect.Hit, error)

// maxRepeats bounds how often a part is repeated in a text.
const maxRepeats = 20

// Join makes one text of the parts, a line each, for searchers that know no
// weights: a part that weighs n times as much as the lightest is repeated n
// times, rounded, at most 20 times. Blank parts, and those whose weight is not allowed,
// are left out.
func Join(parts []Part) string {
	lightest := math.Inf(1)
	for _, p := range parts {
		if p.counts() {
			lightest = min(lightest, p.Weight)
		}
	}
	var lines []string
	for _, p := range parts {
		if !p.counts() {
			continue
		}
		n := int(min(math.Round(p.Weight/lightest), maxRepeats))
		lines = append(lines, slices.Repeat([]string{p.Text}, n)...)
	}
	return strings.Join(lines, "\n")
}

// ByText retrieves with the [Join] of the parts as the query's text.
func ByText(s prospect.Searcher) Retriever {
	return func(ctx context.Context, parts []Part, k int) ([]prospect.Hit, error) {
		return s.Search(ctx, prospect.Query{Text: Join(parts), K: k})
	}
}

// ByVector retrieves with the vector of the [Join] of the parts, and with its
// text for searchers that use both. A blank query gives no hits.
func ByVector(s prospect.Searcher, e prospect.Embedder) Retriever {
	return func(ctx context.Context, parts []Part, k int) ([]prospect.Hit, error) {
		text := Join(parts)
		if isBlank(text) {
			return nothing(k)
		}
		vectors, err := embedQueries(ctx, e, []string{text})
		if err != nil {
			return nil, err
		}
		return s.Search(ctx, prospect.Query{Text: text, Vector: vectors[0], K: k})
	}
}

// ByVectorSum retrieves with the sum of the parts' vectors, each scaled to
// unit length and multiplied with its weight: so a long expansion cannot drown
// a short query, as it can in one text. A blank query gives no hits.
func ByVectorSum(s prospect.Searcher, e prospect.Embedder) Retriever {
	return func(ctx context.Context, parts []Part, k int) ([]prospect.Hit, error) {
		parts = slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return !p.counts() })
		if len(parts) == 0 {
			return nothing(k)
		}
		texts := make([]string, len(parts))
		for i, p := range parts {
			texts[i] = p.Text
		}
		vectors, err := embedQueries(ctx, e, texts)
		if err != nil {
			return nil, err
		}
		sum := make([]float64, e.Dim())
		for i, v := range vectors {
			n := norm(v)
			for j, x := range v {
				sum[j] += parts[i].Weight * float64(x) / n
			}
		}
		// Weights may be of any size; a float32 is not.
		var top float64
		for _, x := range sum {
			top = max(top, math.Abs(x))
		}
		if top == 0 { // opposite vectors
			return nil, prospect.ErrZeroVector
		}
		query := make([]float32, len(sum))
		for j, x := range sum {
			query[j] = float32(x / top)
		}
		return s.Search(ctx, prospect.Query{Text: Join(parts), Vector: query, K: k})
	}
}

// nothing is what a blank query finds.
func nothing(k int) ([]prospect.Hit, error) {
	if err := (prospect.Query{K: k}).Validate(); err != nil {
		return nil, err
	}
	return nil, nil
}

// embedQueries embeds texts and holds the embedder to its promise.
func embedQueries(ctx context.Context, e prospect.Embedder, texts []string) ([][]float32, error) {
	vectors, err := e.Embed(ctx, prospect.RoleQuery, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%w: the embedder gave %d vectors for %d texts", prospect.ErrContract, len(vectors), len(texts))
	}
	for i, v := range vectors {
		if len(v) != e.Dim() {
			return nil, fmt.Errorf("%w: the embedder gave %d dimensions, it says %d", prospect.ErrContract, len(v), e.Dim())
		}
		if n := norm(v); math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, &prospect.TextError{Index: i, Err: prospect.ErrNotFinite}
		} else if n == 0 {
			return nil, &prospect.TextError{Index: i, Err: prospect.ErrZeroVector}
		}
	}
	return vectors, nil
}

func norm(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
