package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

// vecindexArea compares exact search: one query and several, by size.
func vecindexArea(ctx context.Context, o *options, out *output) error {
	times := make([]float64, len(o.sizes))
	for i, s := range o.sizes {
		var err error
		if times[i], err = searchSynthetic(ctx, o, out, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		runtime.GC() // the next size may need the room
	}
	if err := searchReal(ctx, o, out); err != nil {
		return err
	}
	// Linear cost is a constant in the last column, once a collection is
	// larger than the caches.
	out.note("\n## growth: one query, float32\n")
	for i, s := range o.sizes {
		out.note("%14s %10.4f ms %8.2f ps a component", s, times[i], times[i]*1e9/float64(s.rows*s.dim))
	}
	return nil
}

// searchSynthetic returns the time for one query.
func searchSynthetic(ctx context.Context, o *options, out *output, s size) (float64, error) {
	c := synthetic(s)
	exact, err := indexOf(c, vecindex.Options{})
	if err != nil {
		return 0, err
	}
	right, err := hitsOf(ctx, exact, c)
	if err != nil {
		return 0, err
	}
	quick, err := indexOf(c, vecindex.Options{Quantize: true})
	if err != nil {
		return 0, err
	}
	var py *python
	if o.wants("faiss") || o.wants("numpy") {
		if py, err = startPython(ctx, c); err != nil {
			out.note("no faiss and numpy: %v", err)
		} else {
			defer py.close()
		}
	}

	single := []contender{prospectSingle(ctx, "prospect", exact, c), readBandwidth(exact)}
	peers, err := goPeers(ctx, o, out, c, right)
	if err != nil {
		return 0, err
	}
	single = append(single, peers...)
	if py != nil {
		single = append(single, py.contender("faiss", 1, right), py.contender("numpy", 1, right))
	}
	took, err := contest(ctx, out, o, "single/"+s.String()+"/float32", "ms/query", 1, single)
	if err != nil {
		return 0, err
	}
	recall := recallOf(right, func(i int) ([]int, error) { return prospectHits(ctx, quick, c, i) })
	coded := prospectSingle(ctx, "prospect", quick, c)
	coded.recall = recall
	against := prospectSingle(ctx, "prospect-float32", exact, c)
	if _, err := contest(ctx, out, o, "single/"+s.String()+"/int8", "ms/query", 1, []contender{coded, against}); err != nil {
		return 0, err
	}
	for _, m := range []int{32, 128} {
		batch := []contender{prospectBatch(ctx, exact, c, m)}
		if py != nil {
			batch = append(batch, py.contender("faiss", m, right), py.contender("numpy", m, right))
		}
		batch = append(batch, gonumBatch(c, m))
		if _, err := contest(ctx, out, o, fmt.Sprintf("batch%d/%s/float32", m, s), "ms/query", m, batch); err != nil {
			return 0, err
		}
	}
	return took, nil
}

// searchReal compares codes with exact vectors on embeddings of real texts.
func searchReal(ctx context.Context, o *options, out *output) error {
	vectors, queries, err := galleryVectors(ctx)
	if err != nil {
		out.note("\nno real embeddings: %v", err)
		return nil
	}
	for _, n := range []int{len(vectors), 100_000} {
		c := enlarged(vectors, queries, n)
		exact, err := indexOf(c, vecindex.Options{})
		if err != nil {
			return err
		}
		quick, err := indexOf(c, vecindex.Options{Quantize: true})
		if err != nil {
			return err
		}
		right, err := hitsOf(ctx, exact, c)
		if err != nil {
			return err
		}
		coded := prospectSingle(ctx, "prospect", quick, c)
		coded.recall = recallOf(right, func(i int) ([]int, error) { return prospectHits(ctx, quick, c, i) })
		name := fmt.Sprintf("single/%s/int8-real", c.size)
		if _, err := contest(ctx, out, o, name, "ms/query", 1, []contender{
			coded, prospectSingle(ctx, "prospect-float32", exact, c)}); err != nil {
			return err
		}
	}
	return nil
}

func indexOf(c *collection, opts vecindex.Options) (*vecindex.Index, error) {
	ix, err := vecindex.New(c.dim, opts)
	if err != nil {
		return nil, err
	}
	const piece = 10_000
	for lo := 0; lo < c.rows; lo += piece {
		var docs []vecindex.Doc
		for i := lo; i < min(lo+piece, c.rows); i++ {
			docs = append(docs, vecindex.Doc{ID: c.id(i), Vector: c.row(i)})
		}
		if err := ix.Apply(vecindex.Changes{Add: docs}); err != nil {
			return nil, err
		}
	}
	return ix, nil
}

func prospectSingle(ctx context.Context, name string, ix *vecindex.Index, c *collection) contender {
	return contender{name: name, recall: 1, run: timed(func(i int) error {
		_, err := ix.Search(ctx, prospect.Query{Vector: c.query(i), K: k})
		return err
	})}
}

func prospectBatch(ctx context.Context, ix *vecindex.Index, c *collection, m int) contender {
	queries := make([]prospect.Query, m)
	for i := range queries {
		queries[i] = prospect.Query{Vector: c.query(i), K: k}
	}
	return contender{name: "prospect", recall: 1, run: func(int) (time.Duration, error) {
		start := time.Now()
		_, err := ix.SearchBatch(ctx, queries, vecindex.Filter{})
		return time.Since(start), err
	}}
}

func prospectHits(ctx context.Context, ix *vecindex.Index, c *collection, i int) ([]int, error) {
	hits, err := ix.Search(ctx, prospect.Query{Vector: c.query(i), K: k})
	rows := make([]int, len(hits))
	for j, h := range hits {
		if _, err := fmt.Sscan(h.ID, &rows[j]); err != nil {
			return nil, err
		}
	}
	return rows, err
}

// hitsOf is the right answer to each query.
func hitsOf(ctx context.Context, ix *vecindex.Index, c *collection) ([][]int, error) {
	right := make([][]int, numQueries)
	var err error
	for i := range right {
		if right[i], err = prospectHits(ctx, ix, c, i); err != nil {
			return nil, err
		}
	}
	return right, nil
}

// recallOf is the share of the right hits that search finds, or -1 where it
// fails.
func recallOf(right [][]int, search func(i int) ([]int, error)) float64 {
	found, all := 0, 0
	for i, want := range right {
		got, err := search(i)
		if err != nil {
			return -1
		}
		for _, row := range want {
			if slices.Contains(got, row) {
				found++
			}
		}
		all += len(want)
	}
	return float64(found) / float64(all)
}
