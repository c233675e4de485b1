package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/prospect-go/prospect"
)

// chatModel is a model of an OpenAI-compatible service as a [prospect.LLM].
type chatModel struct {
	service        openai.ChatCompletionService
	name, identity string
	format         atomic.Int32 // the strictest answer format that worked
}

// The ways to ask for JSON, strictest first. Not every service has each.
const bySchema, asObject, freely int32 = 0, 1, 2

// newChatModel reads nothing from the environment. The client tries twice more
// by itself what may go better.
func newChatModel(base, model, key string, more ...option.RequestOption) *chatModel {
	opts := append([]option.RequestOption{option.WithBaseURL(base)}, more...)
	if key != "" {
		opts = append(opts, option.WithAPIKey(key))
	}
	return &chatModel{service: openai.NewChatCompletionService(opts...), name: model, identity: model + " at " + base}
}

func (m *chatModel) Identity() string { return m.identity }

// Generate implements [prospect.LLM]. What a service refuses is asked again in
// the next looser format; later calls begin with the one that worked.
func (m *chatModel) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	body := openai.ChatCompletionNewParams{Model: m.name}
	if req.System != "" {
		body.Messages = append(body.Messages, openai.SystemMessage(req.System))
	}
	body.Messages = append(body.Messages, openai.UserMessage(req.Prompt))
	if req.MaxTokens > 0 {
		body.MaxTokens = param.NewOpt(int64(req.MaxTokens)) // local services know no newer name
	}
	if req.Temperature != nil {
		body.Temperature = param.NewOpt(*req.Temperature)
	}
	schema := &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: req.SchemaName, Schema: req.Schema, Strict: param.NewOpt(true)}}
	for format := m.format.Load(); ; format++ {
		if req.Schema == nil {
			format = freely
		}
		body.ResponseFormat = [...]openai.ChatCompletionNewParamsResponseFormatUnion{
			bySchema: {OfJSONSchema: schema}, asObject: {OfJSONObject: &shared.ResponseFormatJSONObjectParam{}}, freely: {}}[format]
		got, err := m.service.New(ctx, body)
		e, refused := errors.AsType[*openai.Error](err)
		if refused && format < freely && (e.StatusCode == http.StatusBadRequest || e.StatusCode == http.StatusUnprocessableEntity) {
			continue
		}
		switch {
		case err != nil:
			return prospect.LLMResponse{}, fmt.Errorf("%s: %w", m.identity, judged(ctx, err))
		case len(got.Choices) == 0 || got.Choices[0].Message.Refusal != "":
			return prospect.LLMResponse{}, fmt.Errorf("%s: no answer (is the URL that of a chat service?): %.300s", m.identity, got.RawJSON())
		case req.Schema != nil:
			m.format.Store(format)
		}
		return prospect.LLMResponse{
			Text: got.Choices[0].Message.Content, Truncated: got.Choices[0].FinishReason == "length",
			Usage: prospect.Usage{InputTokens: int(got.Usage.PromptTokens), OutputTokens: int(got.Usage.CompletionTokens)},
		}, nil
	}
}

// judged says what the service said, and wraps [prospect.ErrTransient] around
// what may go away by itself.
func judged(ctx context.Context, err error) error {
	e, answered := errors.AsType[*openai.Error](err)
	_, broken := errors.AsType[*url.Error](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case answered && (e.StatusCode >= 500 || e.StatusCode == http.StatusRequestTimeout || e.StatusCode == http.StatusTooManyRequests && e.Code != "insufficient_quota"):
		return fmt.Errorf("%w: %w: %s", prospect.ErrTransient, err, e.Message)
	case answered:
		return fmt.Errorf("%w: %s", err, e.Message)
	case broken || errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", prospect.ErrTransient, err)
	}
	return err // an answer that is none
}
