package realmodel

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/examples/openai"
	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// The environment that serve.py sets, and a key for services that want one.
const (
	urlVariable  = "PROSPECT_LLM_URL"
	nameVariable = "PROSPECT_LLM_MODEL"
	keyVariable  = "PROSPECT_LLM_KEY"
)

var (
	demoTasks = flag.Int("demo", 10, "how many of the bundled tasks to run")
	dataTasks = flag.Int("data", 20, "how many tasks of the evaluation data to run, the shortest first, where it is there")
	maxTokens = flag.Int("max-tokens", 400, "bound on each answer")
	patience  = flag.Duration("patience", 3*time.Minute, "how long a task may take; what there is by then is used")
	traceFile = flag.String("trace", "", "`FILE` to which the calls of each task are added, a JSON object a line")
)

func TestMain(m *testing.M) {
	code := m.Run()
	http.DefaultClient.CloseIdleConnections() // kept for another call, not leaked
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// realModel is the model of the environment. The test is skipped without one.
func realModel(t *testing.T) prospect.LLM {
	t.Helper()
	base := os.Getenv(urlVariable)
	if base == "" {
		t.Skip(urlVariable + " names no model: run the test by serve.py")
	}
	m, err := openai.New(base, os.Getenv(nameVariable), os.Getenv(keyVariable))
	require.NoError(t, err)
	return m
}

// guarded puts around a model what a program should: a second try, a budget
// and a limit. The gauge sits next to the model.
func guarded(t *testing.T, m prospect.LLM, l llm.Limits) (prospect.LLM, *gauge) {
	t.Helper()
	g := &gauge{LLM: m}
	limited, err := llm.Limit(g, callsAtOnce)
	require.NoError(t, err)
	budget, err := llm.NewBudget(l)
	require.NoError(t, err)
	retried, err := llm.Retry(budget.Wrap(limited), llm.RetryOptions{})
	require.NoError(t, err)
	return retried, g
}

const callsAtOnce = 2

// gauge counts the calls of a model.
type gauge struct {
	prospect.LLM
	mu              sync.Mutex
	calls, now, top int // calls so far, under way, and most at once; guarded by mu
}

func (g *gauge) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	g.mu.Lock()
	g.calls++
	g.now++
	g.top = max(g.top, g.now)
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.now--
		g.mu.Unlock()
	}()
	return g.LLM.Generate(ctx, req)
}

// free is a model that is not told of schemas.
type free struct{ prospect.LLM }

func (m free) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	req.Schema = nil
	return m.LLM.Generate(ctx, req)
}

// A form is a way to ask for answers.
type form struct {
	name string
	m    prospect.LLM
}

func forms(m prospect.LLM) []form {
	return []form{{"with schemas", m}, {"without schemas", free{m}}}
}

// dreamer searches the bundled skills. Its embedder knows words alone, for what
// it finds is not judged.
func dreamer(t *testing.T, m prospect.LLM) *skilldreamer.Dreamer {
	t.Helper()
	loaded, err := skill.LoadDir(t.Context(), "../../testdata/skills", skill.LoadOptions{})
	require.NoError(t, err)
	g, err := skilldreamer.NewGallery(embed.NewHash(512), skilldreamer.GalleryOptions{})
	require.NoError(t, err)
	require.NoError(t, g.Put(t.Context(), loaded.Skills...))
	d, err := skilldreamer.New(g, m, skilldreamer.Options{K: 5, MaxCapabilities: 2, MaxTokens: *maxTokens, Temperature: new(0.0)})
	require.NoError(t, err)
	return d
}

// tasks are the bundled ones and short ones of the evaluation data.
func tasks(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, task := range evaldata.Lines[struct{ Text string }](t, "../../testdata/tasks.jsonl") {
		texts = append(texts, task.Text)
	}
	texts = texts[:min(*demoTasks, len(texts))]
	path := "../../../shared/data/skillsbench/queries.jsonl"
	if _, err := os.Stat(path); err != nil {
		t.Log("the evaluation data is not beside this checkout")
		return texts
	}
	var more []string
	for _, task := range evaldata.Docs(t, path) {
		more = append(more, strings.TrimSpace(task.Text))
	}
	slices.SortStableFunc(more, func(a, b string) int { return len(a) - len(b) })
	return append(texts, more[:min(*dataTasks, len(more))]...)
}

// trace writes down the calls that one task led to.
func trace(t *testing.T, name string, calls any) {
	t.Helper()
	if *traceFile == "" {
		return
	}
	f, err := os.OpenFile(*traceFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, json.NewEncoder(f).Encode(map[string]any{"name": name, "calls": calls}))
}
