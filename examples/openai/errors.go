package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/openai/openai-go/v3"

	"github.com/prospect-go/prospect/llm"
)

// refusal says which of the things asked for to leave out next time: none,
// unless the service understood the request and did not take it.
func refusal(err error, asked uint32) uint32 {
	e, answered := errors.AsType[*openai.Error](err)
	switch {
	case !answered || e.StatusCode != http.StatusBadRequest && e.StatusCode != http.StatusUnprocessableEntity || e.Code == "context_length_exceeded":
		return 0
	case e.Param == "max_tokens":
		return asked & maxTokens
	}
	return asked & (bySchema | asObject)
}

// judged says what the service said, what may go away by itself, and when.
func judged(ctx context.Context, err error) error {
	e, answered := errors.AsType[*openai.Error](err)
	_, broken := errors.AsType[*url.Error](err)
	broken = broken || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	case answered && (e.StatusCode >= 500 || e.StatusCode == http.StatusRequestTimeout || e.StatusCode == http.StatusTooManyRequests && e.Code != "insufficient_quota"):
		after, _ := time.ParseDuration(e.Response.Header.Get("Retry-After") + "s") // a date counts as none
		return &llm.TransientError{Err: fmt.Errorf("%w: %s", err, e.Message), After: max(0, after)}
	case answered:
		return fmt.Errorf("%w: %s", err, e.Message)
	case broken:
		return &llm.TransientError{Err: err}
	}
	return err // an answer that is none
}
