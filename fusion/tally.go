package fusion

import (
	"fmt"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
)

// distinct returns the hits with each id once: at its first place, with its
// best score.
func distinct(hits []prospect.Hit) []prospect.Hit {
	out := make([]prospect.Hit, 0, len(hits))
	place := make(map[string]int, len(hits))
	for _, h := range hits {
		at, repeated := place[h.ID]
		if !repeated {
			place[h.ID] = len(out)
			out = append(out, h)
			continue
		}
		out[at].Score = max(out[at].Score, h.Score)
	}
	return out
}

// A tally adds up what the lists say about each document. Its entries stand in
// the order of first sight, which decides between equal scores; the map only
// finds an entry, nothing ranges over it.
type tally struct {
	index   map[string]int
	entries []entry
}

type entry struct {
	id     string
	score  float64
	weight float64 // sum of the weights of the lists that have the document
	lists  int     // how many lists have it
	last   int     // the list that added to it last, from 1
}

// newTally makes an entry for each id of the lists.
func newTally(lists [][]prospect.Hit) *tally {
	t := &tally{index: make(map[string]int)}
	for _, hits := range lists {
		for _, h := range hits {
			if _, known := t.index[h.ID]; !known {
				t.index[h.ID] = len(t.entries)
				t.entries = append(t.entries, entry{id: h.ID})
			}
		}
	}
	return t
}

// add adds w times the score of each hit of list l; ids are distinct.
func (t *tally) add(l int, hits []prospect.Hit, w float64) {
	for _, h := range hits {
		e := &t.entries[t.index[h.ID]]
		e.score += w * h.Score
		e.weight += w
		e.lists++
		e.last = l + 1
	}
}

// addAbsent adds score to every document that list l, just added, lacks.
func (t *tally) addAbsent(l int, score float64) {
	for i := range t.entries {
		if t.entries[i].last != l+1 {
			t.entries[i].score += score
		}
	}
}

// divideByWeight turns sums into weighted means. Where all the weights are 0,
// so is the sum, and it stays.
func (t *tally) divideByWeight() {
	for i, e := range t.entries {
		if e.weight > 0 {
			t.entries[i].score = e.score / e.weight
		}
	}
}

// keepCommon keeps the documents that all n lists have.
func (t *tally) keepCommon(n int) {
	t.entries = slices.DeleteFunc(t.entries, func(e entry) bool { return e.lists < n })
}

// best returns the k best, or all for k = 0.
func (t *tally) best(k int) ([]prospect.Hit, error) {
	out := make([]prospect.Hit, len(t.entries))
	for i, e := range t.entries {
		if math.IsNaN(e.score) || math.IsInf(e.score, 0) {
			return nil, &prospect.IDError{ID: e.id, Err: fmt.Errorf("sum of scores: %w", prospect.ErrNotFinite)}
		}
		out[i] = prospect.Hit{ID: e.id, Score: e.score}
	}
	slices.SortStableFunc(out, func(a, b prospect.Hit) int { return prospect.CompareScores(a.Score, b.Score) })
	if k > 0 && k < len(out) {
		out = slices.Clip(out[:k])
	}
	return out, nil
}
