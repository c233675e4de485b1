package probe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/metrics"
)

// The nearest rank: of n sorted values number ⌈q·n⌉.
func TestQuantilesByHand(t *testing.T) {
	upTo := func(n int) []time.Duration {
		var d []time.Duration
		for i := n; i > 0; i-- {
			d = append(d, time.Duration(i))
		}
		return d
	}
	for _, c := range []struct {
		n           int
		median, p95 time.Duration
	}{{0, 0, 0}, {1, 1, 1}, {2, 1, 2}, {3, 2, 3}, {4, 2, 4}, {5, 3, 5}, {20, 10, 19}, {21, 11, 20}, {100, 50, 95}} {
		require.Equal(t, Latency{c.median, c.p95}, latency(upTo(c.n)), "of %d", c.n)
	}
}

// A half width of 0.04 around 0.02 with 50 queries: four times as many bring it
// to 0.02.
func TestQueriesNeededByHand(t *testing.T) {
	c := func(n int, difference, low, high float64) metrics.Comparison {
		return metrics.Comparison{N: n, Difference: difference, Interval: metrics.Interval{Low: low, High: high}}
	}
	require.Equal(t, 200, needed(c(50, 0.02, -0.02, 0.06)))
	require.Equal(t, 200, needed(c(50, -0.02, -0.06, 0.02)))
	require.Zero(t, needed(c(50, 0.05, 0.01, 0.09)), "there are enough")
	require.Zero(t, needed(c(50, 0.04, 0, 0.08)), "just enough")
	require.Zero(t, needed(c(50, 0, -0.1, 0.1)))
	require.Zero(t, needed(c(50, 1e-7, -0.1, 0.1)), "out of reach")
	require.Zero(t, needed(c(50, 0.1, 0.1, 0.1)))
}
