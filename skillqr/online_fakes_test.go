package skillqr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/skillqr"
)

// onlineModel answers by stage and keeps what it was asked. Without functions
// it routes to the way whose name the query holds, else to the last one, and
// expands with the words "expanded by" and the skill's name.
type onlineModel struct {
	mu      sync.Mutex
	asked   []prospect.LLMRequest
	route   func(ctx context.Context, prompt string) (string, error)
	rewrite func(ctx context.Context, prompt string) (string, error)
}

func (m *onlineModel) Identity() string { return "online/1" }

func (m *onlineModel) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	m.mu.Lock()
	m.asked = append(m.asked, req)
	m.mu.Unlock()
	f := m.rewrite
	if req.SchemaName == "route" {
		f = m.route
	}
	if f == nil && req.SchemaName == "route" {
		f = func(_ context.Context, prompt string) (string, error) {
			return chooses(placeInPrompt(prompt, namedInQuery(prompt)), 0), nil
		}
	}
	if f == nil {
		f = func(_ context.Context, prompt string) (string, error) {
			_, rest, _ := strings.Cut(prompt, "this kind of query (")
			name, _, _ := strings.Cut(rest, "):")
			return expands("expanded by " + name), nil
		}
	}
	text, err := f(ctx, req.Prompt)
	return prospect.LLMResponse{Text: text, Usage: prospect.Usage{InputTokens: 10, OutputTokens: 1}}, err
}

func (m *onlineModel) requests(stage string) []prospect.LLMRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.asked), func(r prospect.LLMRequest) bool { return r.SchemaName != stage })
}

func chooses(choice, second int) string {
	return fmt.Sprintf(`{"genre": "g", "knowledge": "k", "reasoning": "because of %d", "choice": %d, "second": %d}`, choice, choice, second)
}

func expands(text string) string { return fmt.Sprintf(`{"expansion": %q}`, text) }

// ways are the entries of a routing prompt's list, "name: when".
func ways(prompt string) []string { return fence.Inside(prompt, "way") }

// placeInPrompt is the number that a name has in a routing prompt.
func placeInPrompt(prompt, name string) int {
	return 1 + slices.IndexFunc(ways(prompt), func(w string) bool { return strings.HasPrefix(w, name+":") })
}

// namedInQuery is the name of the way that a query holds, else the last one's.
func namedInQuery(prompt string) string {
	var name string
	for _, w := range ways(prompt) {
		name, _, _ = strings.Cut(w, ":")
		if strings.Contains(fence.Inside(prompt, "query")[0], name) {
			return name
		}
	}
	return name
}

// threeSkills is a set of math, code, medicine and the generic skill.
func threeSkills() *skillqr.Set {
	return &skillqr.Set{
		Skills: []skillqr.Skill{
			{Name: "math", When: "needs a theorem", Instruction: "Name the theorem."},
			{Name: "code", When: "asks for a program", Instruction: "Name the types."},
			{Name: "medicine", When: "asks for studies", Instruction: "Name the disease."},
		},
		Generic: skillqr.Generic(),
	}
}

func newRewriter(t testing.TB, set *skillqr.Set, m prospect.LLM, o skillqr.Options) *skillqr.Rewriter {
	t.Helper()
	rw, err := skillqr.New(set, m, o)
	require.NoError(t, err)
	return rw
}

func rewrite(t testing.TB, rw *skillqr.Rewriter, query string) *skillqr.Rewrite {
	t.Helper()
	out, err := rw.Rewrite(t.Context(), query)
	require.NoError(t, err)
	return out
}

// library is a searcher over texts by id: it ranks by the number of the
// query's words that a text holds, in order of the ids.
type library struct {
	order []string
	texts map[string]string
	fail  func(parts []skillqr.Part) error
	mu    sync.Mutex
	asked [][]skillqr.Part
}

func newLibrary(texts ...string) *library {
	l := &library{texts: map[string]string{}}
	for i, text := range texts {
		id := fmt.Sprintf("d%d", i+1)
		l.order = append(l.order, id)
		l.texts[id] = text
	}
	return l
}

func (l *library) find(ctx context.Context, parts []skillqr.Part, k int) ([]prospect.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.asked = append(l.asked, slices.Clone(parts))
	l.mu.Unlock()
	if l.fail != nil {
		if err := l.fail(parts); err != nil {
			return nil, err
		}
	}
	var hits []prospect.Hit
	for _, id := range l.order {
		score := 0.0
		for _, p := range parts {
			for _, word := range strings.Fields(p.Text) {
				if slices.Contains(strings.Fields(l.texts[id]), word) {
					score += p.Weight
				}
			}
		}
		if score > 0 {
			hits = append(hits, prospect.Hit{ID: id, Score: score})
		}
	}
	slices.SortStableFunc(hits, func(a, b prospect.Hit) int { return prospect.CompareScores(a.Score, b.Score) })
	return hits[:min(k, len(hits))], nil
}

func (l *library) get(ctx context.Context, ids []string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = l.texts[id]
	}
	return out, nil
}

func (l *library) feedback() *skillqr.Feedback {
	return &skillqr.Feedback{Find: l.find, Texts: l.get}
}

func hitIDs(hits []prospect.Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

func reasons(t *skillqr.Trace) []skillqr.Reason {
	var out []skillqr.Reason
	for _, f := range t.Fallbacks {
		out = append(out, f.Reason)
	}
	return out
}

var errBroken = errors.New("no route to the model")
