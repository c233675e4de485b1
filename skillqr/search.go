package skillqr

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/fusion"
)

// SearchOptions say how [Rewriter.Search] searches. Only K must be set.
type SearchOptions struct {
	// K is how many hits are wanted at most. It must be positive.
	K int
	// Raw is the weight of the original query's own hits beside those of the
	// rewritten query, which weigh 1, from 0 to 10⁶: a guard against rewrites
	// that hurt. Default 0: they are not fused, and the original query is
	// searched only where something else needs it.
	Raw float64
	// Second is the weight of the hits with the second skill's expansion,
	// where [Options].Top is 2. Default 0.5.
	Second float64
	// Depth is how many hits of each form of the query are fused. Default:
	// K or 100, whichever is more.
	Depth int
	// Fuse merges the lists of hits. Default: reciprocal rank fusion,
	// [fusion.RRF]. See also [FuseScores].
	Fuse func(lists [][]prospect.Hit, weights []float64, k int) ([]prospect.Hit, error)
	// Keep decides, by the original query's own hits from the same retriever,
	// whether they are the result: the other guard. It spares no time, which a
	// [Gate] does. Default: never.
	Keep Gate
	// Compare searches for the original query even where nothing needs it, so
	// that Raw and Overlap of the result are known.
	Compare bool
}

// FuseScores is a weighted sum of min-max normalised scores ([fusion.Weighted]),
// for [SearchOptions].Fuse.
func FuseScores(lists [][]prospect.Hit, weights []float64, k int) ([]prospect.Hit, error) {
	return fusion.Weighted(lists, fusion.WeightedOptions{Weights: weights, K: k})
}

func fuseRanks(lists [][]prospect.Hit, weights []float64, k int) ([]prospect.Hit, error) {
	return fusion.RRF(lists, fusion.RRFOptions{Weights: weights, K: k})
}

func (o SearchOptions) withDefaults() (SearchOptions, error) {
	if err := (prospect.Query{K: o.K}).Validate(); err != nil {
		return o, err
	}
	if o.Depth < 0 {
		return o, optionError("Depth is %d, want 0 or more", o.Depth)
	}
	for _, c := range []struct {
		name string
		v    float64
	}{{"Raw", o.Raw}, {"Second", o.Second}} {
		if !(c.v >= 0 && c.v <= maxWeight) {
			return o, optionError("%s is %v, want 0 to %g", c.name, c.v, float64(maxWeight))
		}
	}
	o.Second = cmp.Or(o.Second, 0.5)
	o.Depth = cmp.Or(o.Depth, max(o.K, 100))
	if o.Fuse == nil {
		o.Fuse = fuseRanks
	}
	return o, nil
}

// Found is the outcome of a search.
type Found struct {
	// Hits, best first. Their scores are the retriever's, or those of the
	// fusion where lists were fused.
	Hits []prospect.Hit
	// Rewrite is what became of the query.
	Rewrite *Rewrite
	// Raw are the original query's own hits; nil where they were not needed.
	Raw []prospect.Hit
	// ByExpansion are the hits of the query with each expansion, in the order
	// of Rewrite.Expansions; nil for one whose search failed.
	ByExpansion [][]prospect.Hit
	// Kept is why [SearchOptions].Keep took the original query's hits, "" where
	// it did not.
	Kept string
	// Overlap is the share of the first K original hits that are among the
	// first K with the first expansion, in [0, 1]; −1 where either is not
	// known. A low one means that the rewrite decides what is found.
	Overlap float64
}

// Search rewrites a query and searches with what came of it.
//
// Where the search for one form of the query fails, the hits of the others are
// taken, those of the original query last of all, and [Trace.Fallbacks] says
// so. Errors: those of the options, ctx's error, and that of the retriever
// where no form of the query could be searched for. Cost: that of Rewrite and
// one search for each form, side by side.
func (rw *Rewriter) Search(ctx context.Context, find Retriever, query string, opts SearchOptions) (*Found, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if find == nil {
		return nil, optionError("no retriever")
	}
	out, err := rw.rewrite(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	f := &Found{Rewrite: out, Overlap: -1}
	if err := rw.search(ctx, f, find, opts); err != nil {
		return nil, err
	}
	rw.tell(Event{Rewrite: out, Overlap: f.Overlap, Kept: f.Kept})
	return f, nil
}

func (rw *Rewriter) search(ctx context.Context, f *Found, find Retriever, o SearchOptions) error {
	out := f.Rewrite
	n := len(out.Expansions)
	needRaw := n == 0 || o.Raw > 0 || o.Keep != nil || o.Compare
	fused := o.Raw > 0 || n > 1
	depth := o.K
	if fused {
		depth = max(o.K, o.Depth)
	}
	var raw []prospect.Hit
	var rawErr error
	f.ByExpansion = make([][]prospect.Hit, n)
	errs := make([]error, n)
	var wait sync.WaitGroup
	if needRaw {
		wait.Go(func() { raw, rawErr = find(ctx, []Part{{out.Query, 1}}, depth) })
	}
	for i := range n {
		wait.Go(func() { f.ByExpansion[i], errs[i] = find(ctx, rw.parts(out, i), depth) })
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	lists, weights := [][]prospect.Hit{}, []float64{}
	for i, err := range errs {
		if err != nil {
			f.fell(err, fmt.Sprintf("the search with the expansion of skill %q failed", out.Expansions[i].Skill))
			f.ByExpansion[i] = nil
			continue
		}
		lists = append(lists, f.ByExpansion[i])
		weights = append(weights, []float64{1, o.Second}[i])
	}
	if len(lists) == 0 && !needRaw {
		raw, rawErr = find(ctx, []Part{{out.Query, 1}}, depth)
		if err := ctx.Err(); err != nil {
			return err
		}
		needRaw = true
	}
	switch {
	case rawErr != nil && len(lists) == 0:
		return rawErr
	case rawErr != nil:
		f.fell(rawErr, "the search for the original query failed")
	case needRaw:
		f.Raw = raw
		if n > 0 && errs[0] == nil {
			f.Overlap = overlap(raw, f.ByExpansion[0], o.K)
		}
		if o.Keep != nil && n > 0 {
			f.Kept = o.Keep(out.Query, raw)
		}
		if f.Kept != "" || len(lists) == 0 {
			f.Hits = firstHits(raw, o.K)
			return nil
		}
		if o.Raw > 0 {
			lists, weights = append(lists, raw), append(weights, o.Raw)
		}
	}
	if len(lists) == 1 {
		f.Hits = firstHits(lists[0], o.K)
		return nil
	}
	hits, err := o.Fuse(lists, weights, o.K)
	f.Hits = hits
	return err
}

func (f *Found) fell(err error, text string) {
	t := &f.Rewrite.Trace
	t.Fallbacks = append(t.Fallbacks, Fallback{StageSearch, SearchFailed, text + ": " + err.Error(), err})
}

func firstHits(hits []prospect.Hit, k int) []prospect.Hit {
	return slices.Clone(hits[:min(len(hits), k)])
}

// overlap is the share of the first k of a that are among the first k of b.
func overlap(a, b []prospect.Hit, k int) float64 {
	a, b = a[:min(len(a), k)], b[:min(len(b), k)]
	if len(a) == 0 {
		return -1
	}
	both := 0
	for _, h := range a {
		if slices.ContainsFunc(b, func(o prospect.Hit) bool { return o.ID == h.ID }) {
			both++
		}
	}
	return float64(both) / float64(len(a))
}
