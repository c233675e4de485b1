package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A size is how many vectors a collection has, of which dimension.
type size struct{ rows, dim int }

func (s size) String() string { return fmt.Sprintf("%dx%d", s.rows, s.dim) }

type sizes []size

var defaultSizes = sizes{{1_000, 384}, {10_000, 384}, {100_000, 384}, {100_000, 1024}}

func (s *sizes) String() string {
	var parts []string
	for _, one := range *s {
		parts = append(parts, one.String())
	}
	return strings.Join(parts, ",")
}

func (s *sizes) Set(text string) error {
	*s = nil
	for part := range strings.SplitSeq(text, ",") {
		rows, dim, _ := strings.Cut(part, "x")
		r, err := strconv.Atoi(rows)
		d, err2 := strconv.Atoi(dim)
		if err != nil || err2 != nil || r < 1 || d < 1 {
			return fmt.Errorf("%q is not of the form 1000x384", part)
		}
		*s = append(*s, size{r, d})
	}
	return nil
}

// A collection is what all contenders search: unit vectors in one block.
type collection struct {
	size
	block   []float32
	queries []float32 // numQueries of them
}

const (
	numQueries = 128
	k          = 10
)

func (c *collection) row(i int) []float32   { return c.block[i*c.dim : (i+1)*c.dim : (i+1)*c.dim] }
func (c *collection) query(i int) []float32 { return c.batch(i%numQueries, 1) }

// batch is n queries from the i-th on, one after the other.
func (c *collection) batch(i, n int) []float32 { return c.queries[i*c.dim : (i+n)*c.dim : (i+n)*c.dim] }

func (c *collection) id(i int) string { return strconv.Itoa(i) }

// synthetic makes a collection that looks like sentence embeddings: some
// directions vary more than others, there is a common component, and texts come
// in topics. Queries are drawn like rows.
func synthetic(s size) *collection {
	r := rand.New(rand.NewPCG(uint64(s.rows), uint64(s.dim)))
	c := &collection{size: s, block: floats(s.rows * s.dim), queries: make([]float32, numQueries*s.dim)}
	spread := make([]float32, s.dim)
	common := make([]float32, s.dim)
	for i := range spread {
		spread[i] = float32(math.Pow(float64(1+i), -0.35))
		common[i] = float32(r.NormFloat64()) * spread[i] / 3
	}
	topics := make([][]float32, 200)
	for t := range topics {
		topics[t] = make([]float32, s.dim)
		for i := range topics[t] {
			topics[t][i] = common[i] + float32(r.NormFloat64())*spread[i]/2
		}
	}
	draw := func(v []float32) {
		topic := topics[r.IntN(len(topics))]
		for i := range v {
			v[i] = topic[i] + float32(r.NormFloat64())*spread[i]
		}
		normalise(v)
	}
	for i := range s.rows {
		draw(c.row(i))
	}
	for i := range numQueries {
		draw(c.batch(i, 1))
	}
	return c
}

// enlarged repeats vectors, each copy a little off, up to n rows.
func enlarged(vectors, queries [][]float32, n int) *collection {
	dim := len(vectors[0])
	c := &collection{size: size{n, dim}, block: floats(n * dim), queries: make([]float32, numQueries*dim)}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range n {
		v := c.row(i)
		copy(v, vectors[i%len(vectors)])
		if i >= len(vectors) {
			for j := range v {
				v[j] += float32(r.NormFloat64()) * 0.3 / float32(math.Sqrt(float64(dim)))
			}
		}
		normalise(v)
	}
	for i := range numQueries {
		copy(c.batch(i, 1), queries[i%len(queries)])
		normalise(c.batch(i, 1))
	}
	return c
}

func normalise(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
}
