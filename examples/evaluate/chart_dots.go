package main

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
