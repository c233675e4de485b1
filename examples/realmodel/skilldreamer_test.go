package realmodel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skilldreamer"
)

func TestSkillDreamer(t *testing.T) {
	m := realModel(t)
	for _, form := range forms(m) {
		t.Run(form.name, func(t *testing.T) {
			model, g := guarded(t, form.m, llm.Limits{})
			d := dreamer(t, model)
			count := newTally()
			for i, task := range tasks(t) {
				ctx, cancel := context.WithTimeout(t.Context(), *patience)
				begin := time.Now()
				r, err := d.Find(ctx, skilldreamer.Request{Task: task})
				cancel()
				require.NoError(t, err, "task %d", i)
				checkResult(t, task, r)
				var calls []attempt
				for _, c := range r.Imagined.Calls {
					calls = append(calls, attempt{c.Stage, c.Answer, c.Error, c.Attempt, c.Truncated})
				}
				count.add(calls, r.Trace.Usage, time.Since(begin), r.Plain, r.Partial)
				trace(t, form.name, r.Imagined.Calls)
			}
			require.LessOrEqual(t, g.top, callsAtOnce)
			require.Zero(t, g.now)
			t.Logf("%s, %s:\n%s", m.Identity(), form.name, count)
		})
	}
}

// checkResult is what holds for any result, whatever the model wrote.
func checkResult(t *testing.T, task string, r *skilldreamer.Result) {
	t.Helper()
	require.Len(t, r.Skills, 5, "plain retrieval at the least")
	im := r.Imagined
	require.NotNil(t, im)
	require.NotEmpty(t, im.Calls)
	noted := func(kind skilldreamer.NoteKind, capability int) bool {
		return slices.ContainsFunc(r.Notes, func(n skilldreamer.Note) bool { return n.Kind == kind && n.Capability == capability })
	}
	require.Equal(t, len(im.Capabilities) == 0, r.Plain)
	require.Equal(t, r.Plain, noted(skilldreamer.NoCapabilities, -1), "%v", r.Notes)
	require.Equal(t, r.Partial, noted(skilldreamer.Deadline, -1), "%v", r.Notes)
	for j, c := range im.Capabilities {
		require.NotEmpty(t, strings.TrimSpace(c.Text))
		require.Equal(t, c.Skill == nil, noted(skilldreamer.NotImagined, j), "%v", r.Notes)
	}
	// An answer gave a value, was asked for again, or is in the notes.
	for i, c := range im.Calls {
		require.LessOrEqual(t, c.Attempt, 2)
		if c.Error == "" {
			continue
		}
		again := i+1 < len(im.Calls) && im.Calls[i+1].Stage == c.Stage && im.Calls[i+1].Capability == c.Capability && im.Calls[i+1].Attempt == c.Attempt+1
		require.True(t, again || r.Partial || noted(skilldreamer.ModelFailed, c.Capability), "call %d: %s\n%v", i, c.Error, r.Notes)
	}
	checkPrompts(t, task, im)
}

// checkPrompts is that the data stands in the fences, whole, and nothing else
// does, though a second prompt quotes the answer before it, which may be the
// prompt.
func checkPrompts(t *testing.T, task string, im *skilldreamer.Imagined) {
	t.Helper()
	for _, c := range im.Calls {
		switch c.Stage {
		case "capabilities":
			require.Equal(t, []string{strings.TrimSpace(task)}, fence.Inside(c.Prompt, "task"))
		case "imagine":
			require.Equal(t, []string{im.Capabilities[c.Capability].Text}, fence.Inside(c.Prompt, "capability"))
		}
	}
}

// A budget is spent in the middle of the work: what there is by then is used.
func TestSkillDreamerKeepsABudget(t *testing.T) {
	m := realModel(t)
	for _, calls := range []int{1, 2} {
		model, g := guarded(t, m, llm.Limits{Calls: calls})
		d := dreamer(t, model)
		for _, task := range []string{"Sum up the tables of a PDF file.", "Rewrite the history of a git repository."} {
			r, err := d.Find(t.Context(), skilldreamer.Request{Task: task})
			require.NoError(t, err)
			checkResult(t, task, r)
			require.LessOrEqual(t, g.calls, calls)
		}
		last, err := d.Imagine(t.Context(), "Bake bread.")
		require.NoError(t, err)
		require.Contains(t, fmt.Sprint(last.Notes), llm.ErrBudget.Error(), "the trace names the reason")
		require.Equal(t, calls, g.calls)
	}
}

func TestSkillDreamerKeepsADeadline(t *testing.T) {
	model, g := guarded(t, realModel(t), llm.Limits{})
	d := dreamer(t, model)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	task := strings.Repeat("Sum up the tables of a PDF file. ", 100)
	r, err := d.Find(ctx, skilldreamer.Request{Task: task})
	require.NoError(t, err)
	require.True(t, r.Partial)
	checkResult(t, task, r)
	require.Zero(t, g.now, "no call goes on")

	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	_, err = d.Find(ctx, skilldreamer.Request{Task: task})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, g.now)
}
