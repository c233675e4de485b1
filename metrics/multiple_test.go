package metrics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/prospect-go/prospect/metrics"
)

func ExampleCompareAll() {
	plain := []float64{0.2, 0.5, 0, 0.4, 0.3, 0.1, 0.6, 0.2, 0.7, 0.1}
	all, err := metrics.CompareAll([][]float64{
		{0.4, 0.6, 0.3, 0.5, 0.3, 0.3, 0.7, 0.5, 0.6, 0.4},
		{0.4, 0.6, 0.2, 0.5, 0.3, 0.3, 0.7, 0.4, 0.6, 0.4}, // much like the first
		{0.5, 0.6, 0.3, 0.4, 0.2, 0.3, 0.6, 0.5, 0.6, 0.4}, // and this
	}, plain, metrics.Resampling{})
	if err != nil {
		panic(err)
	}
	for _, c := range all {
		fmt.Printf("%+.3f p = %.4f, of three: %.4f by Holm, %.4f by max-T\n", c.Difference, c.P, c.Holm, c.MaxT)
	}
	// Output:
	// +0.150 p = 0.0195, of three: 0.0586 by Holm, 0.0215 by max-T
	// +0.130 p = 0.0195, of three: 0.0586 by Holm, 0.0215 by max-T
	// +0.130 p = 0.0625, of three: 0.0625 by Holm, 0.0625 by max-T
}

func TestHolmByHand(t *testing.T) {
	for _, c := range []struct{ ps, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.03}, []float64{0.03}},
		// .01·4, .02·3, max(.06, .022·2) and max(.06, .2·1)
		{[]float64{0.02, 0.01, 0.2, 0.022}, []float64{0.06, 0.04, 0.2, 0.06}},
		{[]float64{0.5, 0.5, 1}, []float64{1, 1, 1}},
		{[]float64{0, 0.01, 0.01}, []float64{0, 0.02, 0.02}},
	} {
		require.InDeltaSlice(t, c.want, metrics.Holm(c.ps), 1e-15)
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN()} {
		require.Panics(t, func() { metrics.Holm([]float64{0.1, bad}) })
	}
}

// Holm's correction as the closure of Bonferroni's: a hypothesis is rejected
// if every set that has it is, so that its p-value is the greatest of theirs.
func TestHolmIsTheClosureOfBonferroni(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 6).Draw(t, "ps")
		got := metrics.Holm(ps)
		for i := range ps {
			want := 0.0
			for set := range 1 << len(ps) {
				if set>>i&1 == 0 {
					continue
				}
				size, least := 0, 1.0
				for j, p := range ps {
					if set>>j&1 == 1 {
						size++
						least = min(least, p)
					}
				}
				want = max(want, min(1, float64(size)*least))
			}
			require.InDelta(t, want, got[i], 1e-12)
		}
	})
}

// A system with few differences among others with many has an exact P, and its
// drawn MaxT may fall below that by chance: the greater counts.
func TestMaxTIsNeverBelowP(t *testing.T) {
	const n = 24
	baseline, clear, weak := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		clear[i] = 1
	}
	weak[0], weak[1], weak[2], weak[3] = 1, 1, -1, 1 // of 16 sums of ±1 six are 0, the others reach 2
	below := 0
	for seed := range uint64(40) {
		all, err := metrics.CompareAll([][]float64{clear, weak}, baseline, metrics.Resampling{Seed: seed, Resamples: 100})
		require.NoError(t, err)
		require.True(t, all[1].Exact)
		require.False(t, all[0].Exact)
		require.Equal(t, 10.0/16, all[1].P)
		require.GreaterOrEqual(t, all[1].MaxT, all[1].P)
		if all[1].MaxT == all[1].P {
			below++
		}
	}
	require.Greater(t, below, 5, "chance fell below often enough to be seen")
}

// testdata/make_significance.py holds the definition, with Student's t.
func TestMaxTAgreesWithItsDefinition(t *testing.T) {
	for _, f := range scipy(t).Families {
		all, err := metrics.CompareAll(f.Systems, f.Baseline, metrics.Resampling{})
		require.NoError(t, err)
		for s, c := range all {
			require.True(t, c.Exact)
			require.InDelta(t, f.MaxT[s], c.MaxT, 1e-12, "system %d of %d", s, len(all))
		}
	}
}

// Drawn signs against all of them: 16 queries against the same and one on
// which some unrelated system differs, so that signs are drawn.
func TestDrawnMaxTAgreesWithExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	row := func(shift float64) []float64 {
		d := make([]float64, 17)
		for i := range 16 {
			d[i] = shift + r.NormFloat64()
		}
		return d
	}
	systems := [][]float64{row(0.5), row(0.7), row(0.6), row(0)}
	baseline := make([]float64, 17)
	exact, err := metrics.CompareAll(systems, baseline, metrics.Resampling{})
	require.NoError(t, err)
	last := row(0)
	last[16] = 1e-3
	drawn, err := metrics.CompareAll(append(systems, last), baseline, metrics.Resampling{Resamples: 50_000})
	require.NoError(t, err)
	require.False(t, drawn[4].Exact)
	for s, e := range exact {
		require.True(t, e.Exact)
		require.Equal(t, e.P, drawn[s].P, "what is exact alone is exact among others")
		require.GreaterOrEqual(t, drawn[s].MaxT, e.MaxT-4*math.Sqrt(e.MaxT*(1-e.MaxT)/50_000), "one more system")
	}
	// Without the one more in the comparison: a row of 16 queries is drawn if
	// another row makes the seventeenth matter and is itself hopeless.
	hopeless := make([]float64, 17)
	hopeless[16], hopeless[0] = 1, -1
	drawn, err = metrics.CompareAll(append(systems[:4:4], hopeless), baseline, metrics.Resampling{Resamples: 50_000})
	require.NoError(t, err)
	wide, err := metrics.CompareAll(append(systems[:4:4], append([]float64{-1, 1}, make([]float64, 15)...)), baseline, metrics.Resampling{})
	require.NoError(t, err)
	require.True(t, wide[0].Exact)
	for s := range exact {
		require.InDelta(t, wide[s].MaxT, drawn[s].MaxT, 5*math.Sqrt(0.25/50_000), "system %d", s)
	}
}

func TestCompareAllProperties(t *testing.T) {
	value := rapid.SampledFrom([]float64{0, 1.0 / 3, 0.5, 2.0 / 3, 1})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 3, 6, 30}).Draw(t, "n")
		values := rapid.SliceOfN(value, n, n)
		systems := rapid.SliceOfN(values, 1, 5).Draw(t, "systems")
		baseline := values.Draw(t, "baseline")
		opts := metrics.Resampling{Resamples: 100, Seed: 4}
		all, err := metrics.CompareAll(systems, baseline, opts)
		require.NoError(t, err)
		for s, c := range all {
			require.Equal(t, compare(t, systems[s], baseline, opts), c.Comparison, "others play no part")
			require.GreaterOrEqual(t, c.Holm, c.P)
			require.GreaterOrEqual(t, c.MaxT, c.P)
			require.LessOrEqual(t, c.MaxT, 1.0)
			for o, other := range all { // a system twice gets the same twice
				same := true
				for i := range systems[s] {
					same = same && systems[s][i] == systems[o][i]
				}
				if same {
					require.Equal(t, c, other)
				}
			}
		}
		if len(systems) == 1 {
			require.Equal(t, all[0].P, all[0].MaxT)
			require.Equal(t, all[0].P, all[0].Holm)
		}
	})
}

// Of ten systems that are variants of one another and of which none is better,
// some one seems so with a chance of at most 5 %; and where they are better,
// max-T finds it more often than Holm.
func TestCorrectionsHoldTheirLevel(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	const n, systems, repetitions = 25, 10, 500
	simulate := func(gain float64) (plain, holm, maxT int) {
		r := rand.New(rand.NewPCG(21, 5))
		for rep := range repetitions {
			baseline := make([]float64, n)
			family := make([]float64, n)
			for i := range baseline {
				baseline[i], family[i] = r.NormFloat64(), gain+r.NormFloat64()
			}
			rows := make([][]float64, systems)
			for s := range rows {
				for i := range n {
					rows[s] = append(rows[s], family[i]+0.3*r.NormFloat64())
				}
			}
			all, err := metrics.CompareAll(rows, baseline, metrics.Resampling{Resamples: 199, Seed: uint64(rep)})
			require.NoError(t, err)
			var one, two, three bool
			for _, c := range all {
				one, two, three = one || c.P <= 0.05, two || c.Holm <= 0.05, three || c.MaxT <= 0.05
			}
			for _, c := range []struct {
				yes bool
				n   *int
			}{{one, &plain}, {two, &holm}, {three, &maxT}} {
				if c.yes {
					*c.n++
				}
			}
		}
		return plain, holm, maxT
	}
	plain, holm, maxT := simulate(0)
	t.Logf("no difference: %d plain, %d Holm, %d max-T of %d", plain, holm, maxT, repetitions)
	limit := repetitions * (0.05 + 3*math.Sqrt(0.05*0.95/repetitions))
	require.Less(t, float64(holm), limit)
	require.Less(t, float64(maxT), limit)
	require.Greater(t, float64(plain), limit, "without a correction there are too many")
	plain, holm, maxT = simulate(1)
	t.Logf("a difference: %d plain, %d Holm, %d max-T of %d", plain, holm, maxT, repetitions)
	require.Greater(t, maxT, holm+repetitions/20)
}

func TestCompareAllErrors(t *testing.T) {
	_, err := metrics.CompareAll(nil, []float64{1}, metrics.Resampling{})
	require.ErrorIs(t, err, metrics.ErrNoValues)
	_, err = metrics.CompareAll([][]float64{{1}, {1, 2}}, []float64{1}, metrics.Resampling{})
	require.ErrorIs(t, err, metrics.ErrUnpaired)
	require.ErrorContains(t, err, "system 1")
	_, err = metrics.CompareAll([][]float64{{}}, nil, metrics.Resampling{})
	require.ErrorIs(t, err, metrics.ErrNoValues)
}
