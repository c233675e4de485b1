package kmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/prospect-go/prospect/internal/kernel"
)

// A seeder chooses rows as first centroids by greedy k-means++ (Arthur and
// Vassilvitskii 2007, the variant of their conclusion): each is drawn with a
// probability proportional to 1 − the cosine with the nearest one chosen so
// far, half the squared distance; of several such draws the one counts that
// leaves the smallest sum of these.
type seeder struct {
	rows    Matrix
	random  *rand.Rand
	nearest []float32 // by row: the cosine with the nearest centroid

	candidates []float32 // vectors of the draws
	scores     []float32 // by block, draw and row
	sums       []float64 // by draw and block: what it leaves
	left       []float64 // by block: the sum of the weights of its rows
}

const (
	// trials is how many draws a step chooses from: as many as the kernel
	// multiplies with one reading of the rows.
	trials = 6
	// seedRows is how many rows are scored at a time.
	seedRows = 512
)

// weight of a row whose nearest centroid has this cosine. Rows that are as
// good as chosen have none.
func weight(cosine float32) float64 {
	if cosine >= sameCosine {
		return 0
	}
	return 1 - float64(cosine)
}

// seed returns k of the rows, fewer where fewer differ.
func seed(ctx context.Context, rows Matrix, k int, random *rand.Rand) (Matrix, error) {
	n := rows.Len()
	if k >= n {
		return Matrix{Dim: rows.Dim, Data: slices.Clone(rows.Data)}, ctx.Err()
	}
	blocks := ceilDiv(n, seedRows)
	s := &seeder{
		rows: rows, random: random,
		nearest:    make([]float32, n),
		candidates: make([]float32, 0, trials*rows.Dim),
		scores:     make([]float32, trials*n),
		sums:       make([]float64, trials*blocks),
		left:       make([]float64, blocks),
	}
	for i := range s.nearest {
		s.nearest[i] = -1
	}
	chosen := Matrix{Dim: rows.Dim, Data: make([]float32, 0, k*rows.Dim)}
	s.candidates = append(s.candidates, rows.Row(random.IntN(n))...)
	for {
		best, err := s.try(ctx)
		if err != nil {
			return Matrix{}, err
		}
		chosen.Data = append(chosen.Data, s.candidates[best*rows.Dim:(best+1)*rows.Dim]...)
		if chosen.Len() == k {
			return chosen, nil
		}
		if err := s.choose(ctx, best); err != nil {
			return Matrix{}, err
		}
		if !s.draw() {
			return chosen, nil
		}
	}
}

// try scores the candidates and returns the one that leaves least.
func (s *seeder) try(ctx context.Context) (best int, err error) {
	n, blocks, dim := s.rows.Len(), len(s.left), s.rows.Dim
	drawn := len(s.candidates) / dim
	err = each(ctx, blocks, func(_, b int) {
		lo, hi := b*seedRows, min((b+1)*seedRows, n)
		scores := s.scores[lo*trials:][:(hi-lo)*drawn]
		kernel.DotMatrix(scores, s.candidates, s.rows.span(lo, hi), dim)
		for t := range drawn {
			var sum float64
			nearest := s.nearest[lo:hi]
			for i, x := range scores[t*(hi-lo) : (t+1)*(hi-lo)] {
				sum += weight(max(x, nearest[i]))
			}
			s.sums[t*blocks+b] = sum
		}
	})
	least := math.Inf(1)
	for t := range drawn {
		var sum float64
		for _, x := range s.sums[t*blocks : (t+1)*blocks] {
			sum += x
		}
		if sum < least {
			best, least = t, sum
		}
	}
	return best, err
}

// choose makes a candidate a centroid.
func (s *seeder) choose(ctx context.Context, best int) error {
	blocks := len(s.left)
	copy(s.left, s.sums[best*blocks:(best+1)*blocks])
	for b := range blocks {
		lo, hi := b*seedRows, min((b+1)*seedRows, s.rows.Len())
		scores := s.scores[lo*trials+best*(hi-lo):][:hi-lo]
		for i, x := range scores {
			s.nearest[lo+i] = max(s.nearest[lo+i], x)
		}
	}
	return ctx.Err()
}

// draw draws new candidates. It returns false where no row has a weight.
func (s *seeder) draw() bool {
	var total float64
	for _, x := range s.left {
		total += x
	}
	s.candidates = s.candidates[:0]
	if total == 0 {
		return false
	}
	for range trials {
		s.candidates = append(s.candidates, s.rows.Row(s.at(s.random.Float64()*total))...)
	}
	return true
}

// at is the row at which the weights up to it exceed x; the last with a weight
// where rounding lets x pass them all.
func (s *seeder) at(x float64) int {
	block, rest := 0, 0.0
	for b, sum := range s.left {
		if sum == 0 {
			continue
		}
		block, rest = b, x
		if x < sum {
			break
		}
		x -= sum
	}
	row := -1
	for i := block * seedRows; i < min((block+1)*seedRows, s.rows.Len()); i++ {
		w := weight(s.nearest[i])
		if w == 0 {
			continue
		}
		row = i
		if rest < w {
			break
		}
		rest -= w
	}
	return row
}
