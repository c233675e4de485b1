package onnx

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
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

// Open opens the model in a folder on disk and runs it once, so that a model
// that the runtime cannot compute fails here. An error about a file is a
// [*fs.PathError] that names it and wraps [fs.ErrNotExist] where it is
// missing, [prospect.ErrCorrupt] where it cannot be read as what it should be,
// [prospect.ErrFormat] where it is something else, or [errors.ErrUnsupported]
// where this package or the runtime lacks what it asks for.
//
// The embedder holds the weights in memory, about twice the file's size while
// opening; the files are not needed afterwards, except weights beside the
// graph, which stay mapped. ctx is looked at between the steps of opening and
// not kept.
func Open(ctx context.Context, dir string, opts Options) (*Embedder, error) {
	return open(ctx, os.DirFS(dir), dir, opts)
}

// OpenFS is [Open] for a folder in any file system, such as an [embed.FS]. The
// graph must hold its weights itself.
func OpenFS(ctx context.Context, fsys fs.FS, opts Options) (*Embedder, error) {
	return open(ctx, fsys, "", opts)
}

func open(ctx context.Context, fsys fs.FS, dir string, opts Options) (*Embedder, error) {
	if err := errors.Join(opts.Validate(), ctx.Err()); err != nil {
		return nil, err
	}
	f, err := readFolder(fsys, dir, opts)
	if err != nil {
		return nil, err
	}
	e := &Embedder{
		tokenizer: f.tokenizer,
		maxTokens: firstPositive(opts.MaxTokens, f.maxTokens, defaultMaxTokens),
		batchSize: firstPositive(opts.BatchSize, defaultBatchSize),
		prompts:   [2]string{prospect.RoleDocument: f.docs, prospect.RoleQuery: f.query},
		slots:     make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	if opts.DocumentPrompt != nil {
		e.prompts[prospect.RoleDocument] = *opts.DocumentPrompt
	}
	if opts.QueryPrompt != nil {
		e.prompts[prospect.RoleQuery] = *opts.QueryPrompt
	}
	if least := e.tokenizer.Specials() + 1; e.maxTokens < least {
		return nil, fmt.Errorf("onnx: MaxTokens %d leaves no room for text, the least is %d", e.maxTokens, least)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.session, err = openSession(f, opts.Output); err != nil {
		return nil, err
	}
	if err := errors.Join(ctx.Err(), e.probe(f)); err != nil {
		return nil, errors.Join(err, e.session.close())
	}
	if e.identity, err = f.identity(e); err != nil {
		return nil, errors.Join(err, e.session.close())
	}
	return e, nil
}

// probe checks that graph and folder fit together and runs the graph on the
// largest token id: that finds the dimension, operators which the runtime
// knows only by name, and a tokenizer of another model.
func (e *Embedder) probe(f *folder) error {
	if !e.session.pooled {
		if f.pooling != "" && f.pooling != "mean_tokens" {
			return f.fault(f.modelName, fmt.Errorf("%w: pooling %s, only mean_tokens or an output that is pooled", errors.ErrUnsupported, f.pooling))
		}
		if f.between != "" {
			return f.fault("modules.json", fmt.Errorf("%w: module %s", errors.ErrUnsupported, f.between))
		}
	}
	ids := []uint32{e.tokenizer.MaxID()}
	length := len(ids)
	if e.session.masked {
		length = min(bucket(length), e.maxTokens)
	}
	out, err := e.session.run([][]uint32{ids}, length)
	if err != nil {
		return f.fault(f.modelName, fmt.Errorf("%w: %v", errors.ErrUnsupported, err))
	}
	if e.dim = len(out[0]); e.dim == 0 {
		return f.fault(f.modelName, fmt.Errorf("%w: vectors without components", prospect.ErrCorrupt))
	}
	return nil
}

// identity hashes whatever the vectors depend on. Every part is preceded by
// its length, so that parts cannot run into each other.
func (f *folder) identity(e *Embedder) (string, error) {
	h := sha256.New()
	part := func(b []byte) {
		_ = binary.Write(h, binary.LittleEndian, uint64(len(b))) // a hash does not fail
		h.Write(b)
	}
	part([]byte("prospect/embed/onnx 1"))
	part(f.model)
	for _, name := range f.external {
		file, err := f.fsys.Open(name)
		if err != nil {
			return "", err
		}
		n, err := io.Copy(h, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return "", f.fault(name, err)
		}
		_ = binary.Write(h, binary.LittleEndian, uint64(n))
	}
	part(f.tokenizerJSON)
	out := e.session.model.OutputsMeta[e.session.output].Name
	pooling := "mean"
	if e.session.pooled {
		pooling = "none"
	}
	for _, s := range []string{out, pooling, e.prompts[0], e.prompts[1]} {
		part([]byte(s))
	}
	fmt.Fprintf(h, "%d %d", e.maxTokens, e.dim)
	return "onnx:" + hex.EncodeToString(h.Sum(nil)[:16]), nil
}

func firstPositive(ns ...int) int {
	for _, n := range ns {
		if n > 0 {
			return n
		}
	}
	return 0
}

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
		return nil, fmt.Errorf("onnx: unknown role %v", role)
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
	// A batch is reported by its lowest bad text, and the call by the lowest
	// of those that are known when it ends.
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
