package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
)

// ErrNoRelevant: no document of the query, or of any query, is relevant, so
// that measures have no value.
var ErrNoRelevant = errors.New("metrics: no relevant document")

// Judged is a ranking seen through its judgements: all that a measure needs
// to know, whatever the type of the ids.
type Judged struct {
	// Gains holds the grade of each document of the ranking, best rank first;
	// 0 where it is not relevant.
	Gains []float64
	// Ideal holds the grades of all relevant documents, ranked or not, from
	// high to low. Its length is the number of relevant documents.
	Ideal []float64
}

// Judge looks up the grades of a ranking.
//
// Errors, within a [*prospect.IDError]: [prospect.ErrDuplicateID] for an id
// that the ranking repeats and [prospect.ErrNotFinite] for a grade that is not
// finite. Cost: O(n + g log g) for n ranked and g graded documents.
func Judge[D comparable](ranking []D, grades map[D]float64) (Judged, error) {
	j := Judged{Gains: make([]float64, len(ranking))}
	bad := ""
	found := false
	for id, grade := range grades {
		if math.IsNaN(grade) || math.IsInf(grade, 0) {
			// Of several the least is named, for the map's order must not show.
			if name := fmt.Sprint(id); !found || name < bad {
				bad, found = name, true
			}
		}
		if grade > 0 {
			j.Ideal = append(j.Ideal, grade)
		}
	}
	if found {
		return Judged{}, &prospect.IDError{ID: bad, Err: fmt.Errorf("grade: %w", prospect.ErrNotFinite)}
	}
	slices.Sort(j.Ideal)
	slices.Reverse(j.Ideal)

	seen := make(map[D]struct{}, len(ranking))
	for i, id := range ranking {
		if _, dup := seen[id]; dup {
			return Judged{}, &prospect.IDError{ID: fmt.Sprint(id), Err: fmt.Errorf("rank %d: %w", i+1, prospect.ErrDuplicateID)}
		}
		seen[id] = struct{}{}
		j.Gains[i] = max(0, grades[id])
	}
	return j, nil
}

// top returns the gains of the first k ranks, or of all there are.
func (j Judged) top(k int) []float64 { return j.Gains[:min(k, len(j.Gains))] }

// hits counts the relevant documents in the first k ranks.
func (j Judged) hits(k int) float64 {
	n := 0
	for _, g := range j.top(k) {
		if g > 0 {
			n++
		}
	}
	return float64(n)
}
