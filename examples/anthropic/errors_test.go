package anthropic_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/examples/anthropic"
	"github.com/prospect-go/prospect/llm"
)

func TestWhatMayGoAwayIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		kind, after string
		transient   bool
		wait        time.Duration
	}{
		"rate limit":          {http.StatusTooManyRequests, "rate_limit_error", "", true, 0},
		"rate limit, 7 s":     {http.StatusTooManyRequests, "rate_limit_error", "7", true, 7 * time.Second},
		"rate limit, a date":  {http.StatusTooManyRequests, "rate_limit_error", "Mon, 30 Nov 2026 12:00:00 GMT", true, 0},
		"rate limit, garbage": {http.StatusTooManyRequests, "rate_limit_error", "-5", true, 0},
		"overloaded, 2 s":     {529, "overloaded_error", "2", true, 2 * time.Second},
		"broken":              {http.StatusInternalServerError, "api_error", "", true, 0},
		"time-out":            {http.StatusRequestTimeout, "timeout_error", "", true, 0},
		"wrong key":           {http.StatusUnauthorized, "authentication_error", "", false, 0},
		"no money":            {http.StatusPaymentRequired, "billing_error", "7", false, 0},
		"no model":            {http.StatusNotFound, "not_found_error", "", false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newMessageService(t, func(w http.ResponseWriter, _ messageRequest) {
				if c.after != "" {
					w.Header().Set("Retry-After", c.after)
				}
				fail(w, c.status, c.kind, "words of the service")
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
		"broken JSON":   {"application/json", `{"content": ]}`},
		"other JSON":    {"application/json", `{"models": []}`},
		"a refusal":     {"application/json", `{"content": [], "stop_reason": "refusal", "note": "I will not"}`},
		"nothing":       {"application/json", ``},
		"null":          {"application/json", `null`},
		"another shape": {"application/json", `{"content": "none"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newMessageService(t, func(w http.ResponseWriter, _ messageRequest) {
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
		s := newMessageService(t, func(w http.ResponseWriter, _ messageRequest) {
			w.Header().Set("Content-Type", "application/json")
			if length != "" {
				w.Header().Set("Content-Length", length)
			}
			w.Write([]byte(`{"content": [`))
		})
		_, err := s.model(t).Generate(t.Context(), question)
		require.ErrorIs(t, err, prospect.ErrTransient)
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	m, err := anthropic.New("http://"+l.Addr().String(), "m", "")
	require.NoError(t, err)
	_, err = m.Generate(t.Context(), question)
	require.ErrorIs(t, err, prospect.ErrTransient, "nobody listens")
}

func TestASlowServiceIsNotWaitedFor(t *testing.T) {
	hang := make(chan struct{})
	s := newMessageService(t, func(http.ResponseWriter, messageRequest) { <-hang })
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
				fail(w, http.StatusTooManyRequests, "rate_limit_error", "slow down")
			} else {
				say(w, "end_turn", "{}")
			}
			return w.Result()
		})}
		client, err := anthropic.New("http://localhost", "m", "", option.WithHTTPClient(service))
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
