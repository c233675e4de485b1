package metrics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/metrics"
)

func ExampleCompare() {
	qrels := metrics.Qrels[string, string]{
		"convert a table": {"pdf-tables": 1, "spreadsheets": 1},
		"draw a chart":    {"charts": 1, "statistics": 1},
		"fit peaks":       {"spectra": 1},
	}
	plain, err := metrics.Evaluate(metrics.Run[string, string]{
		"convert a table": {"spreadsheets", "slides"},
		"draw a chart":    {"charts"},
		"fit peaks":       {"mountains"},
	}, qrels, metrics.Recall(5))
	if err != nil {
		panic(err)
	}
	better, err := metrics.Evaluate(metrics.Run[string, string]{
		"convert a table": {"spreadsheets", "pdf-tables"},
		"draw a chart":    {"charts", "maps"},
		"fit peaks":       {"mountains", "spectra"},
	}, qrels, metrics.Recall(5))
	if err != nil {
		panic(err)
	}
	x, y, err := metrics.Paired(better, plain, "recall@5")
	if err != nil {
		panic(err)
	}
	c, err := metrics.Compare(x, y, metrics.Resampling{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%+.2f [%.2f, %.2f] p = %.2f, %d better, %d worse, %d equal\n",
		c.Difference, c.Low, c.High, c.P, c.Wins, c.Losses, c.Ties)
	// Output: +0.50 [0.00, 1.00] p = 0.50, 2 better, 0 worse, 1 equal
}

func compare(t require.TestingT, x, y []float64, opts metrics.Resampling) metrics.Comparison {
	c, err := metrics.Compare(x, y, opts)
	require.NoError(t, err)
	return c
}

func TestCompareByHand(t *testing.T) {
	// Differences 1, 2, −3, 0, 4 with sum 4. Of the 16 ways to give signs to 1,
	// 2, 3 and 4 those with a sum of at least 4 are +4+3+2+1 = 10, +4+3+2−1 = 8,
	// +4+3−2+1 = 6, +4+3−2−1 = 4 and +4−3+2+1 = 4: 5, and as many at most −4.
	c := compare(t, []float64{2, 3, 0, 7, 4}, []float64{1, 1, 3, 7, 0}, metrics.Resampling{})
	require.Equal(t, 10.0/16, c.P)
	require.True(t, c.Exact)
	require.Equal(t, 0.8, c.Difference)
	require.Equal(t, [4]int{5, 3, 1, 1}, [4]int{c.N, c.Wins, c.Losses, c.Ties})
	interval, err := metrics.MeanInterval([]float64{1, 2, -3, 0, 4}, metrics.Resampling{})
	require.NoError(t, err)
	require.Equal(t, interval, c.Interval)

	// n wins and nothing else: two of 2ⁿ ways are as far.
	for n := 1; n <= 16; n++ {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = 0.1 * float64(i+1)
		}
		c := compare(t, x, y, metrics.Resampling{Resamples: 10})
		require.Equal(t, math.Exp2(1-float64(n)), c.P, n)
		require.True(t, c.Exact)
	}
	// From 17 on they are drawn, and p is never 0.
	x := make([]float64, 40)
	for i := range x {
		x[i] = 1
	}
	c = compare(t, x, make([]float64, 40), metrics.Resampling{Resamples: 999})
	require.Equal(t, 0.001, c.P)
	require.False(t, c.Exact)
}

func TestCompareEqualSystems(t *testing.T) {
	x := []float64{0.1, 0.5, 1}
	c := compare(t, x, x, metrics.Resampling{})
	require.Equal(t, metrics.Comparison{N: 3, P: 1, Exact: true, Ties: 3}, c)
	// What differs in the last digit is equal: 0.1 + 0.2 and 0.3.
	tenth := 0.1
	require.NotEqual(t, 0.3, tenth+0.2)
	c = compare(t, []float64{tenth + 0.2, 1}, []float64{0.3, 1}, metrics.Resampling{})
	require.Equal(t, metrics.Comparison{N: 2, P: 1, Exact: true, Ties: 2}, c)
	// And what differs sooner is not.
	require.Equal(t, 1, compare(t, []float64{0.3 + 1e-12, 1}, []float64{0.3, 1}, metrics.Resampling{}).Wins)
}

func TestCompareAgreesWithSciPy(t *testing.T) {
	golden := scipy(t)
	for _, c := range golden.Small {
		got := compare(t, c.X, c.Y, metrics.Resampling{})
		require.True(t, got.Exact)
		require.InDelta(t, c.P, got.P, 1e-12, "%v", c)
	}
	for _, c := range golden.Large {
		got := compare(t, c.X, c.Y, metrics.Resampling{Resamples: 50_000, Seed: 6})
		require.False(t, got.Exact)
		require.InDelta(t, c.P, got.P, 4*math.Sqrt(c.P*(1-c.P)/50_000))
	}
}

// flips is the randomisation test as it is defined: every assignment of signs,
// the differences and their sums taken anew.
func flips(x, y []float64) float64 {
	observed, reached := 0.0, 0
	for i := range x {
		observed += x[i] - y[i]
	}
	for pattern := range 1 << len(x) {
		sum := 0.0
		for i := range x {
			if pattern>>i&1 == 0 {
				sum += x[i] - y[i]
			} else {
				sum += y[i] - x[i]
			}
		}
		if math.Abs(sum) >= math.Abs(observed)-1e-9 {
			reached++
		}
	}
	return float64(reached) / float64(int(1)<<len(x))
}

func TestCompareProperties(t *testing.T) {
	// Values like those of measures, and many ties between sums.
	value := rapid.SampledFrom([]float64{0, 1.0 / 3, 0.5, 2.0 / 3, 1, 0.1, 0.2, 0.3})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		x := rapid.SliceOfN(value, n, n).Draw(t, "x")
		y := rapid.SliceOfN(value, n, n).Draw(t, "y")
		few := metrics.Resampling{Resamples: 200}
		c := compare(t, x, y, few)
		require.InDelta(t, flips(x, y), c.P, 1e-12)
		require.Equal(t, n, c.N)
		require.Equal(t, n, c.Wins+c.Losses+c.Ties)
		require.LessOrEqual(t, c.Low, c.High)

		back := compare(t, y, x, few)
		require.Equal(t, c.P, back.P)
		require.InDelta(t, -c.Difference, back.Difference, 1e-15)
		require.Equal(t, [3]int{c.Wins, c.Losses, c.Ties}, [3]int{back.Losses, back.Wins, back.Ties})
		require.InDelta(t, -c.High, back.Low, 0.4) // other quantiles of few samples

		// Queries on which they agree change no p-value, and no scale does.
		more := compare(t, append(x[:n:n], 1, 0.5), append(y[:n:n], 1, 0.5), few)
		require.Equal(t, c.P, more.P)
		for _, scale := range []float64{1e200, 1e-200} { // the squares of which are infinite or 0
			scaled := make([]float64, n)
			none := make([]float64, n)
			for i := range x {
				scaled[i] = (x[i] - y[i]) * scale
				if math.Abs(x[i]-y[i]) < 1e-12 {
					scaled[i] = 0
				}
			}
			require.InDelta(t, c.P, compare(t, scaled, none, few).P, 1e-12)
		}
	})
}

// The signs of all of many queries are drawn, and each by itself. Two of 130 are
// as good as all there is: the difference is reached where their signs are
// equal.
func TestCompareDrawsEverySign(t *testing.T) {
	const n = 130
	for i := range n - 1 {
		d := make([]float64, n)
		for j := range d {
			d[j] = -1e-6 // so that any other signs of them add up to more
		}
		d[i], d[n-1] = 1, 1
		c := compare(t, d, make([]float64, n), metrics.Resampling{Resamples: 1000})
		require.InDelta(t, 0.5, c.P, 0.1, i) // six standard errors
	}
}

// Where nothing differs in truth, p-values of at most x come with a chance of
// at most x, drawn or not.
func TestCompareFalseAlarms(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	for _, n := range []int{10, 30} {
		r := rand.New(rand.NewPCG(12, uint64(n)))
		const repetitions = 1000
		var at05, at20 int
		for rep := range repetitions {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				hard := r.Float64() // a query is as hard for both
				x[i], y[i] = hard*r.Float64(), hard*r.Float64()
			}
			p := compare(t, x, y, metrics.Resampling{Resamples: 499, Seed: uint64(rep)}).P
			if p <= 0.05 {
				at05++
			}
			if p <= 0.2 {
				at20++
			}
		}
		t.Logf("n = %d: %d and %d of %d", n, at05, at20, repetitions)
		require.InDelta(t, 0.05, float64(at05)/repetitions, 3*math.Sqrt(0.05*0.95/repetitions))
		require.InDelta(t, 0.2, float64(at20)/repetitions, 3*math.Sqrt(0.2*0.8/repetitions))
	}
}

func TestCompareErrors(t *testing.T) {
	_, err := metrics.Compare([]float64{1, 2}, []float64{1}, metrics.Resampling{})
	require.ErrorIs(t, err, metrics.ErrUnpaired)
	_, err = metrics.Compare(nil, nil, metrics.Resampling{})
	require.ErrorIs(t, err, metrics.ErrNoValues)
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		_, err = metrics.Compare([]float64{1, bad}, []float64{1, 1}, metrics.Resampling{})
		require.ErrorIs(t, err, prospect.ErrNotFinite)
		require.ErrorContains(t, err, "system: value 1")
		_, err = metrics.Compare([]float64{1, 1}, []float64{bad, 1}, metrics.Resampling{})
		require.ErrorIs(t, err, prospect.ErrNotFinite)
		require.ErrorContains(t, err, "baseline: value 0")
	}
	// Finite values whose difference is not.
	_, err = metrics.Compare([]float64{math.MaxFloat64}, []float64{-math.MaxFloat64}, metrics.Resampling{})
	require.ErrorIs(t, err, prospect.ErrNotFinite)
}

func TestPaired(t *testing.T) {
	qrels := metrics.Qrels[int, string]{1: relevant("a"), 2: relevant("b"), 3: relevant("c")}
	evaluate := func(run metrics.Run[int, string], qrels metrics.Qrels[int, string]) *metrics.Evaluation[int] {
		e, err := metrics.Evaluate(run, qrels, metrics.RR(metrics.All), metrics.Recall(1))
		require.NoError(t, err)
		return e
	}
	a := evaluate(metrics.Run[int, string]{2: {"x", "b"}, 1: {"a"}}, qrels)
	b := evaluate(metrics.Run[int, string]{3: {"c"}, 4: {"c"}}, qrels)
	x, y, err := metrics.Paired(a, b, "rr")
	require.NoError(t, err)
	require.Equal(t, []float64{1, 0.5, 0}, x)
	require.Equal(t, []float64{0, 0, 1}, y)
	_, _, err = metrics.Paired(a, b, "rr@5")
	require.ErrorIs(t, err, metrics.ErrUnpaired)
	_, ok := a.Column("rr@5")
	require.False(t, ok)
	delete(qrels, 2)
	_, _, err = metrics.Paired(a, evaluate(nil, qrels), "rr")
	require.ErrorIs(t, err, metrics.ErrUnpaired)
	qrels[7] = relevant("b")
	_, _, err = metrics.Paired(a, evaluate(nil, qrels), "rr")
	require.ErrorIs(t, err, metrics.ErrUnpaired)
}
