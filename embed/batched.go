package embed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/prospect-go/prospect"
)

// BatchOptions say how [Batched] splits its work.
type BatchOptions struct {
	// Size is the number of texts per call of the embedder. Default: 256.
	Size int
	// Progress, where it is not nil, is told after every call how many of the
	// texts are done. It is called from the goroutine of [Batched].
	Progress func(done, total int)
}

// Batched embeds any number of texts in calls of a bounded size, so that long
// work can be watched and stopped. The vectors are in the order of the texts;
// texts of like length are sent together, longest first, which keeps the
// padding of an embedder that pads small and makes the estimate of the time
// left err on the safe side.
//
// It is all or nothing: after an error there are no vectors. A
// [*prospect.TextError] names the text by its place in texts. An embedder that
// breaks its promise about the number or size of the vectors is an error that
// wraps [prospect.ErrContract]; a negative size one that wraps
// [prospect.ErrOption].
func Batched(ctx context.Context, e prospect.Embedder, role prospect.Role, texts []string, opts BatchOptions) ([][]float32, error) {
	if opts.Size < 0 {
		return nil, fmt.Errorf("%w: batch size %d", prospect.ErrOption, opts.Size)
	}
	size := cmp.Or(opts.Size, 256)
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(texts[b]), len(texts[a])) })

	vectors := make([][]float32, len(texts))
	batch := make([]string, 0, min(size, len(texts)))
	done := 0
	for part := range slices.Chunk(order, size) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch = batch[:0]
		for _, i := range part {
			batch = append(batch, texts[i])
		}
		out, err := e.Embed(ctx, role, batch)
		if err != nil {
			return nil, renumber(err, part)
		}
		if len(out) != len(part) {
			return nil, fmt.Errorf("%w: the embedder gave %d vectors for %d texts", prospect.ErrContract, len(out), len(part))
		}
		for j, i := range part {
			if len(out[j]) != e.Dim() {
				return nil, &prospect.TextError{Index: i, Err: fmt.Errorf("%w: %w: %d, not %d", prospect.ErrContract, prospect.ErrDimension, len(out[j]), e.Dim())}
			}
			vectors[i] = out[j]
		}
		done += len(part)
		if opts.Progress != nil {
			opts.Progress(done, len(texts))
		}
	}
	return vectors, nil
}

// renumber makes an error about a text of a batch one about a text of the whole.
func renumber(err error, part []int) error {
	var te *prospect.TextError
	if errors.As(err, &te) && te.Index >= 0 && te.Index < len(part) {
		return &prospect.TextError{Index: part[te.Index], Err: te.Err}
	} else if te != nil { // an index of no text of the batch would mislead
		return fmt.Errorf("%w: an error about text %d of %d: %w", prospect.ErrContract, te.Index, len(part), te.Err)
	}
	return err
}
