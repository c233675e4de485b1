package main

import (
	"fmt"
	"math"
	"strings"
)

// The charts of the report are SVG made by the template report.html.tmpl of
// what is worked out here: positions in the units of the drawing, whose width
// is chartWidth. Everything that has colour or font is in report.css.
const chartWidth = 1080

// An axis maps values to positions.
type axis struct {
	lo, hi   float64 // values
	from, to float64 // their positions
}

func (a axis) at(v float64) float64 {
	return a.from + (v-a.lo)/(a.hi-a.lo)*(a.to-a.from)
}

// A tick is a mark on an axis.
type tick struct {
	At    float64
	Label string
}

// newAxis covers the values, with room to the next round number, and not
// beyond the least and the most that they can be.
func newAxis(least, most, from, to float64, values ...float64) axis {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	if len(values) == 0 {
		lo, hi = 0, 1
	}
	// Values that hardly differ are not drawn apart: labels could not tell them.
	step := roundStep(max(hi-lo, 0.04*max(math.Abs(lo), math.Abs(hi)), 1e-3) / 4)
	a := axis{lo: max(least, math.Floor(lo/step+1e-9)*step), hi: min(most, math.Ceil(hi/step-1e-9)*step), from: from, to: to}
	if a.hi <= a.lo { // one value alone
		a.lo, a.hi = max(least, a.lo-step), min(most, a.hi+step)
	}
	if a.hi <= a.lo { // and no room
		a.hi = a.lo + 1
	}
	return a
}

// roundStep is the least of 1, 2, 5, 10 … times a power of ten that is x or
// more.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// ticks are some four to eight round values of the axis.
func (a axis) ticks(format func(float64) string) []tick {
	step := roundStep((a.hi - a.lo) / 5)
	var ticks []tick
	for i := math.Ceil(a.lo/step - 1e-9); i*step <= a.hi+1e-9*step; i++ {
		v := i * step
		if v == 0 {
			v = 0 // and not −0
		}
		ticks = append(ticks, tick{a.at(v), format(v)})
	}
	return ticks
}

// plainNumber is a number without digits that say nothing.
func plainNumber(v float64) string {
	return strings.TrimPrefix(strings.Replace(fmt.Sprintf("%.4g", v), "-", "−", 1), "+")
}

// A chart is a drawing: its size and what it says to those who cannot see it.
type chart struct {
	Width, Height float64
	About         string
}
