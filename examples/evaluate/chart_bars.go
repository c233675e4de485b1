package main

import "math"

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
