package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	bundledSkills = "../../testdata/skills"
	bundledTasks  = "../../testdata"
)

// outcome is what a run of the program left behind.
type outcome struct {
	code     int
	out, err string
}

// skillfind runs the program with its cache in a folder of the test.
func skillfind(t *testing.T, args ...string) outcome {
	t.Helper()
	return skillfindWith(t, t.Context(), "", args...)
}

func skillfindWith(t *testing.T, ctx context.Context, stdin string, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(ctx, args, streams{strings.NewReader(stdin), &out, &errs})
	return outcome{code, out.String(), errs.String()}
}

// galleryFile is a place for a gallery that does not exist yet.
func galleryFile(t *testing.T) string { return filepath.Join(t.TempDir(), "test.gallery") }

// writeSkill puts a skill into a folder.
func writeSkill(t *testing.T, dir, name, description string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	text := "---\nname: " + name + "\ndescription: " + description + "\n---\n\n# Steps\n\nDo it.\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, name, "SKILL.md"), []byte(text), 0o644))
}

// chatRequest is what a service sees of a call.
type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	ResponseFormat json.RawMessage `json:"response_format"`
	Temperature    *float64        `json:"temperature"`
	MaxTokens      *int            `json:"max_tokens"`

	authorization string
	path          string
}

// chatService is a service on the loopback interface that answers as told and
// keeps what it was asked.
type chatService struct {
	*httptest.Server
	mu    sync.Mutex
	asked []chatRequest
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
		s.asked = append(s.asked, req)
		s.mu.Unlock()
		answer(w, req)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *chatService) requests() []chatRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]chatRequest(nil), s.asked...)
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
func fail(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "code": code, "type": "error", "param": nil}})
}
