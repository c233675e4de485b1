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
	step := roundStep(max(hi-lo, 1e-9) / 4)
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

// A mark is a value of one system: a dot with the interval around it.
type mark struct {
	Y, At, Low, High float64
	Value, Delta     string
	Tone             string // "better", "worse", "even" or "base"
	Title            string
	Absent           bool // there is no value
}

// A dotPanel holds the marks of one measure.
type dotPanel struct {
	Title       string
	From, To    float64 // of the plot
	TextAt      float64
	Ticks       []tick
	Base        float64 // position of the baseline, or −1
	Marks       []mark
	Top, Bottom float64
}

// A dotChart has a row for each system and a panel for each measure.
type dotChart struct {
	chart
	Rows   []rowLabel
	Panels []dotPanel
}

type rowLabel struct {
	Y    float64
	Text string
	Base bool
}

const (
	dotLabels = 190.0 // width of the column of names
	dotRow    = 24.0
	dotTop    = 34.0
	dotBottom = 30.0
	dotValues = 88.0 // width of the figures right of a plot
	dotGap    = 14.0
)

// A dotRowOf is what a dotChart shows of one system.
type dotRowOf struct {
	name string
	base bool
	vals []dotValue // by panel
}

type dotValue struct {
	mean, low, high float64
	delta           string // to the baseline, "" for none
	tone            string
	title           string
	absent          bool
}

// newDotChart lays out rows of values.
func newDotChart(about string, panels []string, rows []dotRowOf) dotChart {
	c := dotChart{chart: chart{chartWidth, dotTop + dotRow*float64(len(rows)) + dotBottom, about}}
	for i, r := range rows {
		c.Rows = append(c.Rows, rowLabel{dotTop + dotRow*(float64(i)+0.5), r.name, r.base})
	}
	width := (chartWidth - dotLabels) / float64(len(panels))
	for p, title := range panels {
		left := dotLabels + width*float64(p)
		d := dotPanel{Title: title, From: left + dotGap, To: left + width - dotValues, Base: -1, Top: dotTop, Bottom: dotTop + dotRow*float64(len(rows))}
		d.TextAt = d.To + 8
		var all []float64
		for _, r := range rows {
			if !r.vals[p].absent {
				all = append(all, r.vals[p].low, r.vals[p].high, r.vals[p].mean)
			}
		}
		x := newAxis(0, 1, d.From, d.To, all...)
		d.Ticks = x.ticks(plainNumber)
		for i, r := range rows {
			v := r.vals[p]
			if r.base && !v.absent {
				d.Base = x.at(v.mean)
			}
			d.Marks = append(d.Marks, mark{c.Rows[i].Y, x.at(v.mean), x.at(v.low), x.at(v.high), figure(v.mean), v.delta, v.tone, v.title, v.absent})
		}
		c.Panels = append(c.Panels, d)
	}
	return c
}

// A lineChart has one line for each series over named positions.
type lineChart struct {
	chart
	Title                    string
	Left, Right, Top, Bottom float64
	XTicks                   []tick
	XTitle                   string
	YTicks                   []tick
	Series                   []series
	Level                    string // what the dashed lines of series are, "" for none
}

type series struct {
	Name   string
	Class  string // of its colour
	Path   string
	Points []point
	Level  float64 // position of a value to compare with, or −1
}

type point struct {
	X, Y  float64
	Title string
}

// A lineOf is a series before it is laid out: a value for each position.
type lineOf struct {
	name   string
	values []float64
	titles []string
	level  *float64 // a value to compare with
}

// newLineChart lays out series over positions with labels.
func newLineChart(title, about, xTitle string, labels []string, lines []lineOf) lineChart {
	c := lineChart{
		chart: chart{520, 290, about}, Title: title, XTitle: xTitle,
		Left: 44, Right: 506, Top: 12, Bottom: 238,
	}
	var all []float64
	for _, l := range lines {
		all = append(all, l.values...)
		if l.level != nil {
			all = append(all, *l.level)
		}
	}
	y := newAxis(0, 1, c.Bottom, c.Top, all...)
	c.YTicks = y.ticks(plainNumber)
	x := func(i int) float64 {
		room := (c.Right - c.Left) / float64(len(labels))
		return c.Left + room*(float64(i)+0.5)
	}
	for i, l := range labels {
		c.XTicks = append(c.XTicks, tick{x(i), l})
	}
	for i, l := range lines {
		s := series{Name: l.name, Class: fmt.Sprintf("s%d", i+1), Level: -1}
		if l.level != nil {
			s.Level = y.at(*l.level)
		}
		for j, v := range l.values {
			p := point{x(j), y.at(v), fmt.Sprintf("%s, %s: %s", l.name, labels[j], l.titles[j])}
			s.Points = append(s.Points, p)
			s.Path += fmt.Sprintf("%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[j == 0], p.X, p.Y)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// A barChart shows differences, from the best to the worst.
type barChart struct {
	chart
	Left, Right float64
	YTicks      []tick
	Zero        float64
	Bars        []bar
}

type bar struct {
	X, Y, W, H float64
	Tone       string
	Title      string
}

type barOf struct {
	value float64
	title string
}

// newBarChart lays out bars that are in order already.
func newBarChart(about string, bars []barOf) barChart {
	c := barChart{chart: chart{chartWidth, 230, about}, Left: 44, Right: chartWidth - 8}
	all := []float64{0}
	for _, b := range bars {
		all = append(all, b.value)
	}
	y := newAxis(-1, 1, 214, 14, all...)
	c.YTicks, c.Zero = y.ticks(plainNumber), y.at(0)
	room := (c.Right - c.Left) / float64(len(bars))
	for i, b := range bars {
		at := y.at(b.value)
		r := bar{X: c.Left + room*float64(i) + room*0.12, W: room * 0.76, Y: min(at, c.Zero), H: max(math.Abs(at-c.Zero), 1.5), Tone: "even", Title: b.title}
		switch {
		case b.value > 0:
			r.Tone = "better"
		case b.value < 0:
			r.Tone = "worse"
		}
		c.Bars = append(c.Bars, r)
	}
	return c
}

// A stackChart shows how much of a whole each part is.
type stackChart struct {
	chart
	Rows   []stackRow
	Ticks  []tick
	Bottom float64
	Legend []legendItem
}

type stackRow struct {
	Y     float64
	Label string
	Parts []stackPart
	Text  string
	End   float64
}

type stackPart struct {
	X, W  float64
	Class string
	Title string
}

type legendItem struct{ Class, Name string }

// Middle of the plot, from left to right.
func (c lineChart) Middle() float64 { return (c.Left + c.Right) / 2 }
