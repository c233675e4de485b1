package main

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A setting that is better on every task is always chosen, and its gain is
// that on each.
func TestHeldOutOfAClearBest(t *testing.T) {
	baseline, good, poor := make([]float64, 12), make([]float64, 12), make([]float64, 12)
	for i := range baseline {
		baseline[i], good[i], poor[i] = .5, .5+float64(i+1)/100, .4
	}
	gains, chosen := heldOut([][]float64{baseline, poor, good}, [][]float64{baseline, poor, good})
	require.Equal(t, []int{0, 0, folds * repeats}, chosen)
	for i, g := range gains {
		require.InDelta(t, float64(i+1)/100, g, 1e-12)
	}
	// Chosen by the one, tested by another table.
	gains, _ = heldOut([][]float64{baseline, poor, good}, [][]float64{baseline, baseline, poor})
	for _, g := range gains {
		require.InDelta(t, -.1, g, 1e-12)
	}
}

// A setting that is best by one task alone is chosen only where that task has
// a part in the choice, so it gains nothing where it is tested.
func TestHeldOutDoesNotCountWhatWasFitted(t *testing.T) {
	baseline, lucky := make([]float64, 10), make([]float64, 10)
	lucky[3] = 1
	gains, chosen := heldOut([][]float64{baseline, lucky}, [][]float64{baseline, lucky})
	require.Zero(t, mean(gains))
	require.Equal(t, []int{repeats, 4 * repeats}, chosen)
}

// Of settings that differ by chance alone the best of many looks good, and held
// out it is not.
func TestHeldOutOfNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	values := make([][]float64, 200)
	for s := range values {
		values[s] = make([]float64, 40)
		for i := range values[s] {
			values[s][i] = rng.Float64()
		}
	}
	gains, _ := heldOut(values, values)
	best := 0.0
	for _, v := range values {
		best = max(best, mean(v)-mean(values[0]))
	}
	require.Greater(t, best, .1, "the fitted gain")
	require.Less(t, mean(gains), best/2)
}

func TestChoiceIsReported(t *testing.T) {
	demo, err := readDemo(demoFolder)
	require.NoError(t, err)
	table, _ := demoTable(t, demo)
	table.model = "x"
	var out bytes.Buffer
	settings := append(ablations(), hybrid())
	require.NoError(t, reportChoice(&out, twice(table), settings, 2))
	require.Equal(t, 4, strings.Count(out.String(), "\n| x | x |"))
	require.Equal(t, 2, strings.Count(out.String(), "\n| all | x |"))
	require.Contains(t, out.String(), "SkillDreamer, Hybrid")
}

func twice(t *table) []*table { return []*table{t, t} }
