package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/prospect-go/prospect"
)

// chatModel is a model of an OpenAI-compatible service as a [prospect.LLM].
type chatModel struct {
	service  openai.ChatCompletionService
	name     string
	identity string
	format   atomic.Int32 // the strictest answer format that the service has not refused
}

// The ways to ask for JSON, strictest first. Not every service has each.
const (
	bySchema int32 = iota
	asObject
	freely
)

// newChatModel reads nothing from the environment. The client tries a call
// that may go better next time twice more, after the pause the service asks
// for.
func newChatModel(base, model, key string, more ...option.RequestOption) *chatModel {
	shown := base
	if u, err := url.Parse(base); err == nil {
		shown = u.Redacted()
	}
	opts := append([]option.RequestOption{option.WithBaseURL(base), option.WithAPIKey(key)}, more...)
	return &chatModel{service: openai.NewChatCompletionService(opts...), name: model, identity: model + " at " + shown}
}

func (m *chatModel) Identity() string { return m.identity }

// Generate implements [prospect.LLM]. What a service refuses is asked again in
// the next looser format, and later calls begin with the one that worked.
func (m *chatModel) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	if req.Schema == nil {
		return m.call(ctx, req, freely)
	}
	for format := m.format.Load(); ; format++ {
		resp, err := m.call(ctx, req, format)
		if e, ok := errors.AsType[*openai.Error](err); ok && format < freely &&
			(e.StatusCode == http.StatusBadRequest || e.StatusCode == http.StatusUnprocessableEntity || e.StatusCode == http.StatusNotImplemented) {
			continue
		}
		if err == nil {
			m.format.Store(format)
		}
		return resp, err
	}
}

func (m *chatModel) call(ctx context.Context, req prospect.LLMRequest, format int32) (prospect.LLMResponse, error) {
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
	switch format {
	case bySchema:
		body.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: req.SchemaName, Schema: req.Schema, Strict: param.NewOpt(true)}}
	case asObject:
		body.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	got, err := m.service.New(ctx, body)
	if err != nil {
		return prospect.LLMResponse{}, m.explain(ctx, err)
	}
	resp := prospect.LLMResponse{Usage: prospect.Usage{InputTokens: int(got.Usage.PromptTokens), OutputTokens: int(got.Usage.CompletionTokens)}}
	if len(got.Choices) == 0 {
		return resp, fmt.Errorf("%s: the answer is not that of a chat service (is the URL right?)", m.identity)
	}
	choice := got.Choices[0]
	if choice.Message.Refusal != "" {
		return resp, fmt.Errorf("%s refused: %s", m.identity, choice.Message.Refusal)
	}
	resp.Text, resp.Truncated = choice.Message.Content, choice.FinishReason == "length"
	return resp, nil
}

// explain says what went wrong, and whether it may go away by itself.
func (m *chatModel) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", m.identity, ctx.Err())
	}
	if e, ok := errors.AsType[*openai.Error](err); ok {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(e.Message))
		if e.StatusCode != http.StatusRequestTimeout && (e.StatusCode != http.StatusTooManyRequests || e.Code == "insufficient_quota") && e.StatusCode < 500 {
			return fmt.Errorf("%s: %w", m.identity, err)
		}
	} else if _, ok := errors.AsType[*url.Error](err); !ok && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", m.identity, err) // an answer that is none
	}
	return fmt.Errorf("%s: %w: %w", m.identity, prospect.ErrTransient, err)
}
