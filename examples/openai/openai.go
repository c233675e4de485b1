package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/prospect-go/prospect"
)

type client struct {
	service        openai.ChatCompletionService
	name, identity string
	refused        atomic.Uint32 // what of the below the service does not take
}

// Answers by schema, answers in JSON at all, and the older name of the limit.
const bySchema, asObject, maxTokens uint32 = 1, 2, 4

// New returns the model of that name at a base URL such as
// http://localhost:11434/v1. It reads nothing from the environment and tries
// each call once, for [llm.Retry] to repeat. The key, if any, is not in the
// identity; a URL that holds a user or a query, which would be, is refused.
func New(base, name, key string, more ...option.RequestOption) (prospect.LLM, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || name == "" {
		return nil, fmt.Errorf("%w: want a base URL without user and query, and a model", prospect.ErrOption)
	}
	if key != "" {
		more = append([]option.RequestOption{option.WithAPIKey(key)}, more...)
	}
	more = append([]option.RequestOption{option.WithBaseURL(base), option.WithMaxRetries(0)}, more...)
	return &client{service: openai.NewChatCompletionService(more...), name: name, identity: name + " at " + base}, nil
}

func (c *client) Identity() string { return c.identity }

func (c *client) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	body := openai.ChatCompletionNewParams{Model: c.name}
	if req.System != "" {
		body.Messages = append(body.Messages, openai.SystemMessage(req.System))
	}
	body.Messages = append(body.Messages, openai.UserMessage(req.Prompt))
	if req.Temperature != nil {
		body.Temperature = param.NewOpt(*req.Temperature)
	}
	schema := shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: cmp.Or(req.SchemaName, "answer"), Schema: req.Schema, Strict: param.NewOpt(true)}
	for refused := c.refused.Load(); ; {
		asked := uint32(0)
		if limit := param.NewOpt(int64(req.MaxTokens)); req.MaxTokens > 0 && refused&maxTokens == 0 {
			body.MaxTokens, asked = limit, maxTokens // the name that local services know
		} else if req.MaxTokens > 0 {
			body.MaxTokens, body.MaxCompletionTokens = param.Opt[int64]{}, limit
		}
		body.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{}
		if req.Schema != nil && refused&bySchema == 0 {
			body.ResponseFormat.OfJSONSchema, asked = &shared.ResponseFormatJSONSchemaParam{JSONSchema: schema}, asked|bySchema
		} else if req.Schema != nil && refused&asObject == 0 {
			body.ResponseFormat.OfJSONObject, asked = &shared.ResponseFormatJSONObjectParam{}, asked|asObject
		}
		got, err := c.service.New(ctx, body)
		if next := refusal(err, asked); next != 0 {
			refused |= next
			continue
		}
		if err != nil {
			return prospect.LLMResponse{}, fmt.Errorf("%s: %w", c.identity, judged(ctx, err))
		}
		if got == nil { // of the answer null
			got = &openai.ChatCompletion{}
		}
		if len(got.Choices) == 0 || got.Choices[0].Message.Refusal != "" || got.Choices[0].FinishReason == "content_filter" {
			return prospect.LLMResponse{}, fmt.Errorf("%s: a refusal, or no chat service: %.300s", c.identity, got.RawJSON())
		}
		c.refused.Store(refused)
		return prospect.LLMResponse{
			Text: got.Choices[0].Message.Content, Truncated: got.Choices[0].FinishReason == "length",
			Usage: prospect.Usage{InputTokens: int(got.Usage.PromptTokens), OutputTokens: int(got.Usage.CompletionTokens)},
		}, nil
	}
}
