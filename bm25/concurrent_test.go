package bm25_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

// Every change moves ten documents from one generation to the next, in one
// step, and so does the index: a search that saw part of a change would find
// two generations, or not ten documents, or scores of other statistics than
// those of a whole state.
func TestSearchesSeeWholeChanges(t *testing.T) {
	ctx := context.Background()
	const rounds, group = 200, 10
	ix := build(t, bm25.Options{Analyzer: fields, MaxDead: 1}, nil)
	change := func(round int) bm25.Changes {
		var c bm25.Changes
		for i := range group {
			d := bm25.Doc{ID: fmt.Sprintf("doc%d", i), Text: fmt.Sprintf("all new%d round%d", round*group+i, round)}
			if round == 0 {
				c.Add = append(c.Add, d)
			} else {
				c.Update = append(c.Update, d)
			}
		}
		if round > 0 {
			c.Delete = []string{fmt.Sprintf("extra%d", round-1)}
		}
		c.Add = append(c.Add, bm25.Doc{ID: fmt.Sprintf("extra%d", round), Text: "extra"})
		return c
	}
	require.NoError(t, ix.Apply(ctx, change(0)))
	// Ten documents of three terms and one of one term in every state: the
	// score of "all" is the same in all of them.
	want, err := ix.Scores(ctx, "all", []string{"doc3"})
	require.NoError(t, err)

	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			last := 0
			for {
				select {
				case <-done:
					return
				default:
				}
				hits, err := ix.Search(ctx, prospect.Query{Text: "all", K: 2 * group})
				if err != nil || len(hits) != group {
					t.Errorf("%d hits, error %v", len(hits), err)
					return
				}
				for i, h := range hits {
					if h.ID != fmt.Sprintf("doc%d", i) || h.Score != want[0] {
						t.Errorf("hit %d is %v, want doc%d with %v", i, h, i, want[0])
						return
					}
				}
				// One snapshot: exactly one generation of terms is alive, and
				// generations never go back.
				s := ix.Snapshot()
				round := -1
				for r := last; r < rounds; r++ {
					if df := s.DocFreq(fmt.Sprintf("round%d", r)); df != 0 {
						if df != group || round >= 0 {
							t.Errorf("round %d has df %d beside round %d", r, df, round)
							return
						}
						round = r
					}
				}
				if round < last || s.Len() != group+1 {
					t.Errorf("round %d after %d, %d documents", round, last, s.Len())
					return
				}
				last = round
				hits, err = s.Search(ctx, prospect.Query{Text: fmt.Sprintf("round%d new%d", round, round*group+7), K: 1})
				if err != nil || len(hits) != 1 || hits[0].ID != "doc7" {
					t.Errorf("round %d: %v, %v", round, hits, err)
					return
				}
			}
		})
	}
	for round := 1; round < rounds; round++ {
		require.NoError(t, ix.Apply(ctx, change(round)))
		if round%20 == 0 {
			ix.Compact()
		}
	}
	close(done)
	readers.Wait()
}

func TestWritersTakeTurns(t *testing.T) {
	ctx := context.Background()
	ix := build(t, bm25.Options{Analyzer: fields}, nil)
	var writers sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for w := range 4 {
		writers.Go(func() {
			for i := range 50 {
				if err := ix.Add(ctx, fmt.Sprintf("%d-%d", w, i), "a"); err != nil {
					t.Error(err)
				}
			}
			if ix.Add(ctx, "shared", "a") == nil {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	writers.Wait()
	require.Equal(t, 1, won, "one of several that add the same id")
	require.Equal(t, 201, ix.Len())
	require.Equal(t, 201, ix.Snapshot().DocFreq("a"))
}
