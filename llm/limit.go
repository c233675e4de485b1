package llm

import (
	"context"
	"fmt"

	"github.com/prospect-go/prospect"
)

// Limit returns m with at most n calls under way at once; others wait, and
// leave as soon as their context ends. n below 1 is an error that wraps
// [prospect.ErrOption].
//
// Wrap a model once and share it, for each wrapping has a limit of its own.
// Put it inside [Retry], so that no place is held while a call waits to be
// tried again.
func Limit(m prospect.LLM, n int) (prospect.LLM, error) {
	if n < 1 {
		return nil, fmt.Errorf("%w: a limit of %d calls, want 1 or more", prospect.ErrOption, n)
	}
	return &limited{m, make(chan struct{}, n)}, nil
}

type limited struct {
	prospect.LLM
	places chan struct{}
}

func (m *limited) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	if err := ctx.Err(); err != nil {
		return prospect.LLMResponse{}, err
	}
	select {
	case m.places <- struct{}{}:
	case <-ctx.Done():
		return prospect.LLMResponse{}, ctx.Err()
	}
	defer func() { <-m.places }()
	return m.LLM.Generate(ctx, req)
}
