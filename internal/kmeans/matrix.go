package kmeans

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
)

// ErrNotUnit: a row's length is not 1. [Gather] scales.
var ErrNotUnit = errors.New("kmeans: row without unit length")

// A Matrix is rows of Dim floats, one after the other. The zero Matrix has no
// rows.
type Matrix struct {
	Dim  int
	Data []float32
}

// Len is the number of rows.
func (m Matrix) Len() int {
	if m.Dim <= 0 {
		return 0
	}
	return len(m.Data) / m.Dim
}

// Row is the i-th row, not a copy.
func (m Matrix) Row(i int) []float32 { return m.Data[i*m.Dim : (i+1)*m.Dim : (i+1)*m.Dim] }

// span is the rows from lo to hi (excluded).
func (m Matrix) span(lo, hi int) []float32 { return m.Data[lo*m.Dim : hi*m.Dim] }

// Gather copies vectors into a Matrix, scaled to unit length (in float64). The
// keys come back by row; n is how many vectors to expect, 0 where that is not
// known. It takes what an index iterates over, Gather(ix.All(), ix.Len()), and
// slices: Gather(slices.All(vectors), len(vectors)).
//
// Errors, with the row in their text: [prospect.ErrDimension] where a vector
// has another dimension than the first, or none; [prospect.ErrZeroVector];
// [prospect.ErrNotFinite].
func Gather[Key any](vectors iter.Seq2[Key, []float32], n int) ([]Key, Matrix, error) {
	var keys []Key
	var m Matrix
	for key, v := range vectors {
		row := len(keys)
		if row == 0 {
			m.Dim = len(v)
			keys = make([]Key, 0, n)
			m.Data = make([]float32, 0, n*m.Dim)
		}
		if len(v) != m.Dim || m.Dim == 0 {
			return nil, Matrix{}, fmt.Errorf("row %d: %w: %d components, the first row has %d", row, prospect.ErrDimension, len(v), m.Dim)
		}
		square := squaredNorm(v)
		if err := directed(square); err != nil {
			return nil, Matrix{}, fmt.Errorf("row %d: %w", row, err)
		}
		keys = append(keys, key)
		m.Data = slices.Grow(m.Data, m.Dim)
		for _, x := range v {
			m.Data = append(m.Data, float32(float64(x)/math.Sqrt(square)))
		}
	}
	return keys, m, nil
}

func squaredNorm(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum
}

// directed reports a squared norm of a vector without direction. No float32
// squares to an infinity or to zero in float64.
func directed(square float64) error {
	switch {
	case math.IsNaN(square) || math.IsInf(square, 0):
		return prospect.ErrNotFinite
	case square == 0:
		return prospect.ErrZeroVector
	}
	return nil
}

// unitSlack is how far a row's squared norm may be from 1. Rows that were
// scaled in float32 are off by some 1e-6.
const unitSlack = 1e-5

// check reports the first row that is no unit vector.
func (m Matrix) check(ctx context.Context) error {
	if len(m.Data) == 0 {
		return nil
	}
	if m.Dim <= 0 || len(m.Data)%m.Dim != 0 {
		return fmt.Errorf("%w: %d floats are no rows of %d", prospect.ErrDimension, len(m.Data), m.Dim)
	}
	n := m.Len()
	bad := make([]error, ceilDiv(n, blockRows))
	err := each(ctx, len(bad), func(_, b int) {
		for i := b * blockRows; i < min((b+1)*blockRows, n) && bad[b] == nil; i++ {
			if err := unit(m.Row(i)); err != nil {
				bad[b] = fmt.Errorf("row %d: %w", i, err)
			}
		}
	})
	if err != nil {
		return err
	}
	for _, err := range bad {
		if err != nil {
			return err
		}
	}
	return nil
}

// unit reports a row that is no unit vector.
func unit(row []float32) error {
	square := squaredNorm(row)
	if err := directed(square); err != nil {
		return err
	}
	if math.Abs(square-1) > unitSlack {
		return fmt.Errorf("%w: %g", ErrNotUnit, math.Sqrt(square))
	}
	return nil
}
