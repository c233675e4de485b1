package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/examples/openai"
	"github.com/prospect-go/prospect/llm"
)

var question = prospect.LLMRequest{
	System: "be brief", Prompt: "capabilities?", Schema: json.RawMessage(`{"type":"object"}`), SchemaName: "capabilities",
	MaxTokens: 99, Temperature: new(0.25),
}

func TestThePromisesAreKept(t *testing.T) {
	s := newChatService(t, func(w http.ResponseWriter, _ chatRequest) { say(w, "{}", "stop") })
	require.NoError(t, llm.TestLLM(t.Context(), s.model(t)))
}

func TestEverythingIsPassedOn(t *testing.T) {
	s := newChatService(t, func(w http.ResponseWriter, _ chatRequest) { say(w, `{"a": 1}`, "length") })
	m := s.model(t)
	resp, err := m.Generate(t.Context(), question)
	require.NoError(t, err)
	require.Equal(t, prospect.LLMResponse{Text: `{"a": 1}`, Truncated: true, Usage: prospect.Usage{InputTokens: 11, OutputTokens: 7}}, resp)

	_, err = m.Generate(t.Context(), prospect.LLMRequest{Prompt: "only this"})
	require.NoError(t, err)
	_, err = m.Generate(t.Context(), prospect.LLMRequest{Prompt: "no name", Schema: question.Schema})
	require.NoError(t, err)
	received := s.requests()
	require.Len(t, received, 3)
	full, bare, unnamed := received[0], received[1], received[2]
	require.Equal(t, "/v1/chat/completions", full.path)
	require.Equal(t, "Bearer secret", full.authorization)
	require.Equal(t, "m", full.Model)
	require.Equal(t, "system", full.Messages[0].Role)
	require.Equal(t, "be brief", full.Messages[0].Content)
	require.Equal(t, "user", full.Messages[1].Role)
	require.Equal(t, "capabilities?", full.Messages[1].Content)
	require.Equal(t, "json_schema max_tokens", full.asked())
	require.Equal(t, "capabilities", full.ResponseFormat.JSONSchema.Name)
	require.True(t, full.ResponseFormat.JSONSchema.Strict)
	require.JSONEq(t, `{"type":"object"}`, string(full.ResponseFormat.JSONSchema.Schema))
	require.Equal(t, 0.25, *full.Temperature)
	require.Equal(t, 99, *full.MaxTokens)
	require.Len(t, bare.Messages, 1)
	require.Equal(t, "text", bare.asked())
	require.Nil(t, bare.Temperature)
	require.Equal(t, "answer", unnamed.ResponseFormat.JSONSchema.Name, "services insist on a name")
}

func TestWhatIsRefusedIsAskedInAnotherWay(t *testing.T) {
	for name, c := range map[string]struct {
		accepted string // by asked
		want     []string
	}{
		"all": {"json_schema max_tokens", []string{"json_schema max_tokens", "json_schema max_tokens"}},
		"no schemas": {"json_object max_tokens", []string{"json_schema max_tokens",
			"json_object max_tokens", "json_object max_tokens"}},
		"no JSON": {"text max_tokens", []string{"json_schema max_tokens", "json_object max_tokens",
			"text max_tokens", "text max_tokens"}},
		"the newer limit": {"json_schema max_completion_tokens", []string{"json_schema max_tokens",
			"json_schema max_completion_tokens", "json_schema max_completion_tokens"}},
		"the newer limit, no schemas": {"json_object max_completion_tokens", []string{"json_schema max_tokens",
			"json_schema max_completion_tokens", "json_object max_completion_tokens", "json_object max_completion_tokens"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newChatService(t, func(w http.ResponseWriter, r chatRequest) {
				switch {
				case r.asked() == c.accepted:
					say(w, "{}", "stop")
				case r.MaxTokens != nil && strings.HasSuffix(c.accepted, "max_completion_tokens"):
					fail(w, http.StatusBadRequest, "unsupported_parameter", "max_tokens", "use max_completion_tokens")
				default:
					fail(w, http.StatusUnprocessableEntity, "unsupported", "response_format", "response_format is not supported")
				}
			})
			m := s.model(t)
			for range 2 { // the second call begins with what worked
				_, err := m.Generate(t.Context(), question)
				require.NoError(t, err)
			}
			var got []string
			for _, r := range s.requests() {
				got = append(got, r.asked())
			}
			require.Equal(t, c.want, got)
		})
	}
}

// A request that is wrong in itself is refused in every way; that says nothing
// about the next one.
func TestOneBadRequestDoesNotLoosenTheOthers(t *testing.T) {
	s := newChatService(t, func(w http.ResponseWriter, r chatRequest) {
		switch r.Messages[0].Content {
		case "bad":
			fail(w, http.StatusBadRequest, "", "", "unreadable")
		case "long":
			fail(w, http.StatusBadRequest, "context_length_exceeded", "", "too long")
		default:
			say(w, "{}", "stop")
		}
	})
	m := s.model(t)
	for prompt, calls := range map[string]int{"bad": 3, "long": 1} {
		before := len(s.requests())
		_, err := m.Generate(t.Context(), prospect.LLMRequest{Prompt: prompt, Schema: question.Schema})
		require.Error(t, err)
		require.NotErrorIs(t, err, prospect.ErrTransient)
		require.Len(t, s.requests(), before+calls)
	}
	_, err := m.Generate(t.Context(), prospect.LLMRequest{Prompt: "good", Schema: question.Schema})
	require.NoError(t, err)
	require.Equal(t, "json_schema", s.requests()[4].asked())
}

func TestTheIdentityHoldsNoSecrets(t *testing.T) {
	m, err := openai.New("http://localhost:1/v1", "m", "secret")
	require.NoError(t, err)
	require.Equal(t, "m at http://localhost:1/v1", m.Identity())
	for _, base := range []string{"", "localhost:11434", "/v1", "http://user:secret@localhost/v1", "http://localhost/v1?key=secret", "http://local host", ":"} {
		_, err := openai.New(base, "m", "")
		require.ErrorIs(t, err, prospect.ErrOption, "%q", base)
		require.NotContains(t, err.Error(), "secret")
	}
	_, err = openai.New("http://localhost:1/v1", "", "")
	require.ErrorIs(t, err, prospect.ErrOption)
}

func TestNoKeyIsSentWhereThereIsNone(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "of somebody else")
	s := newChatService(t, func(w http.ResponseWriter, _ chatRequest) { say(w, "yes", "stop") })
	m, err := openai.New(s.URL+"/v1", "m", "")
	require.NoError(t, err)
	_, err = m.Generate(t.Context(), question)
	require.NoError(t, err)
	require.Empty(t, s.requests()[0].authorization)
}
