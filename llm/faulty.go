package llm

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/prospect-go/prospect"
)

// ErrFault: a [Faulty] model let a call fail.
var ErrFault = errors.New("llm: injected fault")

// Faults say how a [Faulty] model fails; the zero value adds none.
type Faults struct {
	// Seed of the faults: equal seeds give equal faults.
	Seed uint64
	// Errors is the share of calls that fail, in [0, 1].
	Errors float64
	// Err is the error of those calls. nil: one that wraps
	// prospect.ErrTransient and [ErrFault].
	Err error
	// Refusals is the share of calls that fail for good, in [0, 1], with an
	// error that wraps [ErrFault] alone.
	Refusals float64
	// Hangs is the share of calls that end only with their context, in [0, 1].
	Hangs float64
	// Truncations is the share of answers that break off, in [0, 1]: at a
	// place between nothing and all of the text, with Truncated set.
	Truncations float64
	// Empty is the share of answers that are empty, in [0, 1].
	Empty float64
	// Lies is the share of answers that are replaced, in [0, 1], by what models
	// come up with: broken JSON, JSON of another shape, chat, the prompt, orders
	// to whoever reads it, megabytes, bytes that are not UTF-8.
	Lies float64
	// MaxDelay bounds the delay before each call, drawn evenly from 0 to it.
	MaxDelay time.Duration
}

// Faulty is a model that fails now and then. What happens to a call depends on
// the seed, on the request's texts and on how often they were sent before, not
// on the timing of other calls. It is safe for concurrent use. Make one with
// [NewFaulty].
type Faulty struct {
	m      prospect.LLM
	faults Faults

	mu   sync.Mutex
	sent map[[sha256.Size]byte]uint64 // how often, by hash of the texts; guarded by mu
}

// NewFaulty returns m with faults. It panics if a share is not in [0, 1], for
// that is a mistake in the program.
func NewFaulty(m prospect.LLM, f Faults) *Faulty {
	for _, share := range []float64{f.Errors, f.Refusals, f.Hangs, f.Truncations, f.Empty, f.Lies} {
		if math.IsNaN(share) || share < 0 || share > 1 {
			panic(fmt.Sprintf("llm.NewFaulty: a share must be in [0, 1]: %v", share))
		}
	}
	return &Faulty{m: m, faults: f, sent: make(map[[sha256.Size]byte]uint64)}
}

// Identity is that of the model with the faults, which change its answers.
func (f *Faulty) Identity() string {
	return fmt.Sprintf("%s+faults(seed %d, errors %v, refusals %v, hangs %v, truncations %v, empty %v, lies %v)",
		f.m.Identity(), f.faults.Seed, f.faults.Errors, f.faults.Refusals, f.faults.Hangs, f.faults.Truncations, f.faults.Empty, f.faults.Lies)
}

// Generate calls the model, or fails as drawn for this call.
func (f *Faulty) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	r := f.draw(req)
	// All are drawn for every call, so that one share does not shift another.
	delay := time.Duration(r.Float64() * float64(f.faults.MaxDelay))
	fails, empty, cut, at := r.Float64(), r.Float64(), r.Float64(), r.Float64()
	refuses, hangs, lying := r.Float64(), r.Float64(), r.Float64()
	if err := wait(ctx, delay); err != nil {
		return prospect.LLMResponse{}, err
	}
	switch {
	case hangs < f.faults.Hangs:
		<-ctx.Done()
		return prospect.LLMResponse{}, ctx.Err()
	case refuses < f.faults.Refusals:
		return prospect.LLMResponse{}, fmt.Errorf("%w: refused", ErrFault)
	case fails < f.faults.Errors && f.faults.Err != nil:
		return prospect.LLMResponse{}, f.faults.Err
	case fails < f.faults.Errors:
		return prospect.LLMResponse{}, fmt.Errorf("%w: %w", ErrFault, prospect.ErrTransient)
	}
	resp, err := f.m.Generate(ctx, req)
	if err != nil {
		return resp, err
	}
	if lying < f.faults.Lies {
		resp.Text = lie(r, req.Prompt, resp.Text)
	}
	switch {
	case empty < f.faults.Empty:
		resp.Text = ""
	case cut < f.faults.Truncations:
		resp.Text, resp.Truncated = resp.Text[:int(at*float64(len(resp.Text)))], true
	}
	return resp, nil
}

// draw returns the source of random numbers of the next call with req's texts.
func (f *Faulty) draw(req prospect.LLMRequest) *rand.Rand {
	texts := binary.LittleEndian.AppendUint64(nil, uint64(len(req.System)))
	key := sha256.Sum256(append(append(texts, req.System...), req.Prompt...))
	f.mu.Lock()
	n := f.sent[key]
	f.sent[key]++
	f.mu.Unlock()
	var seed [32]byte
	copy(seed[:], key[:16])
	binary.LittleEndian.PutUint64(seed[16:], n)
	binary.LittleEndian.PutUint64(seed[24:], f.faults.Seed)
	return rand.New(rand.NewChaCha8(seed))
}
