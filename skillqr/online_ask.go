package skillqr

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/answer"
	"github.com/prospect-go/prospect/internal/fence"
)

// A run is the way of one query through a Rewriter.
type run struct {
	rw    *Rewriter
	query string
	mu    sync.Mutex // guards trace while the model is asked side by side
	trace Trace
}

// fell notes a fallback.
func (r *run) fell(stage Stage, reason Reason, err error, text string) {
	if err != nil {
		text += ": " + err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trace.Fallbacks = append(r.trace.Fallbacks, Fallback{stage, reason, text, err})
}

// failed notes a failure. Where ctx has ended it was the time that ran out:
// that the caller's own context ended, the caller is told by an error.
func (r *run) failed(ctx context.Context, stage Stage, reason Reason, err error, text string) {
	if ctx.Err() != nil {
		r.fell(stage, TimedOut, context.DeadlineExceeded, "there was no more time")
		return
	}
	r.fell(stage, reason, err, text)
}

// settle brings what was noted side by side into one order.
func (r *run) settle() {
	slices.SortStableFunc(r.trace.Calls, func(a, b Call) int {
		return cmp.Or(stageOrder(a.Stage)-stageOrder(b.Stage), a.Order-b.Order, r.rank(a.Skill)-r.rank(b.Skill), a.Attempt-b.Attempt)
	})
	slices.SortStableFunc(r.trace.Fallbacks, func(a, b Fallback) int {
		return cmp.Or(stageOrder(a.Stage)-stageOrder(b.Stage), reasonOrder(a.Reason)-reasonOrder(b.Reason), cmp.Compare(a.Text, b.Text))
	})
	r.trace.Fallbacks = slices.CompactFunc(r.trace.Fallbacks, func(a, b Fallback) bool {
		return a.Reason == TimedOut && b.Reason == TimedOut && a.Stage == b.Stage
	})
}

// rank is the place of a skill in the set, −1 for another one.
func (r *run) rank(name string) int {
	return slices.IndexFunc(r.rw.set.All(), func(s Skill) bool { return s.Name == name })
}

func stageOrder(s Stage) int {
	return slices.Index([]Stage{StageFeedback, StageRoute, StageRewrite, StageSearch}, s)
}

// reasonOrder puts what was done behind what was its cause.
func reasonOrder(r Reason) int {
	if r == NotRouted || r == NotRewritten {
		return 1
	}
	return 0
}

// A question to the model.
type question struct {
	stage    Stage
	skill    string
	order    int
	template *fence.Template
	data     any
	schema   json.RawMessage
}

// askModel renders the prompt, asks the model, at most twice, and records the
// calls. read, where it is not nil, makes JSON of an answer that has none.
func askModel[T any](ctx context.Context, r *run, q question, read func(string) (string, bool), validate func(*T) error) (T, error) {
	var zero T
	o := r.rw.opts
	prompt, err := q.template.Render(q.data)
	if err != nil {
		return zero, fmt.Errorf("prompt: %w", err)
	}
	req := prospect.LLMRequest{
		System: r.rw.prompts.system, Prompt: prompt, Schema: bytes.Clone(q.schema), SchemaName: string(q.stage),
		MaxTokens: o.MaxTokens, Temperature: o.Temperature,
	}
	m := &readingModel{LLM: r.rw.model, read: read, raw: map[string]string{}}
	v, attempts, err := answer.Ask(ctx, m, req, validate)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, a := range attempts {
		c := Call{
			Stage: q.stage, Skill: q.skill, Order: q.order, Attempt: i + 1,
			System: r.rw.prompts.system, Prompt: a.Prompt, Answer: m.original(a.Answer),
			Truncated: a.Truncated, Usage: a.Usage, Elapsed: a.Duration,
		}
		if a.Err != nil {
			c.Err = a.Err.Error()
		}
		r.trace.Calls = append(r.trace.Calls, c)
	}
	return v, err
}

// readingModel is a model whose answers, where they are not the JSON that was
// asked for but say the same in another way, become that JSON.
type readingModel struct {
	prospect.LLM
	read func(string) (string, bool)
	raw  map[string]string // JSON made here: what the model wrote
}

func (m *readingModel) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	resp, err := m.LLM.Generate(ctx, req)
	if err == nil && m.read != nil && len(resp.Text) <= answer.MaxBytes && !strings.Contains(resp.Text, "{") {
		if made, ok := m.read(resp.Text); ok {
			m.raw[made] = resp.Text
			resp.Text = made
		}
	}
	return resp, err
}

func (m *readingModel) original(text string) string {
	if raw, ok := m.raw[text]; ok {
		return raw
	}
	return text
}

// head returns the first n code points of s, without white space at its ends.
func head(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) <= n {
		return s
	}
	for at := range s {
		if n == 0 {
			return strings.TrimSpace(s[:at])
		}
		n--
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// tidyText makes one line of plain text of what a model wrote: valid UTF-8,
// without control characters.
func tidyText(s string) string {
	s = strings.ToValidUTF8(s, "")
	return oneLine(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if isControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s))
}
