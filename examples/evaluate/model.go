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
	service openai.ChatCompletionService
	name    string
	id      string
	form    atomic.Int32 // the strictest form of answers that the service took
}

// The forms in which JSON is asked for, strictest first. Not every service
// knows each.
const bySchema, asObject, asText int32 = 0, 1, 2

// newChatModel reads nothing from the environment. The client itself tries
// twice more what may go better.
func newChatModel(base, model, key string, more ...option.RequestOption) *chatModel {
	opts := append([]option.RequestOption{option.WithBaseURL(base)}, more...)
	if key != "" {
		opts = append(opts, option.WithAPIKey(key))
	}
	return &chatModel{service: openai.NewChatCompletionService(opts...), name: model, id: model + " at " + base}
}

func (m *chatModel) Identity() string { return m.id }

// Generate implements [prospect.LLM]. What a service refuses is asked again in
// the next looser form, with which later calls begin.
func (m *chatModel) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	body := openai.ChatCompletionNewParams{Model: m.name}
	if req.System != "" {
		body.Messages = append(body.Messages, openai.SystemMessage(req.System))
	}
	body.Messages = append(body.Messages, openai.UserMessage(req.Prompt))
	if req.MaxTokens > 0 {
		body.MaxTokens = param.NewOpt(int64(req.MaxTokens)) // the name that local services know
	}
	if req.Temperature != nil {
		body.Temperature = param.NewOpt(*req.Temperature)
	}
	form := m.form.Load()
	if req.Schema == nil {
		form = asText
	}
	for ; ; form++ {
		body.ResponseFormat = responseFormat(form, req)
		got, err := m.service.New(ctx, body)
		switch {
		case form < asText && refused(err):
			continue
		case err != nil:
			return prospect.LLMResponse{}, fmt.Errorf("%s: %w", m.id, judged(ctx, err))
		case len(got.Choices) == 0 || got.Choices[0].Message.Refusal != "":
			return prospect.LLMResponse{}, fmt.Errorf("%s: no answer (is the URL that of a chat service?): %.300s", m.id, got.RawJSON())
		case req.Schema != nil:
			m.form.Store(form)
		}
		choice := got.Choices[0]
		return prospect.LLMResponse{
			Text: choice.Message.Content, Truncated: choice.FinishReason == "length",
			Usage: prospect.Usage{InputTokens: int(got.Usage.PromptTokens), OutputTokens: int(got.Usage.CompletionTokens)},
		}, nil
	}
}

func responseFormat(form int32, req prospect.LLMRequest) (f openai.ChatCompletionNewParamsResponseFormatUnion) {
	switch form {
	case bySchema:
		f.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: req.SchemaName, Schema: req.Schema, Strict: param.NewOpt(true),
		}}
	case asObject:
		f.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return f
}

// refused says that the service did not take the request as it was.
func refused(err error) bool {
	e, ok := errors.AsType[*openai.Error](err)
	return ok && (e.StatusCode == http.StatusBadRequest || e.StatusCode == http.StatusUnprocessableEntity)
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
