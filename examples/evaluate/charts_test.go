package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAnAxisHoldsItsValuesAndRoundTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 8).Draw(t, "values")
		a := newAxis(0, 1, 100, 300, values...)
		require.Less(t, a.lo, a.hi)
		require.GreaterOrEqual(t, a.lo, 0.0)
		require.LessOrEqual(t, a.hi, 1.0+1e-12)
		for _, v := range values {
			require.GreaterOrEqual(t, a.at(v), 100-1e-6)
			require.LessOrEqual(t, a.at(v), 300+1e-6)
		}
		ticks := a.ticks(plainNumber)
		require.GreaterOrEqual(t, len(ticks), 2)
		require.LessOrEqual(t, len(ticks), 11)
		require.True(t, slices.IsSortedFunc(ticks, func(x, y tick) int { return int(math.Copysign(1, x.At-y.At)) }))
		for _, k := range ticks {
			v, err := strconv.ParseFloat(strings.Replace(k.Label, "−", "-", 1), 64)
			require.NoError(t, err)
			require.InDelta(t, k.At, a.at(v), 0.5, "the label is the value at the tick")
		}
	})
}

func TestAnAxisOfOneValueHasRoomAroundIt(t *testing.T) {
	for _, v := range []float64{0, 0.5, 1} {
		a := newAxis(0, 1, 0, 10, v, v)
		require.Less(t, a.lo, a.hi, v)
		require.False(t, math.IsNaN(a.at(v)))
	}
}

func TestRoundSteps(t *testing.T) {
	for x, want := range map[float64]float64{0.07: 0.1, 0.1: 0.1, 0.11: 0.2, 0.3: 0.5, 0.7: 1, 3: 5, 12: 20} {
		require.InDelta(t, want, roundStep(x), 1e-12, x)
	}
}

func TestBarsHangFromZero(t *testing.T) {
	c := newBarChart("", []barOf{{0.5, "a"}, {0, "b"}, {-0.25, "c"}})
	require.Equal(t, []string{"better", "even", "worse"}, []string{c.Bars[0].Tone, c.Bars[1].Tone, c.Bars[2].Tone})
	require.InDelta(t, c.Zero, c.Bars[0].Y+c.Bars[0].H, 1e-9)
	require.InDelta(t, c.Zero, c.Bars[2].Y, 1e-9)
	require.InDelta(t, c.Bars[0].H, 2*c.Bars[2].H, 1e-9, "heights are to scale")
	require.Positive(t, c.Bars[1].H, "a difference of nothing is seen, too")
}

func TestLinesGoThroughTheirPoints(t *testing.T) {
	c := newLineChart("t", "", "x", []string{"1", "2"}, []lineOf{{name: "a", values: []float64{0, 1}, titles: []string{"", ""}, level: new(0.5)}})
	require.Equal(t, "M159.5 238.0L390.5 12.0", c.Series[0].Path) // thirds of 44…506; the whole height
	require.InDelta(t, 125.0, c.Series[0].Level, 1e-9)
}
