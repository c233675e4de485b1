package main

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

// A stage is a part of the work for one query.
type stage string

const (
	thinking  stage = "model"   // CI and PSG, or a rewrite, where a model was asked
	embedding stage = "embed"   // texts to vectors, without the cache
	score     stage = "vectors" // inner products
	words     stage = "words"   // BM25
	rest      stage = "merge"   // normalising, merging and what is between
)

var stages = []stage{thinking, embedding, score, words, rest}

// A latency says how long queries took, one at a time.
type latency struct {
	queries     int
	median, p95 time.Duration
	// middle holds means by stage over the middle half of the queries, from
	// the quick to the slow: what else the machine did at times is not in them.
	middle map[stage]time.Duration
}

// probeTime is how long one system's latency is taken at most.
const probeTime = time.Second

// takeLatency runs queries once more, one at a time, with vectors that are not
// cached: until all are through or probeTime is over, one at least. What the
// model took is that of the first time; it is not asked again.
func takeLatency(ctx context.Context, r *result, raw prospect.Embedder, queries []metrics.Doc) (*latency, error) {
	c := &clock{spent: map[stage]time.Duration{}}
	timed, err := r.ranker.timed(c, raw)
	if err != nil {
		return nil, err
	}
	if _, err := timed.rank(ctx, queries[0]); err != nil { // what is made at first use
		return nil, err
	}
	var taken []timing
	begin := time.Now()
	for _, q := range queries {
		if len(taken) > 0 && time.Since(begin) > probeTime {
			break
		}
		clear(c.spent)
		start := time.Now()
		if _, err := timed.rank(ctx, q); err != nil {
			return nil, err
		}
		t := timing{total: time.Since(start), stages: maps.Clone(c.spent)}
		t.stages[rest] = t.total
		for _, s := range []stage{embedding, score, words} {
			t.stages[rest] -= t.stages[s]
		}
		if think := r.thinking(q.ID); think > 0 {
			t.stages[thinking] = think
			t.total += think
		}
		taken = append(taken, t)
	}
	return newLatency(taken), nil
}

// A timing is what one query took.
type timing struct {
	total  time.Duration
	stages map[stage]time.Duration // they sum up to total
}

func newLatency(taken []timing) *latency {
	slices.SortStableFunc(taken, func(a, b timing) int { return cmp.Compare(a.total, b.total) })
	l := &latency{queries: len(taken), middle: map[stage]time.Duration{}}
	l.median, l.p95 = quantile(taken, 0.5), quantile(taken, 0.95)
	middle := taken[len(taken)/4 : max(len(taken)-len(taken)/4, 1)]
	for _, t := range middle {
		for s, d := range t.stages {
			l.middle[s] += d
		}
	}
	for s := range l.middle {
		l.middle[s] /= time.Duration(len(middle))
	}
	return l
}

// thinking is how long a model took for a query, 0 where none was asked.
func (r *result) thinking(query string) (sum time.Duration) {
	if r.plan.dreams() {
		return r.ranker.im.thinking(query)
	}
	if rw := r.answers[query].rewrite; rw != nil {
		for _, c := range rw.Trace.Calls {
			sum += c.Elapsed
		}
	}
	return sum
}

// quantile is the least time that a share q of the queries do not exceed.
func quantile(sorted []timing, q float64) time.Duration {
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)].total
}

type latencyRecord struct {
	Queries int                `json:"queries"`
	Median  float64            `json:"median_ms"`
	P95     float64            `json:"p95_ms"`
	Middle  map[string]float64 `json:"middle_ms"` // means by stage over the middle half of the queries
}

func (l *latency) record() *latencyRecord {
	if l == nil {
		return nil
	}
	rec := &latencyRecord{l.queries, ms(l.median), ms(l.p95), map[string]float64{}}
	for s, d := range l.middle {
		rec.Middle[string(s)] = ms(d)
	}
	return rec
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
