package skilldreamer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"text/template"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/answer"
	"github.com/prospect-go/prospect/skill"
)

// Bounds on the parts of an answer, in code points. Longer parts are cut and
// noted; a static model reads no more, and prompts made from them stay short.
const (
	maxCapabilityLen  = 600
	maxEvidenceLen    = 1200
	maxAnchorLen      = 80
	maxNameLen        = 100
	maxDescriptionLen = 1024
	maxBodyLen        = 6000
)

// Imagine asks the model which capabilities the task needs and imagines a
// skill for each: CI and PSG. It needs no gallery.
//
// What fails is noted in the result, which may be empty; the error is not nil
// only when ctx is cancelled or was already done. If ctx has a deadline, the
// thinking stops a little before it ([Options.Reserve]) and the result, marked
// partial, holds what there is.
func (d *Dreamer) Imagine(ctx context.Context, task string) (*Imagined, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if blank(task) {
		return &Imagined{}, nil
	}
	if d.model == nil {
		return &Imagined{Notes: []Note{{NoModel, -1, "no model was given, so nothing was imagined"}}}, nil
	}
	t := &thinking{d: d, im: &Imagined{Model: d.model.Identity()}}
	think := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		think, cancel = context.WithDeadline(ctx, deadline.Add(-d.opts.Reserve))
		defer cancel()
	}
	begin := time.Now()
	t.run(think, task)
	t.im.Elapsed = time.Since(begin)
	if err := ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	if think.Err() != nil {
		t.im.Partial = true
		t.note(Deadline, -1, "time ran out while the model was thinking; what it had imagined by then is used")
	}
	return t.im, nil
}

// thinking is one run of Imagine.
type thinking struct {
	d  *Dreamer
	im *Imagined
	mu sync.Mutex // guards im while capabilities are imagined in parallel
}

func (t *thinking) run(ctx context.Context, task string) {
	o := t.d.opts
	data := PromptData{Task: task, MaxCapabilities: o.MaxCapabilities, MaxAnchors: o.MaxAnchors}
	stage, prompt, schema := "capabilities", o.Prompts.parsed.capabilities, capabilitiesSchema
	if o.Calls == CallOnce {
		stage, prompt, schema = "everything", o.Prompts.parsed.everything, everythingSchema
	}
	inferred, ok := ask(ctx, t, stage, -1, prompt, data, schema, func(a *inference) error {
		if !a.any() {
			return errors.New(`"capabilities" holds no capability with a text`)
		}
		return nil
	})
	if !ok {
		return
	}
	t.im.Capabilities = t.capabilities(inferred.Capabilities)
	t.im.Anchors = t.anchors(inferred.Anchors)

	switch o.Calls {
	case CallPerCapability:
		t.imagineEach(ctx)
	case CallBatched:
		t.imagineAll(ctx)
	}
	for j, c := range t.im.Capabilities {
		if c.Skill == nil {
			t.note(NotImagined, j, "no skill could be imagined, so the capability's own text is used")
		}
	}
}

// inference is the answer to CI, with imagined skills where one call asks for
// both.
type inference struct {
	Capabilities []wireCapability `json:"capabilities"`
	Anchors      wireTerms        `json:"anchors"`
}

func (a *inference) any() bool {
	for _, c := range a.Capabilities {
		if !blank(c.Text) {
			return true
		}
	}
	return false
}

// wireCapability is a capability as models write it: an object, or just text.
type wireCapability struct{ Capability }

func (c *wireCapability) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		c.Capability = Capability{Text: text}
		return nil
	}
	return answer.Unmarshal(data, &c.Capability)
}

// wireTerms is a list of terms, or one text with commas between them.
type wireTerms []string

func (w *wireTerms) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*w = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' })
		return nil
	}
	return answer.Unmarshal(data, (*[]string)(w))
}

// capabilities tidies what CI answered: trimmed, cut, without blanks and
// repetitions, at most MaxCapabilities.
func (t *thinking) capabilities(wire []wireCapability) []Capability {
	var out []Capability
	seen := make(map[string]bool)
	var blanks, repeated, surplus int
	for _, w := range wire {
		c := w.Capability
		text, key := strings.TrimSpace(c.Text), fold(c.Text)
		switch {
		case text == "":
			blanks++
			continue
		case seen[key]:
			repeated++
			continue
		case len(out) == t.d.opts.MaxCapabilities:
			surplus++
			continue
		}
		seen[key] = true
		j := len(out)
		c.Text = t.cut(j, "capability", text, maxCapabilityLen)
		c.Evidence = Evidence(t.cut(j, "evidence", strings.TrimSpace(string(c.Evidence)), maxEvidenceLen))
		c.Skill = t.tidySkill(j, c.Skill)
		out = append(out, c)
	}
	if blanks+repeated+surplus > 0 {
		t.note(Trimmed, -1, fmt.Sprintf("dropped capabilities: %d blank, %d repeated, %d beyond the limit of %d", blanks, repeated, surplus, t.d.opts.MaxCapabilities))
	}
	return out
}

func (t *thinking) anchors(wire []string) []string {
	var out []string
	seen := make(map[string]bool)
	dropped := 0
	for _, a := range wire {
		a = strings.Join(strings.Fields(a), " ")
		if a == "" || seen[fold(a)] || len(out) == t.d.opts.MaxAnchors {
			dropped++
			continue
		}
		seen[fold(a)] = true
		out = append(out, t.cut(-1, "anchor", a, maxAnchorLen))
	}
	if dropped > 0 {
		t.note(Trimmed, -1, fmt.Sprintf("dropped %d anchors that were blank, repeated or beyond the limit of %d", dropped, t.d.opts.MaxAnchors))
	}
	return out
}

// imagineEach is PSG with one call per capability.
func (t *thinking) imagineEach(ctx context.Context) {
	var g errgroup.Group
	g.SetLimit(t.d.opts.Parallel)
	for j, c := range t.im.Capabilities {
		g.Go(func() error {
			data := PromptData{Capability: c.Text, Evidence: string(c.Evidence)}
			s, ok := ask(ctx, t, "imagine", j, t.d.opts.Prompts.parsed.imagine, data, imagineSchema, (*ImaginedSkill).usable)
			if ok {
				tidy := t.tidySkill(j, &s)
				t.mu.Lock()
				t.im.Capabilities[j].Skill = tidy
				t.mu.Unlock()
			}
			return nil
		})
	}
	g.Wait()
	t.sortByCapability()
}

// imagineAll is PSG with one call for all capabilities.
func (t *thinking) imagineAll(ctx context.Context) {
	type skills struct {
		Skills []*ImaginedSkill `json:"skills"`
	}
	want := len(t.im.Capabilities)
	data := PromptData{Capabilities: t.im.Capabilities}
	got, ok := ask(ctx, t, "imagine-all", -1, t.d.opts.Prompts.parsed.imagineAll, data, imagineAllSchema, func(a *skills) error {
		if len(a.Skills) != want {
			return fmt.Errorf(`"skills" has %d entries, one for each of the %d capabilities is needed`, len(a.Skills), want)
		}
		return nil
	})
	if !ok {
		return
	}
	for j, s := range got.Skills {
		t.im.Capabilities[j].Skill = t.tidySkill(j, s)
	}
}

// usable says why an imagined skill is of no use.
func (s *ImaginedSkill) usable() error {
	if blank(s.Description) && blank(s.Body) {
		return errors.New(`"description" and "body" are both empty`)
	}
	return nil
}

// tidySkill bounds the parts of an imagined skill; nil where nothing is left.
func (t *thinking) tidySkill(j int, s *ImaginedSkill) *ImaginedSkill {
	if s == nil || s.usable() != nil {
		return nil
	}
	return &ImaginedSkill{
		Name:        t.cut(j, "name", strings.TrimSpace(s.Name), maxNameLen),
		Description: t.cut(j, "description", strings.TrimSpace(s.Description), maxDescriptionLen),
		Body:        t.cut(j, "body", strings.TrimSpace(s.Body), maxBodyLen),
	}
}

// ask renders a prompt, asks the model, at most twice, and records the calls.
// It is false where the caller has to fall back, which is noted.
func ask[T any](ctx context.Context, t *thinking, stage string, j int, prompt *template.Template, data PromptData, schema json.RawMessage, validate func(*T) error) (T, bool) {
	var zero T
	o := t.d.opts
	text, err := render(prompt, data)
	if err != nil {
		t.note(ModelFailed, j, fmt.Sprintf("%s: prompt: %v", stage, err))
		return zero, false
	}
	req := prospect.LLMRequest{
		System: o.Prompts.System, Prompt: text, Schema: schema, SchemaName: strings.ReplaceAll(stage, "-", "_"),
		MaxTokens: o.MaxTokens, Temperature: o.Temperature,
	}
	v, attempts, err := answer.Ask(ctx, t.d.model, req, validate)
	t.record(stage, j, o.Prompts.System, attempts)
	if err == nil {
		return v, true
	}
	if v, ok := fromSkillFile[T](attempts, validate); ok {
		return v, true
	}
	if ctx.Err() == nil { // else the deadline is noted once, by Imagine
		t.note(ModelFailed, j, fmt.Sprintf("%s: %v", stage, err))
	}
	return zero, false
}

// fromSkillFile takes an imagined skill from an answer that is a SKILL.md
// rather than JSON.
func fromSkillFile[T any](attempts []answer.Attempt, validate func(*T) error) (v T, ok bool) {
	s, isSkill := any(&v).(*ImaginedSkill)
	if !isSkill {
		return v, false
	}
	for _, a := range attempts {
		text := a.Answer
		if at := strings.Index(text, "---\n"); at >= 0 {
			text = text[at:]
		} else {
			continue
		}
		if p, _, err := skill.Parse([]byte(text), skill.ParseOptions{}); err == nil {
			*s = ImaginedSkill{Name: p.Name, Description: p.Description, Body: p.Body}
			return v, validate(&v) == nil
		}
	}
	return v, false
}

func (t *thinking) record(stage string, j int, system string, attempts []answer.Attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, a := range attempts {
		c := Call{Stage: stage, Capability: j, Attempt: i + 1, System: system, Prompt: a.Prompt, Answer: a.Answer, Truncated: a.Truncated, Usage: a.Usage, Duration: a.Duration}
		if a.Err != nil {
			c.Error = a.Err.Error()
		}
		t.im.Calls = append(t.im.Calls, c)
	}
}

func (t *thinking) note(kind NoteKind, j int, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.im.Notes = append(t.im.Notes, Note{kind, j, text})
}

// sortByCapability puts calls and notes of parallel work in one order.
func (t *thinking) sortByCapability() {
	sortStable(t.im.Calls, func(c Call) int { return c.Capability })
	sortStable(t.im.Notes, func(n Note) int { return n.Capability })
}

// cut shortens a part of an answer to n code points and notes it.
func (t *thinking) cut(j int, what, s string, n int) string {
	if short := head(s, n); len(short) < len(s) {
		t.note(Trimmed, j, fmt.Sprintf("%s of %d characters cut to %d", what, utf8.RuneCountInString(s), n))
		return short
	}
	return s
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// timed adds the time since begin to d.
func timed(d *time.Duration, begin time.Time) { *d += time.Since(begin) }
