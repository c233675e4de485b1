package prospect

import (
	"context"
	"encoding/json"
)

// An LLMRequest is one question to a language model: a system text, a prompt,
// and what is asked of the answer.
type LLMRequest struct {
	// System holds the standing instructions. It may be empty.
	System string
	// Prompt is the user's turn.
	Prompt string
	// Schema is a JSON Schema that the answer should follow; nil for free
	// text. Models that can enforce it should; others may ignore it, so
	// callers parse the answer as untrusted text either way.
	Schema json.RawMessage
	// SchemaName names the schema for services that want a name:
	// letters, digits and underscores.
	SchemaName string
	// MaxTokens bounds the answer; 0 leaves it to the model.
	MaxTokens int
	// Temperature of the sampling; nil is unset and leaves it to the model.
	// new(0.0) asks for the most likely answer.
	Temperature *float64
}

// An LLMResponse is a model's answer.
type LLMResponse struct {
	// Text of the answer, as the model gave it. It is untrusted.
	Text string
	// Truncated says that the answer ended because a limit was reached.
	Truncated bool
	// Usage is what the call cost, zero where it is not known.
	Usage Usage
}

// Usage counts the tokens of one or several calls.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens}
}

// An LLM answers prompts. The library has no client of its own: an agent
// runtime wraps the one it already has.
//
// Implementations promise:
//   - one answer per call, or an error; an error that may go away by itself
//     (rate limit, time-out of the service, broken connection) wraps
//     [ErrTransient];
//   - they stop soon when ctx is cancelled and then return an error that
//     wraps ctx.Err();
//   - safety for concurrent calls.
type LLM interface {
	Generate(ctx context.Context, req LLMRequest) (LLMResponse, error)

	// Identity names the model and whatever else changes its answers. It is
	// not empty. Caches and records are keyed by it.
	Identity() string
}

// GenerateFunc is the signature of [LLM.Generate].
type GenerateFunc func(ctx context.Context, req LLMRequest) (LLMResponse, error)

// NewLLM makes an [LLM] of a function and an identity. The function has the
// duties of the interface. It panics if the identity is empty or f is nil,
// for those are mistakes in the program.
func NewLLM(identity string, f GenerateFunc) LLM {
	if identity == "" || f == nil {
		panic("prospect.NewLLM: needs an identity and a function")
	}
	return &funcLLM{identity: identity, f: f}
}

type funcLLM struct {
	identity string
	f        GenerateFunc
}

func (m *funcLLM) Generate(ctx context.Context, req LLMRequest) (LLMResponse, error) {
	return m.f(ctx, req)
}
func (m *funcLLM) Identity() string { return m.identity }
