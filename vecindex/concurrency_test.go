package vecindex_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

// A lane is one writer's share of the documents, which no other writer
// touches: the changes it is going to make and, worked out beforehand, the
// exact ranking of its documents after each.
type lane struct {
	prefix  string
	changes []vecindex.Changes
	states  [][]prospect.Hit // states[i]: after i changes

	started atomic.Int64 // changes begun; published states are at most this
	ended   atomic.Int64 // changes done; published states are at least this
}

// corners are unit vectors whose products with corners[0] are exact in
// float32: 1, 0.5, 0, -0.5 and -1. Oracle and index give equal floats.
var corners = [][]float32{{.5, .5, .5, .5}, {.5, .5, .5, -.5}, {.5, -.5, .5, -.5}, {-.5, -.5, .5, -.5}, {-.5, -.5, -.5, -.5}}

// newLane works out a lane, with several vectors for some documents or one for
// each.
func newLane(prefix string, steps int, several bool) *lane {
	type doc struct {
		id      string
		corners []int // of its vectors; the first corner is the best
	}
	l := &lane{prefix: prefix}
	r := rand.New(rand.NewPCG(uint64(prefix[0]), 9))
	var docs []doc
	next := 0
	record := func() {
		var hits []prospect.Hit
		for _, d := range docs {
			hits = append(hits, prospect.Hit{ID: d.id, Score: 1 - float64(slices.Min(d.corners))/2})
		}
		slices.SortStableFunc(hits, func(a, b prospect.Hit) int { return cmp.Compare(b.Score, a.Score) })
		l.states = append(l.states, hits)
	}
	draw := func() []int {
		corner := []int{r.IntN(len(corners))}
		for several && r.IntN(3) == 0 {
			corner = append(corner, r.IntN(len(corners)))
		}
		return corner
	}
	change := func(d doc) vecindex.Doc {
		c := vecindex.Doc{ID: d.id, Vector: corners[d.corners[0]]}
		for _, i := range d.corners[1:] {
			c.More = append(c.More, corners[i])
		}
		return c
	}
	record()
	for range steps {
		var c vecindex.Changes
		var left []doc
		for _, d := range docs {
			switch r.IntN(12) {
			case 0, 1:
				c.Delete = append(c.Delete, d.id)
				continue
			case 2, 3:
				d.corners = draw()
				c.Update = append(c.Update, change(d))
			}
			left = append(left, d)
		}
		docs = left
		for range r.IntN(6) {
			d := doc{fmt.Sprint(prefix, next%40), draw()} // ids come back
			next++
			taken := func(have doc) bool { return have.id == d.id }
			if slices.ContainsFunc(docs, taken) || slices.Contains(c.Delete, d.id) {
				continue
			}
			docs = append(docs, d)
			c.Add = append(c.Add, change(d))
		}
		l.changes = append(l.changes, c)
		record()
	}
	return l
}

func (l *lane) run(ix *vecindex.Index) error {
	for _, c := range l.changes {
		l.started.Add(1)
		if err := ix.Apply(c); err != nil {
			return err
		}
		l.ended.Add(1)
	}
	return nil
}

// of is the part of a ranking that belongs to the lane.
func (l *lane) of(hits []prospect.Hit) (own []prospect.Hit) {
	for _, h := range hits {
		if strings.HasPrefix(h.ID, l.prefix) {
			own = append(own, h)
		}
	}
	return own
}

// explain returns the first state from lo to hi that equals the hits, or -1.
func (l *lane) explain(hits []prospect.Hit, lo, hi int64) int64 {
	own := l.of(hits)
	for i := lo; i <= hi; i++ {
		if slices.Equal(own, l.states[i]) {
			return i
		}
	}
	return -1
}

// TestEverySearchSeesOnePublishedState: two writers and a compacting goroutine
// work while others search. For each writer, a search must have found exactly a
// state that was current at some moment between its begin and its end, and
// states must never go back. Run it with -race.
func TestEverySearchSeesOnePublishedState(t *testing.T) {
	for _, several := range []bool{false, true} {
		for _, quantise := range []bool{false, true} {
			t.Run(fmt.Sprintf("several %v, codes %v", several, quantise), func(t *testing.T) {
				searchWhileChanging(t, several, vecindex.Options{Quantize: quantise})
			})
		}
	}
}

func searchWhileChanging(t *testing.T, several bool, opts vecindex.Options) {
	const steps = 1500
	ix, err := vecindex.New(4, opts)
	require.NoError(t, err)
	lanes := []*lane{newLane("a", steps, several), newLane("b", steps, several)}
	q := prospect.Query{Vector: corners[0], K: 1 << 20}

	var writers, readers sync.WaitGroup
	for _, l := range lanes {
		writers.Go(func() {
			if err := l.run(ix); err != nil {
				t.Error(err)
			}
		})
	}
	done := make(chan struct{})
	var searches atomic.Int64
	for range 3 {
		readers.Go(func() {
			last := make([]int64, len(lanes))
			for {
				lo, hi := make([]int64, len(lanes)), make([]int64, len(lanes))
				for i, l := range lanes {
					lo[i] = l.ended.Load()
				}
				hits, err := ix.Search(context.Background(), q)
				if err != nil {
					t.Error(err)
					return
				}
				for i, l := range lanes {
					hi[i] = l.started.Load()
				}
				for i, l := range lanes {
					at := l.explain(hits, max(lo[i], last[i]), hi[i])
					if at < 0 {
						t.Errorf("lane %s: no state from %d to %d explains %v", l.prefix, lo[i], hi[i], l.of(hits))
						return
					}
					last[i] = at
				}
				searches.Add(1)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	readers.Go(func() { // snapshots agree with themselves, whatever is read
		for {
			s := ix.Snapshot()
			hits, err := s.Search(context.Background(), q)
			if err != nil || len(hits) != s.Len() {
				t.Errorf("%d hits of %d: %v", len(hits), s.Len(), err)
				return
			}
			var ids, ranked []string
			for id := range s.All() {
				if n := len(ids); n == 0 || ids[n-1] != id {
					ids = append(ids, id)
				}
			}
			for _, h := range hits {
				ranked = append(ranked, h.ID)
			}
			scores, err := s.Scores(context.Background(), corners[:1], ranked)
			if err != nil {
				t.Error(err)
				return
			}
			for i, h := range hits {
				if h.Score != scores[0][i] {
					t.Errorf("%s: %v and %v", h.ID, h.Score, scores[0][i])
				}
			}
			within := q
			within.Within = ids
			again, err := s.Search(context.Background(), within)
			if err != nil || !slices.Equal(hits, again) {
				t.Errorf("search within all ids gives %v, want %v: %v", again, hits, err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	readers.Go(func() {
		for {
			ix.Compact()
			select {
			case <-done:
				return
			default:
			}
		}
	})
	writers.Wait()
	close(done)
	readers.Wait()
	t.Logf("%d searches", searches.Load())

	hits, err := ix.Search(t.Context(), q)
	require.NoError(t, err)
	for _, l := range lanes {
		require.Equal(t, l.states[steps], l.of(hits))
	}
}

// TestParallelScansWhileAddingLargeBatches has blocks and scans large enough
// for several workers, for the race detector.
func TestParallelScansWhileAddingLargeBatches(t *testing.T) {
	const dim, batch, batches = 128, 2500, 6
	ix, err := vecindex.New(dim, vecindex.Options{})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(11, 11))
	v := randomVector(r, dim)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				lists, err := ix.ScoreBatch(context.Background(), [][]float32{v, v, v}, batch*batches, vecindex.Filter{})
				if err != nil || len(lists[0])%batch != 0 || !slices.Equal(lists[0], lists[2]) {
					t.Errorf("%d hits, %d at a time are added: %v", len(lists[0]), batch, err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for b := range batches {
		docs := make([]vecindex.Doc, batch)
		for i := range docs {
			docs[i] = vecindex.Doc{ID: fmt.Sprint(b, "-", i), Vector: randomVector(r, dim)}
		}
		require.NoError(t, ix.Apply(vecindex.Changes{Add: docs}))
	}
	close(done)
	wg.Wait()
}
