package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prospect-go/prospect"
)

// ErrNoAnswer: the script has no turn left for a request. The error shows the
// prompt and the turn that came nearest.
var ErrNoAnswer = errors.New("llm: no answer in the script")

// A Turn is one answer of a [Scripted] model.
type Turn struct {
	// Match is a part of the system text or the prompt of the request that
	// this turn answers. "": any request.
	Match string
	// Repeat lets the turn answer again and again. Default: once.
	Repeat bool
	// Delay before the answer. If ctx ends sooner, its error is the answer.
	Delay time.Duration

	// Err is returned in place of an answer where it is not nil.
	Err error
	// Text, Truncated and Usage make the answer.
	Text      string
	Truncated bool
	Usage     prospect.Usage
}

func (t Turn) answers(req prospect.LLMRequest) bool {
	return strings.Contains(req.Prompt, t.Match) || strings.Contains(req.System, t.Match)
}

// Scripted is a model that answers from a script: each request takes the first
// turn that matches it and is not used up. Turns without Match answer in
// order; where calls are concurrent, give each turn a Match, so that the
// outcome does not depend on timing.
//
// It is safe for concurrent use. Make one with [NewScripted].
type Scripted struct {
	identity string
	turns    []Turn

	mu    sync.Mutex
	used  []bool                // by turn, guarded by mu
	calls []prospect.LLMRequest // guarded by mu
}

// NewScripted returns a model with the script. It panics if the identity is
// empty, for that is a mistake in the program.
func NewScripted(identity string, turns ...Turn) *Scripted {
	if identity == "" {
		panic("llm.NewScripted: needs an identity")
	}
	return &Scripted{identity: identity, turns: slices.Clone(turns), used: make([]bool, len(turns))}
}

// Identity returns the identity that was given to NewScripted.
func (s *Scripted) Identity() string { return s.identity }

// Generate answers from the script. A request that comes with its context
// ended uses no turn. Without a turn the error wraps [ErrNoAnswer].
func (s *Scripted) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	if err := ctx.Err(); err != nil {
		return prospect.LLMResponse{}, err
	}
	turn, err := s.take(req)
	if err != nil {
		return prospect.LLMResponse{}, err
	}
	if err := wait(ctx, turn.Delay); err != nil {
		return prospect.LLMResponse{}, err
	}
	if turn.Err != nil {
		return prospect.LLMResponse{}, turn.Err
	}
	return prospect.LLMResponse{Text: turn.Text, Truncated: turn.Truncated, Usage: turn.Usage}, nil
}

func (s *Scripted) take(req prospect.LLMRequest) (Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, req)
	for i, t := range s.turns {
		if (t.Repeat || !s.used[i]) && t.answers(req) {
			s.used[i] = true
			return t, nil
		}
	}
	return Turn{}, fmt.Errorf("%w for the prompt %q: %s", ErrNoAnswer, shorten(req.Prompt), s.nearest(req))
}

// nearest describes the turn that came nearest to answering req.
func (s *Scripted) nearest(req prospect.LLMRequest) string {
	if len(s.turns) == 0 {
		return "the script is empty"
	}
	best, closeness := -1, -1.0
	for i, t := range s.turns {
		if t.answers(req) {
			return fmt.Sprintf("turn %d of %d, matching %q, is used up", i+1, len(s.turns), shorten(t.Match))
		}
		if c := max(overlap(t.Match, req.Prompt), overlap(t.Match, req.System)); c > closeness {
			best, closeness = i, c
		}
	}
	state := ""
	if s.used[best] {
		state = ", which is used up"
	}
	return fmt.Sprintf("the nearest is turn %d of %d, matching %q%s", best+1, len(s.turns), shorten(s.turns[best].Match), state)
}

// Calls returns the requests so far, those without an answer too, in the order
// in which they came.
func (s *Scripted) Calls() []prospect.LLMRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Unused returns the turns that have not answered yet, for a test to check
// that its whole script was played.
func (s *Scripted) Unused() []Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []Turn
	for i, t := range s.turns {
		if !s.used[i] {
			left = append(left, t)
		}
	}
	return left
}

// overlap is the share of part's three-byte sequences that text has.
func overlap(part, text string) float64 {
	const n = 3
	if len(part) < n {
		return 0
	}
	have := make(map[string]bool, len(text))
	for i := 0; i+n <= len(text); i++ {
		have[text[i:i+n]] = true
	}
	shared := 0
	for i := 0; i+n <= len(part); i++ {
		if have[part[i:i+n]] {
			shared++
		}
	}
	return float64(shared) / float64(len(part)-n+1)
}

// shorten keeps the two ends of a long text: prompts often begin alike.
func shorten(s string) string {
	const half = 100
	r := []rune(s)
	if len(r) <= 2*half {
		return s
	}
	return string(r[:half]) + " … " + string(r[len(r)-half:])
}

// wait returns nil after d, or ctx's error if it ends before.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
