package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

func model(s *chatService, more ...option.RequestOption) *chatModel {
	return newChatModel(s.URL+"/v1", "m", "secret", append(more, option.WithMaxRetries(0))...)
}

var question = prospect.LLMRequest{
	System: "be brief", Prompt: "capabilities?", Schema: json.RawMessage(`{"type":"object"}`), SchemaName: "capabilities",
	MaxTokens: 99, Temperature: new(0.25),
}

func TestModelKeepsThePromises(t *testing.T) {
	s := newChatService(t, func(w http.ResponseWriter, _ chatRequest) { say(w, "{}", "stop") })
	require.NoError(t, llm.TestLLM(t.Context(), model(s)))
}

func TestModelPassesEverythingOn(t *testing.T) {
	s := newChatService(t, func(w http.ResponseWriter, _ chatRequest) { say(w, `{"a": 1}`, "length") })
	m := model(s)
	resp, err := m.Generate(t.Context(), question)
	require.NoError(t, err)
	require.Equal(t, prospect.LLMResponse{Text: `{"a": 1}`, Truncated: true, Usage: prospect.Usage{InputTokens: 11, OutputTokens: 7}}, resp)
	require.Contains(t, m.Identity(), "m at http://")
	require.NotContains(t, m.Identity(), "secret")

	_, err = m.Generate(t.Context(), prospect.LLMRequest{Prompt: "only this"})
	require.NoError(t, err)
	asked := s.requests()
	require.Len(t, asked, 2)
	full, bare := asked[0], asked[1]
	require.Equal(t, "/v1/chat/completions", full.path)
	require.Equal(t, "Bearer secret", full.authorization)
	require.Equal(t, "m", full.Model)
	require.Equal(t, "system", full.Messages[0].Role)
	require.Equal(t, "be brief", full.Messages[0].Content)
	require.Equal(t, "user", full.Messages[1].Role)
	require.Equal(t, "capabilities?", full.Messages[1].Content)
	require.Equal(t, "json_schema", full.ResponseFormat.Type)
	require.Equal(t, "capabilities", full.ResponseFormat.JSONSchema.Name)
	require.True(t, full.ResponseFormat.JSONSchema.Strict)
	require.JSONEq(t, `{"type":"object"}`, string(full.ResponseFormat.JSONSchema.Schema))
	require.Equal(t, 0.25, *full.Temperature)
	require.Equal(t, 99, *full.MaxTokens)
	require.Len(t, bare.Messages, 1)
	require.Nil(t, bare.ResponseFormat)
	require.Nil(t, bare.Temperature)
	require.Nil(t, bare.MaxTokens)
}

// kind is the response format of a request.
func kind(r chatRequest) string {
	if r.ResponseFormat == nil {
		return "none"
	}
	return r.ResponseFormat.Type
}

func TestModelLoosensTheFormatThatIsRefused(t *testing.T) {
	for accepted, want := range map[string][]string{
		"json_schema": {"json_schema", "json_schema"},
		"json_object": {"json_schema", "json_object", "json_object"},
		"none":        {"json_schema", "json_object", "none", "none"},
	} {
		s := newChatService(t, func(w http.ResponseWriter, r chatRequest) {
			if kind(r) != accepted {
				fail(w, http.StatusBadRequest, "unsupported", "response_format is not supported")
				return
			}
			say(w, "{}", "stop")
		})
		m := model(s)
		for range 2 { // the second call begins with what worked
			_, err := m.Generate(t.Context(), question)
			require.NoError(t, err, accepted)
		}
		var got []string
		for _, r := range s.requests() {
			got = append(got, kind(r))
		}
		require.Equal(t, want, got, accepted)
	}
}

func TestModelSaysWhatMayGoAway(t *testing.T) {
	for name, c := range map[string]struct {
		status    int
		code      string
		transient bool
	}{
		"rate limit":  {http.StatusTooManyRequests, "rate_limit_exceeded", true},
		"no money":    {http.StatusTooManyRequests, "insufficient_quota", false},
		"overloaded":  {http.StatusServiceUnavailable, "", true},
		"time-out":    {http.StatusRequestTimeout, "", true},
		"wrong key":   {http.StatusUnauthorized, "invalid_api_key", false},
		"no model":    {http.StatusNotFound, "model_not_found", false},
		"bad request": {http.StatusBadRequest, "context_length_exceeded", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newChatService(t, func(w http.ResponseWriter, _ chatRequest) { fail(w, c.status, c.code, "words of the service") })
			_, err := model(s).Generate(t.Context(), question)
			require.Error(t, err)
			require.Equal(t, c.transient, isTransient(err), "%v", err)
			require.ErrorContains(t, err, "words of the service")
			require.NotContains(t, err.Error(), "secret")
		})
	}
}

func isTransient(err error) bool { return errors.Is(err, prospect.ErrTransient) }

func TestModelTakesGarbageForAnError(t *testing.T) {
	for name, body := range map[string]struct{ kind, text string }{
		"a web page":    {"text/html", "<html>hello</html>"},
		"broken JSON":   {"application/json", `{"choices": [`},
		"other JSON":    {"application/json", `{"models": []}`},
		"no choice":     {"application/json", `{"choices": []}`},
		"a refusal":     {"application/json", `{"choices": [{"message": {"role": "assistant", "refusal": "I will not"}}]}`},
		"nothing":       {"application/json", ``},
		"another shape": {"application/json", `{"choices": "none"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newChatService(t, func(w http.ResponseWriter, _ chatRequest) {
				w.Header().Set("Content-Type", body.kind)
				w.Write([]byte(body.text))
			})
			_, err := model(s).Generate(t.Context(), question)
			require.Error(t, err)
			require.False(t, isTransient(err), "%v", err)
		})
	}
}

func TestModelStopsInTime(t *testing.T) {
	hang := make(chan struct{})
	s := newChatService(t, func(http.ResponseWriter, chatRequest) { <-hang })
	defer close(hang)

	_, err := model(s, option.WithRequestTimeout(30*time.Millisecond)).Generate(t.Context(), question)
	require.ErrorIs(t, err, prospect.ErrTransient, "the service's time is not the caller's")

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err = model(s).Generate(ctx, question)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, prospect.ErrTransient)
}

func TestModelWithoutAService(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	url := "http://" + l.Addr().String() + "/v1"
	require.NoError(t, l.Close())
	_, err = newChatModel(url, "m", "", option.WithMaxRetries(0)).Generate(t.Context(), question)
	require.ErrorIs(t, err, prospect.ErrTransient)
}
