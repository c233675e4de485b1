package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/prospect-go/prospect"
)

const (
	// concurrentCalls is how many calls TestLLM makes at once.
	concurrentCalls = 4
	// cancelGrace is how long a call may go on after its context ended. A
	// client that waits for the service to answer takes longer.
	cancelGrace = 5 * time.Second
)

// TestLLM checks that m keeps the promises of [prospect.LLM]. It returns nil,
// or one error that holds every fault found. It is meant for a test of the
// implementation, best run with the race detector, as fstest.TestFS is:
//
//	if err := llm.TestLLM(t.Context(), client); err != nil {
//		t.Fatal(err)
//	}
//
// It asks for one word in nine short calls, two of which with a context that
// has already ended. That the model is good, or heeds a schema, is not
// checked. If ctx ends, its error is returned.
func TestLLM(ctx context.Context, m prospect.LLM) error {
	if m == nil {
		return errors.New("llm: the model is nil")
	}
	c := checker{m: m}
	identity := m.Identity()
	if identity == "" {
		c.fault("Identity is empty")
	}
	for _, check := range []func(context.Context){
		c.answers, c.takesAllFields, c.refusesEndedContext, c.stopsWhenCancelled, c.servesConcurrentCalls,
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		check(ctx)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if again := m.Identity(); again != identity {
		c.fault("Identity changed from %q to %q", identity, again)
	}
	return errors.Join(c.faults...)
}

type checker struct {
	m      prospect.LLM
	faults []error
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("llm: "+format, args...))
}

var oneWord = prospect.LLMRequest{Prompt: "Answer with one word: yes"}

// usable says what is wrong with an outcome, or nil.
func usable(resp prospect.LLMResponse, err error) error {
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(resp.Text) == "":
		return errors.New("the answer is empty")
	case resp.Usage.InputTokens < 0 || resp.Usage.OutputTokens < 0:
		return fmt.Errorf("negative usage: %+v", resp.Usage)
	}
	return nil
}

func (c *checker) answers(ctx context.Context) {
	if err := usable(c.m.Generate(ctx, oneWord)); err != nil {
		c.fault("a prompt alone: %w", err)
	}
}

func (c *checker) takesAllFields(ctx context.Context) {
	schema := []byte(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}`)
	req := prospect.LLMRequest{
		System: "You answer in JSON.", Prompt: `Answer with {"word": "yes"}`,
		Schema: bytes.Clone(schema), SchemaName: "one_word", MaxTokens: 200, Temperature: new(0.0),
	}
	if err := usable(c.m.Generate(ctx, req)); err != nil {
		c.fault("a request with every field set: %w", err)
	}
	if !bytes.Equal(req.Schema, schema) || *req.Temperature != 0 {
		c.fault("Generate changed the request")
	}
}

func (c *checker) refusesEndedContext(ctx context.Context) {
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	c.endsWith(context.Canceled, "a cancelled context", func() error {
		_, err := c.m.Generate(cancelled, oneWord)
		return err
	})
	expired, cancel := context.WithDeadline(ctx, time.Unix(0, 0))
	defer cancel()
	c.endsWith(context.DeadlineExceeded, "a context past its deadline", func() error {
		_, err := c.m.Generate(expired, oneWord)
		return err
	})
}

func (c *checker) endsWith(want error, what string, call func() error) {
	err, late := within(cancelGrace, call)
	switch {
	case late:
		c.fault("%s: the call goes on after %v", what, cancelGrace)
	case err == nil:
		c.fault("%s: no error", what)
	case !errors.Is(err, want):
		c.fault("%s: the error does not wrap %q: %w", what, want, err)
	}
}

// stopsWhenCancelled cancels during a call. A fast model may have answered by
// then, which is as good.
func (c *checker) stopsWhenCancelled(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	time.AfterFunc(20*time.Millisecond, cancel)
	err, late := within(cancelGrace+20*time.Millisecond, func() error {
		return usable(c.m.Generate(ctx, oneWord))
	})
	switch {
	case late:
		c.fault("cancelled during the call: it goes on after %v", cancelGrace)
	case err != nil && !errors.Is(err, context.Canceled):
		c.fault("cancelled during the call: the error does not wrap %q: %w", context.Canceled, err)
	}
}

func (c *checker) servesConcurrentCalls(ctx context.Context) {
	errs := make(chan error, concurrentCalls)
	for range concurrentCalls {
		go func() { errs <- usable(c.m.Generate(ctx, oneWord)) }()
	}
	for range concurrentCalls {
		if err := <-errs; err != nil {
			c.fault("%d calls at once: %w", concurrentCalls, err)
		}
	}
}

// within returns call's error, or late if it does not return in time. The call
// is then left behind: it cannot be stopped.
func within(d time.Duration, call func() error) (err error, late bool) {
	done := make(chan error, 1)
	go func() { done <- call() }()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case err := <-done:
		return err, false
	case <-timer.C:
		return nil, true
	}
}
