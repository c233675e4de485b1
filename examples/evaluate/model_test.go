package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A service answers as a chat model does, with what answer says to a prompt.
func service(t *testing.T, answer func(prompt string) string) (url string, calls *atomic.Int32) {
	t.Helper()
	calls = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var body struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		text := answer(body.Messages[len(body.Messages)-1].Content)
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"id": "1", "object": "chat.completion", "model": "fake",
			"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}},
			"usage":   map[string]int{"prompt_tokens": 10, "completion_tokens": 5},
		})
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", calls
}

// dreamer answers every question of the method about tides.
func dreamer(prompt string) string {
	if strings.Contains(prompt, "anchors") {
		return `{"capabilities": [{"capability": "Read tide tables", "evidence": "the bar"}], "anchors": ["tide", "bar"]}`
	}
	return `{"name": "tides", "description": "Work out the height of the tide from tide tables.", "body": "Find high water first."}`
}

func TestAModelIsAskedForWhatIsNotRecorded(t *testing.T) {
	url, calls := service(t, dreamer)
	dir := t.TempDir()
	recording, saved := filepath.Join(dir, "calls.jsonl"), filepath.Join(dir, "outputs.jsonl")
	live := good(t, invoke(t, "-data", tiny, "-k", "3", "-systems", "dense,skilldreamer", "-llm", url, "-model", "fake",
		"-llm-recording", recording, "-llm-save", saved, "-json", filepath.Join(dir, "live.json")))
	require.Positive(t, calls.Load())
	asked := calls.Load()

	again := good(t, invoke(t, "-data", tiny, "-k", "3", "-systems", "dense,skilldreamer", "-llm", url, "-model", "fake", "-llm-recording", recording))
	require.Equal(t, asked, calls.Load(), "all of it is recorded")
	require.Equal(t, live.out, again.out)
	offline := good(t, invoke(t, "-data", tiny, "-k", "3", "-systems", "dense,skilldreamer", "-llm-recording", recording))
	require.Equal(t, live.out, offline.out)
	fromSaved := good(t, invoke(t, "-data", tiny, "-k", "3", "-systems", "dense,skilldreamer", "-llm-outputs", saved))
	require.Equal(t, live.out, fromSaved.out, "what was imagined is in the form of recorded answers")

	var doc document
	data, err := os.ReadFile(filepath.Join(dir, "live.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &doc))
	require.Equal(t, "model", doc.Settings.Imagined.Source)
	require.Equal(t, "fake at "+url, doc.Settings.Imagined.Model)
	require.Positive(t, doc.Systems[1].Latency.Middle[string(thinking)], "the model's time is part of the split")
	require.NotContains(t, doc.Systems[0].Latency.Middle, string(thinking))
}

func TestAModelThatFailsIsNotedAndTheSystemsFallBack(t *testing.T) {
	url, _ := service(t, func(string) string { return "I would rather not." })
	got := good(t, invoke(t, "-data", tiny, "-k", "3", "-systems", "dense,skilldreamer", "-llm", url, "-model", "fake"))
	require.Contains(t, got.out, "6 queries without anything imagined")
}

func TestQueriesAreRewritten(t *testing.T) {
	url, calls := service(t, func(prompt string) string {
		if strings.Contains(prompt, "choice") {
			return `{"genre": "seamanship", "knowledge": "rope work", "reasoning": "a dinghy is tied", "choice": 1, "second": 0}`
		}
		return `{"expansion": "bowline clove hitch sheet bend knots worth knowing"}`
	})
	dir := t.TempDir()
	set := filepath.Join(dir, "set.yaml")
	require.NoError(t, os.WriteFile(set, []byte(`version: 1
skills:
  - name: seamanship
    when: The query is about boats and ropes.
    instruction: Name the knots and splices that seamen would use.
generic:
  name: generic
  when: Anything else.
  instruction: Name the subject in the words of its field.
`), 0o644))
	hand := filepath.Join(dir, "hand.txt")
	require.NoError(t, os.WriteFile(hand, []byte("Name knots.\n"), 0o644))
	args := []string{"-data", tiny, "-k", "3", "-embedder", "none", "-systems", "rewrites", "-baseline", "original",
		"-skillqr-set", set, "-hand-written", hand, "-llm", url, "-model", "fake", "-json", filepath.Join(dir, "out.json"), "-report", filepath.Join(dir, "out.html"), "-focus", "skillqr"}
	good(t, invoke(t, args...))
	// 6 queries with a generic and a hand-written rewrite, and with a choice and
	// a rewrite by skillqr; taking the latency asks nothing again.
	require.EqualValues(t, 6+6+2*6, calls.Load())

	var doc document
	data, err := os.ReadFile(filepath.Join(dir, "out.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &doc))
	require.Equal(t, "original", doc.Settings.Baseline)
	require.Equal(t, 1, doc.Settings.Rewriting.Skills)
	require.NotEmpty(t, doc.Settings.Rewriting.Set)
	require.NotEmpty(t, doc.Settings.Rewriting.HandWritten)
	hostile := "</summary><script>alert('query')</script>"
	for i, name := range []string{"original", "generic", "hand-written", "skillqr"} {
		require.Equal(t, name, doc.Systems[i].Name)
		require.Zero(t, doc.Systems[i].Counts.Fallbacks)
		require.Equal(t, "rewriting", doc.Systems[i].Settings["kind"])
		require.Equal(t, 0.5, doc.PerQuery[name][hostile]["recall@3"], "the note on knots is found, the other is not in the corpus")
	}
	page, err := os.ReadFile(filepath.Join(dir, "out.html"))
	require.NoError(t, err)
	elements(t, string(page))
	require.Contains(t, string(page), "How it was rewritten")
	require.Contains(t, string(page), "rope work")
}

func TestASetThatIsNotThereIsMined(t *testing.T) {
	url, _ := service(t, func(prompt string) string {
		switch {
		case strings.Contains(prompt, `"expansion"`):
			return `{"expansion": "knots"}`
		case strings.Contains(prompt, `"choice"`):
			return `{"genre": "g", "knowledge": "k", "reasoning": "r", "choice": 1, "second": 0}`
		case strings.Contains(prompt, `"covered_by"`) || strings.Contains(prompt, `"covered"`):
			return `{"covered_by": [1], "covered": [1], "missing": "", "terms": []}`
		case strings.Contains(prompt, `"instruction"`):
			return `{"skills": [{"name": "boats", "when": "About boats.", "instruction": "Use the words of seamen.", "covers": [1, 2, 3, 4]}]}`
		}
		return `{"domain": "boats", "kind": "how-to", "terms": ["rope"]}`
	})
	set := filepath.Join(t.TempDir(), "mined.yaml")
	got := invoke(t, "-data", tiny, "-k", "3", "-systems", "original,skillqr", "-skillqr-set", set, "-llm", url, "-model", "fake")
	good(t, got)
	text, err := os.ReadFile(set)
	require.NoError(t, err)
	require.Contains(t, string(text), "Use the words of seamen.")

	none := invoke(t, "-data", tiny, "-k", "3", "-embedder", "none", "-systems", "skillqr", "-skillqr-set", set+".other", "-llm", url, "-model", "fake")
	require.Equal(t, exitFailure, none.code)
	require.Contains(t, none.err, "mining one needs vectors")
}

func TestAnInstructionThatIsNoneIsRefused(t *testing.T) {
	url, _ := service(t, dreamer)
	got := invoke(t, "-data", tiny, "-embedder", "none", "-systems", "hand-written", "-hand-written", writeLines(t, "hand.txt", " \n"), "-llm", url, "-model", "fake")
	require.Equal(t, exitFailure, got.code)
	require.Contains(t, got.err, "-hand-written")
}

// Vectors of an earlier run are taken from the folder of -cache.
func TestVectorsAreKeptBetweenRuns(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-data", tiny, "-k", "3", "-systems", "dense", "-cache", dir}
	first := good(t, invoke(t, args...))
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	info, err := files[0].Info()
	require.NoError(t, err)
	require.Equal(t, first.out, good(t, invoke(t, args...)).out)
	after, err := os.Stat(filepath.Join(dir, files[0].Name()))
	require.NoError(t, err)
	require.Equal(t, info.Size(), after.Size(), "nothing was embedded anew")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	broken := invoke(t, "-data", tiny, "-cache", filepath.Join(dir, "file"))
	require.Equal(t, exitFailure, broken.code)
	require.Contains(t, broken.err, "-cache")
}

// A file of recorded answers may serve several choices of queries.
func TestRecordedAnswersToOtherQueriesAreToldAndNotUsed(t *testing.T) {
	lines, err := os.ReadFile(tinyOutputs)
	require.NoError(t, err)
	more := writeLines(t, "outputs.jsonl", string(lines)+`{"query_id": "elsewhere", "capabilities": [{"capability": "x"}], "anchors": []}`+"\n")
	without := good(t, invoke(t, "-data", tiny, "-k", "3", "-embedder", "none", "-systems", "words", "-llm-outputs", tinyOutputs))
	with := good(t, invoke(t, "-data", tiny, "-k", "3", "-embedder", "none", "-systems", "words", "-llm-outputs", more))
	const note = "1 recorded answer to queries that the collection lacks, not used.\n"
	require.Contains(t, with.out, note)
	require.Equal(t, without.out, strings.Replace(with.out, note, "", 1))
}
