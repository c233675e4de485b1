package skillqr

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
)

// Feedback is pseudo-relevance feedback: the first hits of the original query
// show the model what documents look like.
type Feedback struct {
	// Find retrieves for the original query.
	Find Retriever
	// Texts gives the texts of documents, in the order of the ids; "" for one
	// that is gone.
	Texts func(ctx context.Context, ids []string) ([]string, error)
	// K is the number of documents. Default 5.
	K int
	// MaxChars is the length to which each text is cut, in code points from
	// its beginning. Default 600.
	MaxChars int
}

// feedback searches for the original query.
func (r *run) feedback(ctx context.Context) []prospect.Hit {
	f := r.rw.opts.Feedback
	if f == nil {
		return nil
	}
	hits, err := f.Find(ctx, []Part{{r.query, 1}}, f.K)
	if err != nil {
		r.failed(ctx, StageFeedback, NoFeedback, err, "the search for feedback failed")
		return nil
	}
	return hits[:min(len(hits), f.K)]
}

// excerpts fetches the beginnings of documents and notes the ids of those that
// have any; none where they cannot be had.
func (r *run) excerpts(ctx context.Context, ids []string) []string {
	f := r.rw.opts.Feedback
	texts, err := f.Texts(ctx, slices.Clone(ids))
	if err == nil && len(texts) != len(ids) {
		err = fmt.Errorf("%w: %d texts for %d ids", prospect.ErrContract, len(texts), len(ids))
	}
	if err != nil {
		r.failed(ctx, StageFeedback, NoFeedback, err, "the texts for feedback could not be had")
		return nil
	}
	var documents []string
	for i, text := range texts {
		if text = head(strings.ToValidUTF8(text, "\uFFFD"), f.MaxChars); text != "" {
			documents = append(documents, text)
			r.trace.Feedback = append(r.trace.Feedback, ids[i])
		}
	}
	return documents
}

func ids(hits []prospect.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}
