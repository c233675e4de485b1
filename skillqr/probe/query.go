package probe

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

// A Query is one to probe with.
type Query struct {
	// ID, unique among the queries of a probe.
	ID   string
	Text string
	// Grades are the judgements: documents by id. At least one must be above 0.
	Grades map[string]float64
}

// Sample draws n of the queries, or all where there are fewer: those whose ids
// come first in the order of a hash of seed and id. So a sample does not
// depend on the order of the queries, and one of more queries holds one of
// fewer. They are returned in the order given.
func Sample(queries []Query, n int, seed uint64) []Query {
	type drawn struct {
		at  int
		sum [sha256.Size]byte
	}
	all := make([]drawn, len(queries))
	for i, q := range queries {
		all[i] = drawn{i, sha256.Sum256(fmt.Appendf(nil, "%d\n%s", seed, q.ID))}
	}
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Or(bytes.Compare(a.sum[:], b.sum[:]), a.at-b.at) })
	all = all[:max(0, min(n, len(all)))]
	slices.SortFunc(all, func(a, b drawn) int { return a.at - b.at })
	out := make([]Query, len(all))
	for i, d := range all {
		out[i] = queries[d.at]
	}
	return out
}

func optionError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{prospect.ErrOption}, args...)...)
}

// check refuses queries that cannot be probed with.
func check(queries []Query) error {
	if len(queries) == 0 {
		return optionError("no queries")
	}
	seen := map[string]bool{}
	for _, q := range queries {
		switch {
		case q.ID == "":
			return prospect.ErrEmptyID
		case seen[q.ID]:
			return &prospect.IDError{ID: q.ID, Err: prospect.ErrDuplicateID}
		}
		seen[q.ID] = true
		if _, err := valueOf(metrics.Success(1), nil, q); err != nil {
			return &prospect.IDError{ID: q.ID, Err: err}
		}
	}
	return nil
}

// valueOf is the measure of hits for a query.
func valueOf(m metrics.Measure, hits []prospect.Hit, q Query) (float64, error) {
	judged, err := metrics.Judge(metrics.Ranking(hits), q.Grades)
	if err != nil {
		return 0, err
	}
	return m.Of(judged)
}

// each calls f for every query, some at the same time, and stops at the first
// error.
func each(ctx context.Context, n, parallel int, progress func(done, of int), f func(ctx context.Context, i int) error) error {
	var mu sync.Mutex
	done := 0
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(ctx, i); err != nil {
				return err
			}
			if progress != nil {
				mu.Lock()
				defer mu.Unlock()
				done++
				progress(done, n)
			}
			return nil
		})
	}
	return g.Wait()
}

// mean and its interval.
func mean(values []float64, r metrics.Resampling) (Mean, error) {
	interval, err := metrics.MeanInterval(values, r)
	var sum float64
	for _, v := range values {
		sum += v
	}
	return Mean{sum / float64(len(values)), interval.Low, interval.High}, err
}

// A Mean of a measure over queries, with its bootstrap interval.
type Mean struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// quantile of durations, by the nearest rank; q in (0, 1].
func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	rank := int(math.Ceil(q*float64(len(sorted)) - 1e-9)) // 0.95·20 is 19
	return sorted[max(rank, 1)-1]
}
