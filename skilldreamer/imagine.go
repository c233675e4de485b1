package skilldreamer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
)

// Bounds on the parts of an answer, in code points. Longer parts are cut and
// noted; prompts made from them stay short.
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
// partial, holds what there is. It waits for a model that does not heed its
// context.
func (d *Dreamer) Imagine(ctx context.Context, task string) (*Imagined, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if isBlank(task) {
		return &Imagined{}, nil
	}
	if d.model == nil {
		return &Imagined{Notes: []Note{{Kind: NoModel, Capability: -1, Text: "no model was given, so nothing was imagined"}}}, nil
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
	if t.im.Partial {
		t.note(Deadline, -1, "time ran out while the model was thinking; what it had imagined by then is used")
	}
	return t.im, nil
}

// thinking is one run of Imagine.
type thinking struct {
	d  *Dreamer
	mu sync.Mutex // guards im while capabilities are imagined in parallel
	im *Imagined
}

func (t *thinking) run(ctx context.Context, task string) {
	o, p := t.d.opts, t.d.prompts
	first := stage{"capabilities", -1, p.capabilities, capabilitiesSchema}
	if o.Calls == CallOnce {
		first = stage{"everything", -1, p.everything, everythingSchema}
	}
	data := PromptData{Task: task, MaxCapabilities: o.MaxCapabilities, MaxAnchors: o.MaxAnchors}
	inferred, ok := ask(ctx, t, first, data, (*inference).check)
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
			t.note(NotImagined, j, notImagined)
		}
	}
}

const notImagined = "no skill could be imagined, so the capability's own text is used"

// imagineEach is PSG with one call per capability.
func (t *thinking) imagineEach(ctx context.Context) {
	var g errgroup.Group
	g.SetLimit(t.d.opts.Parallel)
	for j, c := range t.im.Capabilities {
		g.Go(func() error {
			data := PromptData{Capability: c.Text, Evidence: string(c.Evidence)}
			s, ok := ask(ctx, t, stage{"imagine", j, t.d.prompts.imagine, imagineSchema}, data, (*wireSkill).check)
			if ok {
				tidy := t.tidySkill(j, &s.ImaginedSkill)
				t.mu.Lock()
				t.im.Capabilities[j].Skill = tidy
				t.mu.Unlock()
			}
			return nil
		})
	}
	g.Wait()
	// Calls and notes of parallel work in one order.
	slices.SortStableFunc(t.im.Calls, func(a, b Call) int { return a.Capability - b.Capability })
	slices.SortStableFunc(t.im.Notes, func(a, b Note) int { return a.Capability - b.Capability })
}

// imagineAll is PSG with one call for all capabilities.
func (t *thinking) imagineAll(ctx context.Context) {
	want := len(t.im.Capabilities)
	data := PromptData{Capabilities: t.im.Capabilities}
	got, ok := ask(ctx, t, stage{"imagine-all", -1, t.d.prompts.imagineAll, imagineAllSchema}, data, func(a *imaginations) error {
		if len(a.Skills) != want {
			return fmt.Errorf(`"skills" has %d entries, one for each of the %d capabilities is needed`, len(a.Skills), want)
		}
		return nil
	})
	if !ok {
		return
	}
	for j, s := range got.Skills {
		t.im.Capabilities[j].Skill = t.tidySkill(j, &s.ImaginedSkill)
	}
}

// capabilities tidies what CI answered: trimmed, cut, without blanks and
// repetitions, at most MaxCapabilities.
func (t *thinking) capabilities(wire []wireCapability) []Capability {
	var out []Capability
	seen := make(map[string]bool)
	var dropped dropped
	for _, w := range wire {
		c := w.Capability
		text, key := strings.TrimSpace(c.Text), fold(c.Text)
		switch {
		case text == "":
			dropped.add("blank", text)
			continue
		case seen[key]:
			dropped.add("repeated", text)
			continue
		case len(out) == t.d.opts.MaxCapabilities:
			dropped.add("beyond the limit", text)
			continue
		}
		seen[key] = true
		j := len(out)
		c.Text = t.cut(j, "capability", text, maxCapabilityLen)
		c.Evidence = Evidence(t.cut(j, "evidence", strings.TrimSpace(string(c.Evidence)), maxEvidenceLen))
		c.Skill = t.tidySkill(j, c.Skill)
		out = append(out, c)
	}
	dropped.note(t, "capabilities")
	return out
}

func (t *thinking) anchors(wire []string) []string {
	var out []string
	seen := make(map[string]bool)
	var dropped dropped
	for _, a := range wire {
		a = strings.Join(strings.Fields(a), " ")
		switch {
		case a == "":
			dropped.add("blank", a)
		case seen[fold(a)]:
			dropped.add("repeated", a)
		case len(out) == t.d.opts.MaxAnchors:
			dropped.add("beyond the limit", a)
		default:
			seen[fold(a)] = true
			out = append(out, t.cut(-1, "anchor", a, maxAnchorLen))
		}
	}
	dropped.note(t, "anchors")
	return out
}

// tidySkill bounds the parts of an imagined skill; nil where it is of no use.
func (t *thinking) tidySkill(j int, s *ImaginedSkill) *ImaginedSkill {
	if !s.usable() {
		return nil
	}
	return &ImaginedSkill{
		Name:        t.cut(j, "name", strings.TrimSpace(s.Name), maxNameLen),
		Description: t.cut(j, "description", strings.TrimSpace(s.Description), maxDescriptionLen),
		Body:        t.cut(j, "body", strings.TrimSpace(s.Body), maxBodyLen),
	}
}

func (t *thinking) note(kind NoteKind, j int, text string) {
	t.add(Note{Kind: kind, Capability: j, Text: text})
}

func (t *thinking) add(n Note) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.im.Notes = append(t.im.Notes, n)
}

// cut shortens a part of an answer to n code points and notes it.
func (t *thinking) cut(j int, what, s string, n int) string {
	if short := head(s, n); len(short) < len(s) {
		t.note(Trimmed, j, fmt.Sprintf("%s of %d characters cut to %d", what, utf8.RuneCountInString(s), n))
		return short
	}
	return s
}

// dropped collects parts of an answer that were left out, and why.
type dropped struct {
	total int
	parts []string
}

func (d *dropped) add(why, text string) {
	if d.total++; d.total <= 20 {
		d.parts = append(d.parts, fmt.Sprintf("%q (%s)", head(text, 60), why))
	}
}

func (d *dropped) note(t *thinking, what string) {
	if d.total > 0 {
		t.note(Trimmed, -1, fmt.Sprintf("dropped %d %s: %s", d.total, what, strings.Join(d.parts, ", ")))
	}
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
