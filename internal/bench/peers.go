package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/hnsw"
	"github.com/philippgille/chromem-go"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/prospect-go/prospect/internal/peek"
	"github.com/prospect-go/prospect/vecindex"
)

// readBandwidth is no search: what it takes to read the index's own vectors
// once, with a sum by vector instructions, in blocks that go to whoever is free.
// A search that reads all of them can't be faster. It is the very memory that the
// search reads: how fast that is depends on the pages that it lies on, by up to a
// third from one allocation to the next.
func readBandwidth(ix *vecindex.Index) contender {
	blocks := peek.VectorBlocks(ix)
	workers := runtime.GOMAXPROCS(0)
	sums := make([]float32, len(blocks))
	return contender{name: "read-bandwidth", recall: -1, run: timed(func(int) error {
		var next atomic.Int64
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for {
					i := int(next.Add(1)) - 1
					if i >= len(blocks) {
						return
					}
					sums[i] = vek32.Sum(blocks[i])
				}
			})
		}
		wg.Wait()
		return nil
	})}
}

// goPeers are the libraries in Go that search for one query.
func goPeers(ctx context.Context, o *options, out *output, c *collection, right [][]int) ([]contender, error) {
	peers := []contender{gonumPeer(c, right), dotLoop(c, right)}
	if o.wants("chromem-go") {
		chromem, err := chromemPeer(ctx, c, right)
		if err != nil {
			return nil, err
		}
		peers = append(peers, chromem)
	}
	if !o.wants("coder/hnsw") {
		return peers, nil
	}
	if c.rows > o.hnsw {
		out.note("no coder/hnsw for %s: more rows than -hnsw", c.size)
		return peers, nil
	}
	return append(peers, hnswPeer(out, c, right)), nil
}

func chromemPeer(ctx context.Context, c *collection, right [][]int) (contender, error) {
	db := chromem.NewDB()
	col, err := db.CreateCollection("bench", nil, func(context.Context, string) ([]float32, error) {
		return nil, fmt.Errorf("documents come with vectors")
	})
	if err != nil {
		return contender{}, err
	}
	docs := make([]chromem.Document, c.rows)
	for i := range docs {
		docs[i] = chromem.Document{ID: c.id(i), Embedding: c.row(i), Content: "x"}
	}
	if err := col.AddDocuments(ctx, docs, runtime.GOMAXPROCS(0)); err != nil {
		return contender{}, err
	}
	search := func(i int) ([]chromem.Result, error) {
		return col.QueryEmbedding(ctx, c.query(i), min(k, c.rows), nil, nil)
	}
	recall := recallOf(right[:10], func(i int) (rows []int, err error) {
		hits, err := search(i)
		for _, h := range hits {
			row, _ := strconv.Atoi(h.ID)
			rows = append(rows, row)
		}
		return rows, err
	})
	return contender{name: "chromem-go", recall: recall, run: timed(func(i int) error {
		_, err := search(i)
		return err
	})}, nil
}

// gonumPeer multiplies by the matrix of vectors and picks the best.
func gonumPeer(c *collection, right [][]int) contender {
	a := blas32.General{Rows: c.rows, Cols: c.dim, Stride: c.dim, Data: c.block}
	scores := make([]float32, c.rows)
	search := func(i int) ([]int, error) {
		blas32.Gemv(blas.NoTrans, 1, a, blas32.Vector{N: c.dim, Inc: 1, Data: c.query(i)}, 0,
			blas32.Vector{N: c.rows, Inc: 1, Data: scores})
		return best(scores), nil
	}
	return contender{name: "gonum (1 thread)", recall: recallOf(right[:10], search), run: timed(func(i int) error {
		_, err := search(i)
		return err
	})}
}

func gonumBatch(c *collection, m int) contender {
	a := blas32.General{Rows: c.rows, Cols: c.dim, Stride: c.dim, Data: c.block}
	q := blas32.General{Rows: m, Cols: c.dim, Stride: c.dim, Data: c.batch(0, m)}
	s := blas32.General{Rows: m, Cols: c.rows, Stride: c.rows, Data: make([]float32, m*c.rows)}
	return contender{name: "gonum", recall: -1, run: timed(func(int) error {
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, q, a, 0, s)
		for i := range m {
			best(s.Data[i*c.rows : (i+1)*c.rows])
		}
		return nil
	})}
}

// dotLoop is what one writes by hand with vek.
func dotLoop(c *collection, right [][]int) contender {
	scores := make([]float32, c.rows)
	search := func(i int) ([]int, error) {
		q := c.query(i)
		for r := range scores {
			scores[r] = vek32.Dot(c.row(r), q)
		}
		return best(scores), nil
	}
	return contender{name: "vek32.Dot loop (1 thread)", recall: recallOf(right[:10], search), run: timed(func(i int) error {
		_, err := search(i)
		return err
	})}
}

// best is the positions of the k highest scores.
func best(scores []float32) []int {
	top := make([]int, 0, k+1)
	for i, s := range scores {
		if len(top) == k && s <= scores[top[k-1]] {
			continue
		}
		at := len(top)
		for at > 0 && s > scores[top[at-1]] {
			at--
		}
		top = append(top, 0)
		copy(top[at+1:], top[at:])
		top[at] = i
		top = top[:min(len(top), k)]
	}
	return top
}

// hnswPeer is an approximate index, with its defaults.
func hnswPeer(out *output, c *collection, right [][]int) contender {
	start := time.Now()
	g := hnsw.NewGraph[int]()
	for i := range c.rows {
		g.Add(hnsw.MakeNode(i, c.row(i)))
	}
	out.note("coder/hnsw: built in %v", time.Since(start).Round(time.Millisecond))
	search := func(i int) (rows []int, err error) {
		for _, n := range g.Search(c.query(i), k) {
			rows = append(rows, n.Key)
		}
		return rows, nil
	}
	return contender{name: "coder/hnsw (1 thread)", recall: recallOf(right, search), run: timed(func(i int) error {
		_, err := search(i)
		return err
	})}
}
