package main

import (
	"cmp"
	"math"
	"slices"
)

// A setting is a way to rank the gallery for a task with what was imagined for
// it: the published method with other numbers, or changed.
type setting struct {
	name string
	// plain ranks by scores of the task alone: "vector", "words", or "both",
	// the sum of the two after min-max over the gallery.
	plain string

	// α, β, γ, and δ for BM25 of the imagined skill.
	task, imagined, anchors, words float64
	// find is α when candidates are chosen, where it differs; −1 is 0.
	find float64
	// share divides α by M^share, M the number of capabilities.
	share float64

	// vector is whose cosine r^p is: the imagined skill's (""), that without
	// its body ("short"), the capability's text ("capability"), both as one
	// text ("joined"), the sum of both vectors ("sum"), or the task's ("task":
	// one list for all).
	vector string
	// wordsOf is the text of r^w: the imagined skill's (""), that without its
	// body ("short"), the capability's ("capability"), or both ("joined").
	wordsOf string
	// taskWords makes the task's score (1−w)·n(cosine) + w·n(BM25 of the task),
	// n min-max over the gallery.
	taskWords float64
	// hub subtracts hub·(cosine with the gallery's mean vector) from r^p.
	hub float64

	// pool adds the K_c best by r^w to each candidate list, poolTask those by
	// BM25 of the task, poolAnchors those by BM25 of the anchors.
	pool, poolTask, poolAnchors bool
	// candidates is K_c; 0 is 20.
	candidates int
	// norm is "" (min-max), "z", "rank", or "rrf": 1/(60 + rank).
	norm string
	// merge is "" (round-robin), or orders all candidates by the "sum" or the
	// "max" of h over the lists, or by "rrf" of the lists.
	merge string
	// whole adds a list of the task's own to the merge, by its "vector" or by
	// "both"; as the first list, or the last where last is set.
	whole string
	last  bool
}

// depth is how far rankings are judged, the paper's K. keep is its K_r.
const depth, keep = 15, 20

func (s setting) sameAs(other setting) bool {
	s.name, other.name = "", ""
	return s == other
}

// rank gives the columns of the best skills for task q, best first.
func (s setting) rank(t *table, q int) []int {
	row := t.tasks[q]
	if s.plain != "" {
		return best(plainScores(row, s.plain), depth)
	}
	own := s.vectors(row)
	words := s.texts(row)
	query := row.query
	if s.taskWords > 0 {
		query = blend(row.query, row.words, s.taskWords)
	}
	alpha := s.task / math.Pow(float64(len(own)), s.share)
	find := alpha
	if s.find != 0 {
		find = max(s.find, 0)
	}
	kc := cmp.Or(s.candidates, 20)
	var lists [][]candidate
	for j, cos := range own {
		cos = weighted([]float64{1, -s.hub}, cos, t.hub)
		chosen := best(weighted([]float64{find, s.imagined}, query, cos), kc)
		for _, more := range []struct {
			wanted bool
			scores []float64
		}{{s.pool, words[min(j, len(words)-1)]}, {s.poolTask, row.words}, {s.poolAnchors, row.anchors}} {
			if !more.wanted {
				continue
			}
			for _, i := range best(more.scores, kc) {
				if more.scores[i] > 0 && !slices.Contains(chosen, i) {
					chosen = append(chosen, i)
				}
			}
		}
		var parts [][]float64
		for _, scores := range [][]float64{query, cos, row.anchors, words[min(j, len(words)-1)]} {
			part := make([]float64, len(chosen))
			for k, i := range chosen {
				part[k] = scores[i]
			}
			normalize(part, s.norm)
			parts = append(parts, part)
		}
		h := weighted([]float64{alpha, s.imagined, s.anchors, s.words}, parts...)
		lists = append(lists, top(chosen, h, keep))
	}
	if s.whole != "" {
		scores := plainScores(row, s.whole)
		list := best(scores, keep)
		h := make([]float64, len(list))
		for k, i := range list {
			h[k] = scores[i]
		}
		at := 0
		if s.last {
			at = len(lists)
		}
		lists = slices.Insert(lists, at, top(list, h, keep))
	}
	return merge(lists, s.merge)
}

func (s setting) vectors(row taskScores) [][]float64 {
	switch s.vector {
	case "short":
		return row.short
	case "capability":
		return row.capability
	case "joined":
		return row.joined
	case "sum":
		return row.sum
	case "task":
		return [][]float64{row.query}
	}
	return row.pseudo
}

func (s setting) texts(row taskScores) [][]float64 {
	switch s.wordsOf {
	case "short":
		return row.shortWords
	case "capability":
		return row.capabilityWords
	case "joined":
		return row.joinedWords
	}
	return row.pseudoWords
}

func plainScores(row taskScores, how string) []float64 {
	switch how {
	case "words":
		return row.words
	case "both":
		return blend(row.query, row.words, .5)
	}
	return row.query
}
