package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/prospect-go/prospect"
)

type client struct {
	service        anthropic.MessageService
	name, identity string
	noSchemas      atomic.Bool // the model refused one
}

const (
	defaultBase = "https://api.anthropic.com"
	// defaultMaxTokens goes with requests that set no limit: the service wants
	// one. It bounds reasoning too.
	defaultMaxTokens = 8192
)

// New returns the model of that name. The base URL is "" for Anthropic's own.
// It reads nothing from the environment and tries each call once, for
// [llm.Retry] to repeat. The key is not in the identity; a URL that holds a user
// or a query, which would be, is refused.
func New(base, name, key string, more ...option.RequestOption) (prospect.LLM, error) {
	base = cmp.Or(base, defaultBase)
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || name == "" {
		return nil, fmt.Errorf("%w: want a base URL without user and query, and a model", prospect.ErrOption)
	}
	opts := append([]option.RequestOption{option.WithBaseURL(base), option.WithAPIKey(key), option.WithMaxRetries(0)}, more...)
	return &client{service: anthropic.NewMessageService(opts...), name: name, identity: name + " at " + base}, nil
}

func (c *client) Identity() string { return c.identity }

func (c *client) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	body := anthropic.MessageNewParams{
		Model: c.name, MaxTokens: int64(cmp.Or(req.MaxTokens, defaultMaxTokens)),
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(req.Prompt))},
	}
	if req.System != "" {
		body.System = []anthropic.TextBlockParam{{Text: req.System}}
	}
	if req.Schema != nil && !c.noSchemas.Load() {
		if err := json.Unmarshal(req.Schema, &body.OutputConfig.Format.Schema); err != nil {
			return prospect.LLMResponse{}, fmt.Errorf("%s: the request's schema: %w", c.identity, err)
		}
	}
	got, err := c.service.New(ctx, body)
	if refusesSchemas(err) && body.OutputConfig.Format.Schema != nil {
		body.OutputConfig = anthropic.OutputConfigParam{}
		if got, err = c.service.New(ctx, body); err == nil {
			c.noSchemas.Store(true)
		}
	}
	if err != nil {
		return prospect.LLMResponse{}, fmt.Errorf("%s: %w", c.identity, judged(ctx, err))
	}
	if got == nil || len(got.Content) == 0 && got.StopReason == "" || got.StopReason == anthropic.StopReasonRefusal {
		return prospect.LLMResponse{}, fmt.Errorf("%s: a refusal, or not this service: %.300s", c.identity, raw(got))
	}
	var text strings.Builder
	for _, block := range got.Content { // blocks of reasoning stand between
		if block.Type == "text" {
			text.WriteString(block.Text)
		}
	}
	return prospect.LLMResponse{
		Text:      text.String(),
		Truncated: got.StopReason == anthropic.StopReasonMaxTokens || got.StopReason == anthropic.StopReasonModelContextWindowExceeded,
		Usage: prospect.Usage{
			InputTokens:  int(got.Usage.InputTokens + got.Usage.CacheCreationInputTokens + got.Usage.CacheReadInputTokens),
			OutputTokens: int(got.Usage.OutputTokens),
		},
	}, nil
}
