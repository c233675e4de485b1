package anthropic_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/examples/anthropic"
)

// messageRequest is what a service sees of a call.
type messageRequest struct {
	Model     string `json:"model"`
	MaxTokens int    `json:"max_tokens"`
	System    []struct {
		Text string `json:"text"`
	} `json:"system"`
	Messages []struct {
		Role    string `json:"role"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	} `json:"messages"`
	OutputConfig *struct {
		Format struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`

	authorization, path string
}

// messageService is a service on the loopback interface that answers as told
// and keeps what it was asked.
type messageService struct {
	*httptest.Server
	mu       sync.Mutex
	received []messageRequest // guarded by mu
}

func newMessageService(t *testing.T, answer func(w http.ResponseWriter, r messageRequest)) *messageService {
	s := &messageService{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req messageRequest
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

func (s *messageService) requests() []messageRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]messageRequest(nil), s.received...)
}

// model is a model of the service.
func (s *messageService) model(t *testing.T, more ...option.RequestOption) prospect.LLM {
	m, err := anthropic.New(s.URL, "m", "secret", more...)
	require.NoError(t, err)
	return m
}

// say answers with blocks of text.
func say(w http.ResponseWriter, stop string, texts ...string) {
	content := []any{map[string]any{"type": "thinking", "thinking": "Let me see.", "signature": "x"}}
	for _, text := range texts {
		content = append(content, map[string]any{"type": "text", "text": text})
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"id": "1", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": stop,
		"usage": map[string]any{"input_tokens": 5, "cache_creation_input_tokens": 4, "cache_read_input_tokens": 2, "output_tokens": 7},
	})
}

// fail answers with an error in the form of the API.
func fail(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}})
}
