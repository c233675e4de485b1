package openai_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/examples/openai"
	"github.com/prospect-go/prospect/llm"
)

func TestWhatMayGoAwayIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		code, after string
		transient   bool
		wait        time.Duration
	}{
		"rate limit":          {http.StatusTooManyRequests, "rate_limit_exceeded", "", true, 0},
		"rate limit, 7 s":     {http.StatusTooManyRequests, "rate_limit_exceeded", "7", true, 7 * time.Second},
		"rate limit, 0.5 s":   {http.StatusTooManyRequests, "", "0.5", true, 500 * time.Millisecond},
		"rate limit, a date":  {http.StatusTooManyRequests, "", "Mon, 30 Nov 2026 12:00:00 GMT", true, 0},
		"rate limit, garbage": {http.StatusTooManyRequests, "", "-5", true, 0},
		"no money":            {http.StatusTooManyRequests, "insufficient_quota", "7", false, 0},
		"overloaded, 2 s":     {http.StatusServiceUnavailable, "", "2", true, 2 * time.Second},
		"broken":              {http.StatusInternalServerError, "", "", true, 0},
		"time-out":            {http.StatusRequestTimeout, "", "", true, 0},
		"wrong key":           {http.StatusUnauthorized, "invalid_api_key", "", false, 0},
		"no model":            {http.StatusNotFound, "model_not_found", "", false, 0},
		"bad request":         {http.StatusBadRequest, "context_length_exceeded", "", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newChatService(t, func(w http.ResponseWriter, _ chatRequest) {
				if c.after != "" {
					w.Header().Set("Retry-After", c.after)
				}
				fail(w, c.status, c.code, "", "words of the service")
			})
			_, err := s.model(t).Generate(t.Context(), question)
			require.Equal(t, c.transient, errors.Is(err, prospect.ErrTransient), "%v", err)
			require.ErrorContains(t, err, "words of the service")
			require.ErrorContains(t, err, "m at http://")
			require.NotContains(t, err.Error(), "secret")
			if hint, ok := errors.AsType[*llm.TransientError](err); ok {
				require.Equal(t, c.wait, hint.After)
			}
			require.Len(t, s.requests(), 1, "tried once: Retry tries again")
		})
	}
}

func TestGarbageIsAnError(t *testing.T) {
	for name, body := range map[string]struct{ kind, text string }{
		"a web page":    {"text/html", "<html>hello</html>"},
		"broken JSON":   {"application/json", `{"choices": ]}`},
		"other JSON":    {"application/json", `{"models": []}`},
		"no choice":     {"application/json", `{"choices": []}`},
		"a refusal":     {"application/json", `{"choices": [{"message": {"role": "assistant", "refusal": "I will not"}}]}`},
		"a filter":      {"application/json", `{"choices": [{"finish_reason": "content_filter", "message": {"role": "assistant", "content": ""}}]}`},
		"nothing":       {"application/json", ``},
		"null":          {"application/json", `null`},
		"another shape": {"application/json", `{"choices": "none"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newChatService(t, func(w http.ResponseWriter, _ chatRequest) {
				w.Header().Set("Content-Type", body.kind)
				w.Write([]byte(body.text))
			})
			resp, err := s.model(t).Generate(t.Context(), question)
			require.Error(t, err)
			require.NotErrorIs(t, err, prospect.ErrTransient)
			require.Zero(t, resp)
			if name == "a refusal" {
				require.ErrorContains(t, err, "I will not")
			}
		})
	}
}

func TestABrokenConnectionMayHeal(t *testing.T) {
	for _, length := range []string{"1000", ""} { // "": nothing but the JSON shows that it breaks off
		s := newChatService(t, func(w http.ResponseWriter, _ chatRequest) {
			w.Header().Set("Content-Type", "application/json")
			if length != "" {
				w.Header().Set("Content-Length", length)
			}
			w.Write([]byte(`{"choices": [`))
		})
		_, err := s.model(t).Generate(t.Context(), question)
		require.ErrorIs(t, err, prospect.ErrTransient)
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	m, err := openai.New("http://"+l.Addr().String()+"/v1", "m", "")
	require.NoError(t, err)
	_, err = m.Generate(t.Context(), question)
	require.ErrorIs(t, err, prospect.ErrTransient, "nobody listens")
}

func TestASlowServiceIsNotWaitedFor(t *testing.T) {
	hang := make(chan struct{})
	s := newChatService(t, func(http.ResponseWriter, chatRequest) { <-hang })
	defer close(hang)

	_, err := s.model(t, option.WithRequestTimeout(30*time.Millisecond)).Generate(t.Context(), question)
	require.ErrorIs(t, err, prospect.ErrTransient, "the service's time is not the caller's")

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err = s.model(t).Generate(ctx, question)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, prospect.ErrTransient)

	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(30*time.Millisecond, cancel)
	_, err = s.model(t).Generate(ctx, question)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, prospect.ErrTransient)
}

// roundTrip is a service without a network, so that time can be a fake one.
type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func TestRetryWaitsAsTheServiceAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		service := &http.Client{Transport: roundTrip(func(*http.Request) *http.Response {
			w := httptest.NewRecorder()
			if calls++; calls == 1 {
				w.Header().Set("Retry-After", "20")
				fail(w, http.StatusTooManyRequests, "", "", "slow down")
			} else {
				say(w, "{}", "stop")
			}
			return w.Result()
		})}
		client, err := openai.New("http://localhost/v1", "m", "", option.WithHTTPClient(service))
		require.NoError(t, err)
		m, err := llm.Retry(client, llm.RetryOptions{})
		require.NoError(t, err)
		begin := time.Now()
		resp, err := m.Generate(t.Context(), question)
		require.NoError(t, err)
		require.Equal(t, "{}", resp.Text)
		require.Equal(t, 2, calls)
		require.InDelta(t, 20.25, time.Since(begin).Seconds(), 0.25, "20 s, and a back-off of up to 0.5 s")
	})
}
