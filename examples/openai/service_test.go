package openai_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/examples/openai"
)

// chatRequest is what a service sees of a call.
type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	ResponseFormat *struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name   string          `json:"name"`
			Strict bool            `json:"strict"`
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Temperature         *float64 `json:"temperature"`
	MaxTokens           *int     `json:"max_tokens"`
	MaxCompletionTokens *int     `json:"max_completion_tokens"`

	authorization string
	path          string
}

// asked is what may be refused of a request.
func (r chatRequest) asked() string {
	kind, limit := "text", ""
	if r.ResponseFormat != nil {
		kind = r.ResponseFormat.Type
	}
	if r.MaxTokens != nil {
		limit += " max_tokens"
	}
	if r.MaxCompletionTokens != nil {
		limit += " max_completion_tokens"
	}
	return kind + limit
}

// chatService is a service on the loopback interface that answers as told and
// keeps what it was asked.
type chatService struct {
	*httptest.Server
	mu       sync.Mutex
	received []chatRequest // guarded by mu
}

func newChatService(t *testing.T, answer func(w http.ResponseWriter, r chatRequest)) *chatService {
	s := &chatService{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req chatRequest
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		req.authorization, req.path = r.Header.Get("Authorization"), r.URL.Path
		s.mu.Lock()
		s.received = append(s.received, req)
		s.mu.Unlock()
		answer(w, req)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *chatService) requests() []chatRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]chatRequest(nil), s.received...)
}

// model is a model of the service.
func (s *chatService) model(t *testing.T, more ...option.RequestOption) prospect.LLM {
	m, err := openai.New(s.URL+"/v1", "m", "secret", more...)
	require.NoError(t, err)
	return m
}

// say answers with a text.
func say(w http.ResponseWriter, text, finish string) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"id": "1", "object": "chat.completion", "model": "m",
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant", "content": text}}},
		"usage":   map[string]any{"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
	})
}

// fail answers with an error in the form of the API.
func fail(w http.ResponseWriter, status int, code, parameter, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "code": code, "type": "error", "param": parameter}})
}
