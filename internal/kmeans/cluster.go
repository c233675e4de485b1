package kmeans

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/prospect-go/prospect"
)

// A sample of so many rows a cluster, but at least so many, is what first
// centroids are chosen from.
const (
	sampleFactor  = 64
	sampleAtLeast = 1 << 13
)

// Cluster partitions unit rows into clusters around centroids, so that the
// cosines of rows with their centroids are high on average. See the package
// comment for the method, its cost and what is promised.
//
// No rows are no clusters and no error. Where fewer rows differ than there
// should be clusters, there are fewer clusters; none is ever empty.
//
// Errors: [prospect.ErrOption]; [prospect.ErrDimension] where Data is not
// whole rows; [prospect.ErrZeroVector], [prospect.ErrNotFinite] and
// [ErrNotUnit] with the row in their text; ctx's error soon after it is done.
func Cluster(ctx context.Context, rows Matrix, o Options) (*Clusters, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := rows.check(ctx); err != nil {
		return nil, err
	}
	n := rows.Len()
	if n == 0 {
		return &Clusters{}, ctx.Err()
	}
	o = o.filled(n)
	random := rand.New(rand.NewPCG(o.Seed, 0x6b6d65616e73)) // a stream of its own
	sample := sampleOf(rows, max(sampleFactor*o.K, sampleAtLeast), random)
	centroids, err := seed(ctx, sample, o.K, random)
	if err != nil {
		return nil, err
	}
	if 2*sample.Len() <= n {
		p := newPartition(sample, centroids)
		if _, err := p.lloyd(ctx, o); err != nil {
			return nil, err
		}
		centroids = p.centroids
	}
	p := newPartition(rows, centroids)
	done, err := p.lloyd(ctx, o)
	if err != nil {
		return nil, err
	}
	p.dropEmpty()
	c := p.clusters()
	c.Iterations, c.Converged, c.Repaired = done.iterations, done.converged, done.repaired
	return c, nil
}

// Assign puts unit rows into the clusters of given centroids, which are
// unit vectors and may stay without rows. It is what Cluster does in its last
// iteration: for the rows and centroids of one of its results it gives the same
// clusters.
//
// The result shares the memory of centroids. Errors are those of Cluster, and [prospect.ErrDimension] where the dimensions
// differ or there are rows and no centroids.
//
// Cost: O(n·k·dim).
func Assign(ctx context.Context, rows, centroids Matrix) (*Clusters, error) {
	if err := rows.check(ctx); err != nil {
		return nil, err
	}
	if err := centroids.check(ctx); err != nil {
		return nil, fmt.Errorf("centroids: %w", err)
	}
	if rows.Len() > 0 && (rows.Dim != centroids.Dim || centroids.Len() == 0) {
		return nil, fmt.Errorf("%w: rows of %d, %d centroids of %d", prospect.ErrDimension, rows.Dim, centroids.Len(), centroids.Dim)
	}
	p := newPartition(rows, centroids)
	if _, err := p.assign(ctx); err != nil {
		return nil, err
	}
	return p.clusters(), nil
}

// An outcome says how lloyd ended.
type outcome struct {
	iterations, repaired int
	converged            bool
}

// lloyd assigns rows and moves centroids in turns. It ends with rows assigned
// to the centroids that there are then.
func (p *partition) lloyd(ctx context.Context, o Options) (outcome, error) {
	var done outcome
	before := 0.0 // inertia a row, halved
	for {
		moved, err := p.assign(ctx)
		if err != nil {
			return done, err
		}
		filled, err := p.repair(ctx, o.K)
		if err != nil {
			return done, err
		}
		done.iterations++
		done.repaired += filled
		mean := p.mean()
		if o.Progress != nil {
			o.Progress(Progress{Iteration: done.iterations, Rows: p.rows.Len(), Moved: moved + filled, MeanCosine: mean})
		}
		now := max(1-mean, 0)
		if done.iterations > 1 && (moved+filled == 0 || before-now <= o.Tolerance*before) {
			done.converged = true
			return done, nil
		}
		if done.iterations == o.MaxIterations {
			return done, nil
		}
		before = now
		if err := p.update(ctx); err != nil {
			return done, err
		}
	}
}

// sampleOf draws n rows without replacement; they keep their order. All rows,
// not copied, where there are no more.
func sampleOf(rows Matrix, n int, random *rand.Rand) Matrix {
	if n >= rows.Len() {
		return rows
	}
	s := Matrix{Dim: rows.Dim, Data: make([]float32, 0, n*rows.Dim)}
	for _, row := range draw(rows.Len(), n, random) {
		s.Data = append(s.Data, rows.Row(row)...)
	}
	return s
}

// draw draws m of the numbers below n, ascending; all where there are no more.
// All sets of m are alike: each number is taken with the chance that what is
// still needed has among what is left (Knuth, The Art of Computer Programming 2,
// algorithm S).
func draw(n, m int, random *rand.Rand) []int {
	drawn := make([]int, 0, min(m, n))
	for i := range n {
		if random.IntN(n-i) < m-len(drawn) {
			drawn = append(drawn, i)
		}
	}
	return drawn
}
