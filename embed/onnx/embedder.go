package onnx

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/internal/wordpiece"
	"golang.org/x/sync/errgroup"
)

// An Embedder is an open model. It implements [prospect.Embedder] and is safe
// for concurrent use. Calls share the CPUs: at most GOMAXPROCS batches run at
// a time, whoever asks for them.
type Embedder struct {
	session   *session
	tokenizer *wordpiece.Tokenizer
	identity  string
	dim       int
	maxTokens int
	batchSize int
	prompts   [2]string // by role

	slots chan struct{} // one per batch that runs

	mu       sync.Mutex // guards closed, and running's growth from zero
	closed   bool
	running  sync.WaitGroup // calls, and batches that outlive their call
	closing  sync.Once
	closeErr error
}

var _ prospect.Embedder = (*Embedder)(nil)

// Dim is the number of components of every vector.
func (e *Embedder) Dim() int { return e.dim }

// Identity is a hash of the weights, the tokenizer, the pooling, the prompts,
// the maximum length and the dimension.
func (e *Embedder) Identity() string { return e.identity }

// MaxTokens is the length at which texts are cut, special tokens included.
func (e *Embedder) MaxTokens() int { return e.maxTokens }

// Tokens counts the tokens of the whole text with its prompt and the special
// tokens, and says whether [Embedder.Embed] would cut it: n > MaxTokens. It
// works on a closed embedder too. It takes time linear in the text.
func (e *Embedder) Tokens(role prospect.Role, text string) (n int, truncated bool) {
	var prompt string
	if int(role) < len(e.prompts) {
		prompt = e.prompts[role]
	}
	n = e.tokenizer.Count(prompt + text)
	return n, n > e.maxTokens
}

// Embed implements [prospect.Embedder]. Cancelling ctx makes it return at
// once with an error that wraps ctx.Err(); a batch in hand is computed to its
// end in the background. A text whose vector has no direction is a
// [*prospect.TextError] with [prospect.ErrEmptyText] (no tokens) or
// [prospect.ErrZeroVector]; one that the model computes to NaN or an infinity
// has [prospect.ErrNotFinite].
func (e *Embedder) Embed(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
	if int(role) >= len(e.prompts) {
		return nil, fmt.Errorf("%w: unknown role %v", prospect.ErrOption, role)
	}
	if !e.enter() {
		return nil, fmt.Errorf("onnx: %w", prospect.ErrClosed)
	}
	defer e.running.Done()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	// In windows, so that the token ids of a large gallery are not all in
	// memory at once.
	const window = 4096
	for from := 0; from < len(texts); from += window {
		to := min(from+window, len(texts))
		if err := e.embed(ctx, role, texts[from:to], out[from:to], from); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// embed fills out with the vectors of texts, the first of which is text
// number first of the call.
func (e *Embedder) embed(ctx context.Context, role prospect.Role, texts []string, out [][]float32, first int) error {
	ids, err := e.tokenize(ctx, role, texts, first)
	if err != nil {
		return err
	}
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(e.slots))
	for _, b := range plan(ids, e.maxTokens, e.batchSize, e.session.masked) {
		if gctx.Err() != nil {
			break
		}
		group.Go(func() error {
			rows := make([][]uint32, len(b.texts))
			for i, t := range b.texts {
				rows[i] = ids[t]
			}
			vectors, err := e.run(gctx, rows, b.length)
			if err != nil {
				return err
			}
			for i, t := range b.texts {
				if err := e.normalize(vectors[i], len(ids[t])); err != nil {
					return &prospect.TextError{Index: first + t, Err: err}
				}
				out[t] = vectors[i]
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// tokenize gives the token ids of the texts, several texts at a time.
func (e *Embedder) tokenize(ctx context.Context, role prospect.Role, texts []string, first int) ([][]uint32, error) {
	ids := make([][]uint32, len(texts))
	prompt := e.prompts[role]
	const chunk = 16 // texts: less work than this is not worth a goroutine
	var group errgroup.Group
	group.SetLimit(cap(e.slots))
	for from := 0; from < len(texts); from += chunk {
		to := min(from+chunk, len(texts))
		work := func() error {
			for i := from; i < to && ctx.Err() == nil; i++ {
				text := texts[i]
				if prompt != "" {
					text = prompt + text
				}
				ids[i], _ = e.tokenizer.Encode(text, e.maxTokens)
				if len(ids[i]) == 0 { // no special tokens, nothing to run
					return &prospect.TextError{Index: first + i, Err: prospect.ErrEmptyText}
				}
			}
			return ctx.Err()
		}
		if len(texts) <= chunk {
			return ids, work()
		}
		group.Go(work)
	}
	return ids, group.Wait()
}

// run runs one batch when there is a slot for it. Where ctx ends first it
// returns and leaves the batch, which cannot be stopped, to end by itself.
func (e *Embedder) run(ctx context.Context, ids [][]uint32, length int) ([][]float32, error) {
	select {
	case e.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type result struct {
		vectors [][]float32
		err     error
	}
	done := make(chan result, 1)
	e.running.Add(1) // the call holds one, so this is not a growth from zero
	go func() {
		defer e.running.Done()
		defer func() { <-e.slots }()
		vectors, err := e.session.run(ids, length)
		done <- result{vectors, err}
	}()
	select {
	case r := <-done:
		return r.vectors, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// normalize scales v to unit length, or says why it cannot. The norm is summed
// in float64: the squares of large float32 components overflow in their own type.
func (e *Embedder) normalize(v []float32, tokens int) error {
	if len(v) != e.dim {
		return fmt.Errorf("%w: %d components, not %d", prospect.ErrDimension, len(v), e.dim)
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(sum) || math.IsInf(sum, 0):
		return prospect.ErrNotFinite
	case sum == 0 && tokens <= e.tokenizer.Specials():
		return prospect.ErrEmptyText
	case sum == 0:
		return prospect.ErrZeroVector
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return nil
}

// enter counts a call in, unless the embedder is closed.
func (e *Embedder) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.running.Add(1)
	return true
}

// Close waits for the calls that run and frees the model. Later calls of
// [Embedder.Embed] give [prospect.ErrClosed]. Closing again does nothing and
// gives the same error.
func (e *Embedder) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.closing.Do(func() {
		e.running.Wait()
		e.closeErr = e.session.close()
	})
	return e.closeErr
}
