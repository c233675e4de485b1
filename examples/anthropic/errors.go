package anthropic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/prospect-go/prospect/llm"
)

// refusesSchemas says that the error may be about the schema.
func refusesSchemas(err error) bool {
	e, answered := errors.AsType[*anthropic.Error](err)
	return answered && e.StatusCode == http.StatusBadRequest
}

// judged says what may go away by itself, and when.
func judged(ctx context.Context, err error) error {
	e, answered := errors.AsType[*anthropic.Error](err)
	_, broken := errors.AsType[*url.Error](err)
	broken = broken || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	case answered && (e.StatusCode >= 500 || e.StatusCode == http.StatusRequestTimeout || e.StatusCode == http.StatusTooManyRequests):
		after, _ := time.ParseDuration(e.Response.Header.Get("Retry-After") + "s") // a date counts as none
		return &llm.TransientError{Err: err, After: max(0, after)}
	case !answered && broken:
		return &llm.TransientError{Err: err}
	}
	return err
}

// raw is what the service answered.
func raw(m *anthropic.Message) string {
	if m == nil {
		return "null"
	}
	return m.RawJSON()
}
