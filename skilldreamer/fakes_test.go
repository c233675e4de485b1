package skilldreamer_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// scripted is a model that answers by the kind of prompt, and keeps what it
// was asked.
type scripted struct {
	mu       sync.Mutex
	asked    []prospect.LLMRequest
	infer    []string // answers to the first stage, in order; the last repeats
	imagine  func(capability string) (string, error)
	inferErr error
}

func (m *scripted) Identity() string { return "scripted/1" }

func (m *scripted) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	m.mu.Lock()
	m.asked = append(m.asked, req)
	m.mu.Unlock()
	usage := prospect.Usage{InputTokens: 10, OutputTokens: 1}
	if strings.HasPrefix(req.Prompt, "<task-") {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.inferErr != nil {
			return prospect.LLMResponse{}, m.inferErr
		}
		text := m.infer[0]
		if len(m.infer) > 1 {
			m.infer = m.infer[1:]
		}
		return prospect.LLMResponse{Text: text, Usage: usage}, nil
	}
	text, err := m.imagine(fenced(req.Prompt))
	return prospect.LLMResponse{Text: text, Usage: usage}, err
}

// fenced is the text inside the first fence of a prompt.
func fenced(prompt string) string {
	_, rest, _ := strings.Cut(prompt, ">\n")
	text, _, _ := strings.Cut(rest, "\n</")
	return text
}

func imagined(name, description, body string) string {
	return fmt.Sprintf(`{"name": %q, "description": %q, "body": %q}`, name, description, body)
}

// table is an embedder of known vectors: exact text to unit vector.
func table(t *testing.T, vectors map[string][]float64) prospect.Embedder {
	dim := 0
	for _, v := range vectors {
		dim = len(v)
	}
	return prospect.NewEmbedder("table/1", dim, func(_ context.Context, _ prospect.Role, texts []string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, text := range texts {
			v, ok := vectors[text]
			if !ok {
				return nil, &prospect.TextError{Index: i, Err: fmt.Errorf("no vector for %q", text)}
			}
			var n float64
			for _, x := range v {
				n += x * x
			}
			for _, x := range v {
				out[i] = append(out[i], float32(x/math.Sqrt(n)))
			}
		}
		return out, nil
	})
}

// counting wraps an embedder and counts the texts by role.
type counting struct {
	prospect.Embedder
	mu    sync.Mutex
	texts map[prospect.Role]int
}

func (c *counting) Embed(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
	c.mu.Lock()
	if c.texts == nil {
		c.texts = map[prospect.Role]int{}
	}
	c.texts[role] += len(texts)
	c.mu.Unlock()
	return c.Embedder.Embed(ctx, role, texts)
}

func (c *counting) take(role prospect.Role) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.texts[role]
	c.texts[role] = 0
	return n
}

func named(name, description string) *skill.Skill {
	return &skill.Skill{ID: name, Name: name, Description: description}
}

func newGallery(t testing.TB, e prospect.Embedder, skills ...*skill.Skill) *skilldreamer.Gallery {
	t.Helper()
	g, err := skilldreamer.NewGallery(e, skilldreamer.GalleryOptions{Dense: &skilldreamer.Recipe{}, Lexical: &skilldreamer.Recipe{}})
	require.NoError(t, err)
	require.NoError(t, g.Put(context.Background(), skills...))
	return g
}

func newDreamer(t testing.TB, store skilldreamer.Store, model prospect.LLM, o skilldreamer.Options) *skilldreamer.Dreamer {
	t.Helper()
	d, err := skilldreamer.New(store, model, o)
	require.NoError(t, err)
	return d
}

// trades is a small gallery whose words overlap little.
func trades() []*skill.Skill {
	return []*skill.Skill{
		named("bread-formula", "Scale a bread formula by baker's percentage."),
		named("hive-inspection", "Inspect a beehive for queen, brood and varroa mites."),
		named("bank-reconciliation", "Match a bank statement against the ledger and list open items."),
		named("pdf-form-filling", "Fill AcroForm fields of a PDF form and flatten them."),
		named("git-bisect", "Find the commit that broke a test with git bisect."),
		named("tide-tables", "Work out the height of tide at a secondary port."),
	}
}

func ids(r *skilldreamer.Result) []string {
	var out []string
	for _, m := range r.Skills {
		out = append(out, m.ID)
	}
	return out
}

func kinds(notes []skilldreamer.Note) []skilldreamer.NoteKind {
	var out []skilldreamer.NoteKind
	for _, n := range notes {
		out = append(out, n.Kind)
	}
	return out
}

func hash() prospect.Embedder { return embed.NewHash(4096) }
