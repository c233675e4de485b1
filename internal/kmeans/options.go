package kmeans

import (
	"fmt"
	"math"

	"github.com/prospect-go/prospect"
)

// Options for [Cluster]. The zero value has the defaults.
type Options struct {
	// K is the number of clusters. Default √n of n rows, rounded. More than
	// there are rows is as many as there are rows.
	K int
	// Seed of all random choices. Default 0, a seed like any other.
	Seed uint64
	// MaxIterations is how often all rows are assigned at most. Default 25.
	MaxIterations int
	// Tolerance stops the iterations: when one lowers the inertia by no more
	// than this share. Default 0.001. The smallest float64 goes on until no row
	// moves.
	Tolerance float64
	// Progress, where it is not nil, is called after each iteration, by the
	// goroutine that called Cluster.
	Progress func(Progress)
}

// Progress says how far [Cluster] is.
type Progress struct {
	Iteration  int     // from 1, of this many rows
	Rows       int     // those of the sample at first, then all
	Moved      int     // rows that came to another cluster
	MeanCosine float64 // of rows with their centroids
}

const (
	defaultMaxIterations = 25
	defaultTolerance     = 1e-3
)

// Validate reports options out of range as [prospect.ErrOption].
func (o Options) Validate() error {
	switch {
	case o.K < 0:
		return fmt.Errorf("%w: K %d is negative", prospect.ErrOption, o.K)
	case o.K > math.MaxInt32:
		return fmt.Errorf("%w: K %d is above 2³¹ − 1", prospect.ErrOption, o.K)
	case o.MaxIterations < 0:
		return fmt.Errorf("%w: MaxIterations %d is negative", prospect.ErrOption, o.MaxIterations)
	case !(o.Tolerance >= 0 && o.Tolerance < 1):
		return fmt.Errorf("%w: Tolerance %g is not in [0, 1)", prospect.ErrOption, o.Tolerance)
	}
	return nil
}

// filled has the defaults for n rows.
func (o Options) filled(n int) Options {
	if o.K == 0 {
		o.K = max(int(math.Round(math.Sqrt(float64(n)))), 1)
	}
	o.K = min(o.K, n)
	if o.MaxIterations == 0 {
		o.MaxIterations = defaultMaxIterations
	}
	if o.Tolerance == 0 {
		o.Tolerance = defaultTolerance
	}
	return o
}
