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

// outcome is what a run of the program left behind.
type outcome struct {
	code     int
	out, err string
}

func rewrite(t *testing.T, args ...string) outcome {
	t.Helper()
	return rewriteWith(t, t.Context(), args...)
}

func rewriteWith(t *testing.T, ctx context.Context, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(ctx, args, streams{strings.NewReader(""), &out, &errs})
	return outcome{code, out.String(), errs.String()}
}

// folder makes a folder of documents.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// A librarian is a chat service that knows what to answer about any documents.
type librarian struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // schema names, in any order
	down  bool
}

func newLibrarian(t *testing.T) *librarian {
	l := &librarian{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ResponseFormat struct {
				JSONSchema struct {
					Name string `json:"name"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		name := request.ResponseFormat.JSONSchema.Name
		l.mu.Lock()
		l.asked = append(l.asked, name)
		down := l.down
		l.mu.Unlock()
		if down {
			http.Error(w, `{"error": {"message": "on holiday"}}`, http.StatusForbidden)
			return
		}
		text := map[string]string{
			"label":   `{"domain": "beekeeping", "content": "notes", "terms": ["hive", "brood"]}`,
			"draft":   `{"skills": [{"name": "Bees", "when": "about bees", "instruction": "Use a beekeeper's words.", "groups": [1]}]}`,
			"judge":   `{"reason": "fits", "covered_by": [1], "missing": "", "action": "none", "skill": 0}`,
			"route":   `{"genre": "question", "knowledge": "a note", "reasoning": "it is about bees", "choice": 1, "second": 0}`,
			"rewrite": `{"expansion": "varroa mites in the brood"}`,
		}[name]
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"id": "1", "object": "chat.completion", "model": "m",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}},
			"usage":   map[string]any{"prompt_tokens": 11, "completion_tokens": 7},
		})
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *librarian) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := l.asked
	l.asked = nil
	return asked
}

func (l *librarian) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
}
