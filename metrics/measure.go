package metrics

import (
	"fmt"
	"math"

	"github.com/prospect-go/prospect"
)

// All, as the K of a measure, means the whole ranking.
const All = math.MaxInt

// A Measure gives a judged ranking a value.
type Measure struct {
	name string
	k    int
	f    func(Judged) float64
}

// NewMeasure makes a measure of a function, which is only called with at
// least one relevant document. It panics if f is nil.
func NewMeasure(name string, f func(Judged) float64) Measure {
	if f == nil {
		panic("metrics.NewMeasure: needs a function")
	}
	return Measure{name: name, k: All, f: f}
}

// atK is a measure of the first k ranks.
func atK(name string, k int, f func(Judged) float64) Measure {
	if k != All {
		name = fmt.Sprintf("%s@%d", name, k)
	}
	return Measure{name: name, k: k, f: f}
}

// Name of the measure, with its K: "recall@5".
func (m Measure) Name() string { return m.name }

// Of returns the value for j. Errors: [prospect.ErrInvalidK] if the measure's
// K is not positive, [ErrNoRelevant].
func (m Measure) Of(j Judged) (float64, error) {
	if err := m.validate(); err != nil {
		return 0, err
	}
	if len(j.Ideal) == 0 {
		return 0, ErrNoRelevant
	}
	return m.f(j), nil
}

func (m Measure) validate() error {
	if m.f == nil {
		return fmt.Errorf("metrics: the zero Measure has no value")
	}
	if m.k <= 0 {
		return fmt.Errorf("%s: %w", m.name, prospect.ErrInvalidK)
	}
	return nil
}

// Recall is the share of the relevant documents G among the first k ranks:
//
//	|top-k ∩ G| / |G|
func Recall(k int) Measure {
	return atK("recall", k, func(j Judged) float64 { return j.hits(k) / float64(len(j.Ideal)) })
}

// Precision is the share of relevant documents among k ranks. A ranking
// shorter than k is divided by k all the same; with [All], by its own length.
func Precision(k int) Measure {
	return atK("precision", k, func(j Judged) float64 {
		n := k
		if k == All {
			n = max(1, len(j.Gains))
		}
		return j.hits(k) / float64(n)
	})
}

// Completeness is 1 if every relevant document is among the first k ranks,
// else 0.
func Completeness(k int) Measure {
	return atK("completeness", k, func(j Judged) float64 { return indicator(int(j.hits(k)) == len(j.Ideal)) })
}

// Success is 1 if some relevant document is among the first k ranks, else 0.
func Success(k int) Measure {
	return atK("success", k, func(j Judged) float64 { return indicator(j.hits(k) > 0) })
}

// RR is the reciprocal rank: 1/rank of the first relevant document, rank from
// 1, or 0 if none is among the first k. Its mean is MRR.
func RR(k int) Measure {
	return atK("rr", k, func(j Judged) float64 {
		for i, g := range j.top(k) {
			if g > 0 {
				return 1 / float64(i+1)
			}
		}
		return 0
	})
}

// AP is the average precision over the relevant documents, those outside the
// first k counting 0. Its mean is MAP.
//
//	1/|G| · Σ_{i ≤ k, i relevant} |top-i ∩ G| / i
func AP(k int) Measure {
	return atK("ap", k, func(j Judged) float64 {
		var sum, found float64
		for i, g := range j.top(k) {
			if g > 0 {
				found++
				sum += found / float64(i+1)
			}
		}
		return sum / float64(len(j.Ideal))
	})
}

// QSM is 1 if some document that is not relevant outranks one that is, else 0;
// its mean is the QSM rate. A relevant document that is missing from the
// ranking counts as outranked, so it is 0 exactly if the relevant documents
// are the first of the ranking. Low is good.
func QSM() Measure {
	return NewMeasure("qsm", func(j Judged) float64 {
		return indicator(int(j.hits(len(j.Ideal))) < len(j.Ideal))
	})
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
