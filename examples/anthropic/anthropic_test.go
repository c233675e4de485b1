package anthropic_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/examples/anthropic"
	"github.com/prospect-go/prospect/llm"
)

var question = prospect.LLMRequest{
	System: "be brief", Prompt: "capabilities?", Schema: json.RawMessage(`{"type":"object"}`), SchemaName: "capabilities",
	MaxTokens: 99, Temperature: new(0.25),
}

func TestThePromisesAreKept(t *testing.T) {
	s := newMessageService(t, func(w http.ResponseWriter, _ messageRequest) { say(w, "end_turn", "{}") })
	require.NoError(t, llm.TestLLM(t.Context(), s.model(t)))
}

func TestEverythingIsPassedOn(t *testing.T) {
	s := newMessageService(t, func(w http.ResponseWriter, _ messageRequest) { say(w, "max_tokens", `{"a"`, `: 1}`) })
	m := s.model(t)
	resp, err := m.Generate(t.Context(), question)
	require.NoError(t, err)
	require.Equal(t, prospect.LLMResponse{Text: `{"a": 1}`, Truncated: true, Usage: prospect.Usage{InputTokens: 11, OutputTokens: 7}}, resp,
		"reasoning is left out; what is read from a cache or put there counts")

	_, err = m.Generate(t.Context(), prospect.LLMRequest{Prompt: "only this"})
	require.NoError(t, err)
	received := s.requests()
	require.Len(t, received, 2)
	full, bare := received[0], received[1]
	require.Equal(t, "/v1/messages", full.path)
	require.Equal(t, "Bearer secret", full.authorization)
	require.Equal(t, "m", full.Model)
	require.Equal(t, "be brief", full.System[0].Text)
	require.Equal(t, "user", full.Messages[0].Role)
	require.Equal(t, "capabilities?", full.Messages[0].Content[0].Text)
	require.Equal(t, "json_schema", full.OutputConfig.Format.Type)
	require.JSONEq(t, `{"type":"object"}`, string(full.OutputConfig.Format.Schema))
	require.Equal(t, 99, full.MaxTokens)
	require.Empty(t, bare.System)
	require.Nil(t, bare.OutputConfig)
	require.Equal(t, 8192, bare.MaxTokens, "the service wants a limit")
}

func TestWaysInWhichAnAnswerEnds(t *testing.T) {
	for stop, truncated := range map[string]bool{"end_turn": false, "stop_sequence": false, "max_tokens": true, "model_context_window_exceeded": true} {
		s := newMessageService(t, func(w http.ResponseWriter, _ messageRequest) { say(w, stop, "yes") })
		resp, err := s.model(t).Generate(t.Context(), question)
		require.NoError(t, err)
		require.Equal(t, truncated, resp.Truncated, stop)
	}
}

func TestAModelWithoutSchemasIsAskedWithout(t *testing.T) {
	s := newMessageService(t, func(w http.ResponseWriter, r messageRequest) {
		switch {
		case r.Messages[0].Content[0].Text == "bad":
			fail(w, http.StatusBadRequest, "invalid_request_error", "prompt is too long")
		case r.OutputConfig != nil:
			fail(w, http.StatusBadRequest, "invalid_request_error", "output_config: not supported by this model")
		default:
			say(w, "end_turn", "{}")
		}
	})
	m := s.model(t)
	bad := question
	bad.Prompt = "bad"
	_, err := m.Generate(t.Context(), bad)
	require.Error(t, err, "wrong in itself, which says nothing about schemas")
	for range 2 {
		_, err := m.Generate(t.Context(), question)
		require.NoError(t, err)
	}
	var schemas []bool
	for _, r := range s.requests() {
		schemas = append(schemas, r.OutputConfig != nil)
	}
	require.Equal(t, []bool{true, false, true, false, false}, schemas)
}

func TestASchemaThatIsNoneIsAnError(t *testing.T) {
	s := newMessageService(t, func(w http.ResponseWriter, _ messageRequest) { say(w, "end_turn", "{}") })
	_, err := s.model(t).Generate(t.Context(), prospect.LLMRequest{Prompt: "p", Schema: json.RawMessage(`[1`)})
	require.ErrorContains(t, err, "schema")
	require.Empty(t, s.requests())
}

func TestTheIdentityHoldsNoSecrets(t *testing.T) {
	m, err := anthropic.New("", "m", "secret")
	require.NoError(t, err)
	require.Equal(t, "m at https://api.anthropic.com", m.Identity())
	for _, base := range []string{"localhost:1", "/v1", "http://user:secret@localhost", "http://localhost?key=secret", ":"} {
		_, err := anthropic.New(base, "m", "")
		require.ErrorIs(t, err, prospect.ErrOption, "%q", base)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err = anthropic.New("", "", "secret")
	require.ErrorIs(t, err, prospect.ErrOption)
}
