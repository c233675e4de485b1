package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

var yes = llm.Turn{Text: "yes", Repeat: true}

func TestFakesConform(t *testing.T) {
	for _, m := range []prospect.LLM{
		llm.NewScripted("script", yes),
		llm.NewScripted("slow script", llm.Turn{Text: "yes", Repeat: true, Delay: time.Minute}),
		llm.NewFaulty(llm.NewScripted("script", yes), llm.Faults{MaxDelay: time.Minute}),
	} {
		synctest.Test(t, func(t *testing.T) {
			require.NoError(t, llm.TestLLM(t.Context(), m), m.Identity())
		})
	}
}

// broken is a good model but for the function that is set.
type broken struct {
	identity func(call int64) string
	generate prospect.GenerateFunc
	calls    atomic.Int64
}

func (b *broken) Identity() string {
	if b.identity != nil {
		return b.identity(b.calls.Load())
	}
	return "broken"
}

func (b *broken) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	b.calls.Add(1)
	if b.generate != nil {
		return b.generate(ctx, req)
	}
	return prospect.LLMResponse{Text: "yes"}, ctx.Err()
}

func TestBrokenModelsAreFound(t *testing.T) {
	ok := prospect.LLMResponse{Text: "yes"}
	var busy atomic.Int64
	for _, c := range []struct {
		name  string
		model *broken
		want  string
	}{
		{"no identity", &broken{identity: func(int64) string { return "" }}, "Identity is empty"},
		{"identity changes", &broken{identity: func(n int64) string { return fmt.Sprint("model ", n) }},
			`Identity changed from "model 0" to "model 9"`},
		{"empty answer", &broken{generate: func(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
			return prospect.LLMResponse{Text: " \n"}, ctx.Err()
		}}, "the answer is empty"},
		{"negative usage", &broken{generate: func(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
			return prospect.LLMResponse{Text: "yes", Usage: prospect.Usage{OutputTokens: -1}}, ctx.Err()
		}}, "negative usage"},
		{"no schema taken", &broken{generate: func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
			if req.Schema != nil {
				return prospect.LLMResponse{}, errors.New("unknown field response_format")
			}
			return ok, ctx.Err()
		}}, "every field set: unknown field"},
		{"changes the schema", &broken{generate: func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
			if len(req.Schema) > 0 {
				req.Schema[0] = ' '
			}
			return ok, ctx.Err()
		}}, "changed the request"},
		{"changes the temperature", &broken{generate: func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
			if req.Temperature != nil {
				*req.Temperature = 1
			}
			return ok, ctx.Err()
		}}, "changed the request"},
		{"answers when cancelled", &broken{generate: func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) {
			return ok, nil
		}}, "a cancelled context: no error"},
		{"hides the context's error", &broken{generate: func(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
			if err := ctx.Err(); err != nil {
				return prospect.LLMResponse{}, fmt.Errorf("request failed: %v", err)
			}
			return ok, nil
		}}, `a context past its deadline: the error does not wrap "context deadline exceeded"`},
		{"ignores the context", &broken{generate: func(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
			time.Sleep(time.Minute)
			return ok, ctx.Err()
		}}, "cancelled during the call: it goes on after 5s"},
		{"looks at the context first only", &broken{generate: func(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
			if err := ctx.Err(); err != nil {
				return prospect.LLMResponse{}, err
			}
			time.Sleep(time.Second)
			if ctx.Err() != nil {
				return prospect.LLMResponse{}, errors.New("connection closed")
			}
			return ok, nil
		}}, "cancelled during the call: the error does not wrap"},
		{"one call at a time", &broken{generate: func(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
			defer busy.Add(-1)
			if busy.Add(1) > 1 {
				return prospect.LLMResponse{}, errors.New("busy")
			}
			time.Sleep(time.Millisecond)
			return ok, ctx.Err()
		}}, "4 calls at once: busy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				require.ErrorContains(t, llm.TestLLM(t.Context(), c.model), c.want)
			})
		})
	}
	require.ErrorContains(t, llm.TestLLM(t.Context(), nil), "nil")
}

func TestConformanceReportsEveryFault(t *testing.T) {
	m := &broken{generate: func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) {
		return prospect.LLMResponse{}, nil
	}}
	err := llm.TestLLM(t.Context(), m)
	require.ErrorContains(t, err, "a prompt alone")
	require.ErrorContains(t, err, "a cancelled context")
	require.Equal(t, 4, strings.Count(err.Error(), "4 calls at once"))
	require.EqualValues(t, 9, m.calls.Load())
}

func TestConformanceStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := &broken{}
	require.Equal(t, context.Canceled, llm.TestLLM(ctx, m))
	require.Zero(t, m.calls.Load())
}

func ExampleTestLLM() {
	client := prospect.NewLLM("echo", func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
		return prospect.LLMResponse{Text: req.Prompt}, ctx.Err()
	})
	fmt.Println(llm.TestLLM(context.Background(), client))
	// Output: <nil>
}
