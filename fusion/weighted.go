package fusion

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/prospect-go/prospect"
)

// Missing says what a document contributes for a list that does not have it.
type Missing int

const (
	// MissingZero: nothing. Under [MinMax] the worst hit of a list counts as
	// much as an absent document, 0.
	MissingZero Missing = iota
	// MissingWorst: as much as the worst hit of the list, once normalised;
	// nothing where the list is empty.
	MissingWorst
	// MissingMean: the document's score is its weighted mean over the lists
	// that have it, so that an absent or empty list does not dilute it. A
	// document that one list alone ranks high then rises high.
	MissingMean
	// MissingDrop: only documents that every list has are kept. An empty list
	// then empties the result.
	MissingDrop
)

// WeightedOptions are the options of [Weighted]; the zero value is the default.
type WeightedOptions struct {
	// Weights, one a list: finite and not negative. nil: 1 for each.
	Weights []float64
	// Normalizer of each list's scores, applied once duplicates are gone.
	// nil: MinMax.
	Normalizer Normalizer
	// Missing is what an absent document contributes. Default: MissingZero.
	Missing Missing
	// K is the most hits to return. 0: all.
	K int
}

// Weighted sums the normalised scores of each document over the lists:
//
//	score(d) = Σ_l w_l · n_l(s_l(d))
//
// Of an id that a list repeats the best score counts. Lists need not be in
// order.
//
// Errors: [ErrWeight]; [prospect.ErrOption] for an unknown Missing;
// [prospect.ErrInvalidK] for a negative K; [prospect.ErrNotFinite] for a score,
// within a [*ListError] and a [*ScoreError], or for a sum, within a
// [*prospect.IDError]. Cost: O(n log n) over all hits, and with [MissingWorst]
// the number of documents for each list.
func Weighted(lists [][]prospect.Hit, opts WeightedOptions) ([]prospect.Hit, error) {
	weights, err := weightsFor(opts.Weights, len(lists))
	if err != nil {
		return nil, err
	}
	if opts.Missing < MissingZero || opts.Missing > MissingDrop {
		return nil, fmt.Errorf("%w: fusion: Missing is %d, want a constant of the package", prospect.ErrOption, opts.Missing)
	}
	normalize := opts.Normalizer
	if normalize == nil {
		normalize = MinMax
	}
	if opts.K < 0 {
		return nil, fmt.Errorf("%w: %d", prospect.ErrInvalidK, opts.K)
	}
	t := newTally(lists)
	for l, hits := range lists {
		normalized, err := normalizeHits(hits, normalize)
		if err != nil {
			return nil, &ListError{List: l, Err: err}
		}
		t.add(l, normalized, weights[l])
		if opts.Missing == MissingWorst && len(normalized) > 0 {
			worst := slices.MinFunc(normalized, func(a, b prospect.Hit) int { return cmp.Compare(a.Score, b.Score) })
			t.addAbsent(l, weights[l]*worst.Score)
		}
	}
	switch opts.Missing {
	case MissingMean:
		t.divideByWeight()
	case MissingDrop:
		t.keepCommon(len(lists))
	}
	return t.best(opts.K)
}

// normalizeHits returns the distinct hits with normalised scores.
func normalizeHits(hits []prospect.Hit, normalize Normalizer) ([]prospect.Hit, error) {
	// Checked before duplicates go, so that positions are the caller's.
	for i, h := range hits {
		if !finite(h.Score) {
			return nil, &ScoreError{Index: i, Score: h.Score, Err: &prospect.IDError{ID: h.ID, Err: prospect.ErrNotFinite}}
		}
	}
	out := distinct(hits)
	scores := make([]float64, len(out))
	for i, h := range out {
		scores[i] = h.Score
	}
	if err := normalize(scores); err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Score = scores[i]
	}
	return out, nil
}

// Combine sums columns of scores that are aligned by position, as the dense,
// imagined and lexical scores of one list of candidates are:
//
//	dst[i] = Σ_c weights[c] · columns[c][i]
//
// It does not normalise. dst may be one of the columns. Errors: [ErrWeight],
// [ErrLength], and [prospect.ErrNotFinite] for a score or a sum; dst is then
// unchanged.
func Combine(dst, weights []float64, columns ...[]float64) error {
	weights, err := weightsFor(weights, len(columns))
	if err != nil {
		return err
	}
	for c, column := range columns {
		if len(column) != len(dst) {
			return &ListError{List: c, Err: fmt.Errorf("%w: %d scores for %d", ErrLength, len(column), len(dst))}
		}
		if err := checkScores(column); err != nil {
			return &ListError{List: c, Err: err}
		}
	}
	sums := make([]float64, len(dst))
	for c, column := range columns {
		for i, x := range column {
			sums[i] += weights[c] * x
		}
	}
	if err := checkScores(sums); err != nil {
		return fmt.Errorf("sum: %w", err)
	}
	copy(dst, sums)
	return nil
}
