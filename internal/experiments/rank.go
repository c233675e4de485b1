package main

import (
	"cmp"
	"math"
	"slices"
)

// A candidate is a skill's column in a list, with its score there.
type candidate struct {
	at int
	h  float64
}

// inOrder sorts by score descending, ties by the gallery's order.
func inOrder(list []candidate) {
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.h, a.h), cmp.Compare(a.at, b.at)) })
}

// top gives the k best of some columns by their scores.
func top(columns []int, h []float64, k int) []candidate {
	list := make([]candidate, len(columns))
	for i, at := range columns {
		list[i] = candidate{at, h[i]}
	}
	inOrder(list)
	return list[:min(len(list), k)]
}

// best gives the columns of the k highest scores.
func best(scores []float64, k int) []int {
	list := make([]candidate, 0, k+1)
	for i, x := range scores {
		if len(list) == k && x <= list[k-1].h {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, x, func(c candidate, x float64) int {
			if c.h >= x {
				return -1
			}
			return 1
		})
		list = slices.Insert(list, at, candidate{i, x})
		list = list[:min(len(list), k)]
	}
	out := make([]int, len(list))
	for i, c := range list {
		out[i] = c.at
	}
	return out
}

// merge puts lists together, to depth.
func merge(lists [][]candidate, how string) []int {
	var out []int
	if how == "" { // round-robin
		for row := 0; row < 2*keep && len(out) < depth; row++ {
			for _, l := range lists {
				if row < len(l) && len(out) < depth && !slices.Contains(out, l[row].at) {
					out = append(out, l[row].at)
				}
			}
		}
		return out
	}
	total := map[int]float64{}
	for _, l := range lists {
		for r, c := range l {
			switch how {
			case "max":
				total[c.at] = max(total[c.at], c.h)
			case "sum":
				total[c.at] += c.h
			case "rrf":
				total[c.at] += 1 / float64(60+r+1)
			}
		}
	}
	var all []candidate
	for at, h := range total {
		all = append(all, candidate{at, h})
	}
	inOrder(all)
	for _, c := range all[:min(depth, len(all))] {
		out = append(out, c.at)
	}
	return out
}

// normalize brings scores to one scale, in place. Equal scores become 0.
func normalize(x []float64, how string) {
	lo, hi := slices.Min(x), slices.Max(x)
	if hi == lo {
		clear(x)
		return
	}
	switch how {
	case "z":
		m, square := mean(x), 0.0
		for _, v := range x {
			square += (v - m) * (v - m) / float64(len(x))
		}
		for i := range x {
			x[i] = (x[i] - m) / math.Sqrt(square)
		}
	case "rank", "rrf":
		for i, rank := range ranks(x) {
			if how == "rrf" {
				x[i] = 1 / (60 + rank)
			} else {
				x[i] = 1 - (rank-1)/float64(len(x)-1)
			}
		}
	default:
		for i := range x {
			x[i] = (x[i] - lo) / (hi - lo)
		}
	}
}

// ranks are the places by score from 1, equal scores sharing the mean of theirs.
func ranks(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		above, equal := 0, 0
		for _, w := range x {
			if w > v {
				above++
			} else if w == v {
				equal++
			}
		}
		out[i] = float64(above) + float64(equal+1)/2
	}
	return out
}

// blend is (1−w)·n(a) + w·n(b), n min-max.
func blend(a, b []float64, w float64) []float64 {
	a, b = slices.Clone(a), slices.Clone(b)
	normalize(a, "")
	normalize(b, "")
	return weighted([]float64{1 - w, w}, a, b)
}

// weighted is the weighted sum of rows. A row of weight 0 is not looked at.
func weighted(weights []float64, rows ...[]float64) []float64 {
	out := make([]float64, len(rows[0]))
	for k, w := range weights {
		if w == 0 {
			continue
		}
		for i, x := range rows[k] {
			out[i] += w * x
		}
	}
	return out
}
