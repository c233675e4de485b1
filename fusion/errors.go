package fusion

import (
	"errors"
	"fmt"
	"math"

	"github.com/prospect-go/prospect"
)

// ErrWeight: a weight is negative, NaN or infinite, or there are not as many
// weights as lists. It is a [prospect.ErrOption] too.
var ErrWeight = fmt.Errorf("%w: fusion: bad weight", prospect.ErrOption)

// ErrLength: columns of scores, or a column and dst, differ in length.
var ErrLength = errors.New("fusion: columns differ in length")

// A ScoreError says which score of a list an error is about.
type ScoreError struct {
	Index int     // position in the list, from 0
	Score float64 // the score found there
	Err   error
}

// Error gives the position, the score and the error.
func (e *ScoreError) Error() string {
	return fmt.Sprintf("score %d is %v: %v", e.Index, e.Score, e.Err)
}

// Unwrap returns the error about the score.
func (e *ScoreError) Unwrap() error { return e.Err }

// A ListError says which of several lists an error is about.
type ListError struct {
	List int // position among the lists, from 0
	Err  error
}

// Error gives the position and the error.
func (e *ListError) Error() string { return fmt.Sprintf("list %d: %v", e.List, e.Err) }

// Unwrap returns the error about the list.
func (e *ListError) Unwrap() error { return e.Err }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// checkScores refuses the first score that is not finite.
func checkScores(s []float64) error {
	for i, x := range s {
		if !finite(x) {
			return &ScoreError{Index: i, Score: x, Err: prospect.ErrNotFinite}
		}
	}
	return nil
}

// weightsFor returns one weight for each of n lists; no weights at all mean
// 1 for each.
func weightsFor(weights []float64, n int) ([]float64, error) {
	if weights == nil {
		weights = make([]float64, n)
		for i := range weights {
			weights[i] = 1
		}
		return weights, nil
	}
	if len(weights) != n {
		return nil, fmt.Errorf("%w: %d weights for %d lists", ErrWeight, len(weights), n)
	}
	for i, w := range weights {
		if !finite(w) || w < 0 {
			return nil, &ListError{List: i, Err: fmt.Errorf("%w: %v", ErrWeight, w)}
		}
	}
	return weights, nil
}
