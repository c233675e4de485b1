package main

import "fmt"

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

// Middle of the plot, from left to right.
func (c lineChart) Middle() float64 { return (c.Left + c.Right) / 2 }
