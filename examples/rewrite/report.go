package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

// lineWidth is how many columns the report takes at most, paths aside.
const lineWidth = 100

// A report prints results for a person, and to the error stream how far the
// work is.
type report struct {
	w       *bufio.Writer
	style   style
	explain bool

	progressTo io.Writer
	terminal   bool
	shown      bool
	last       time.Time

	known, before, after int // questions with a known answer; those where it came first
}

func newReport(w *bufio.Writer, std streams, explain bool) *report {
	return &report{w: w, explain: explain, style: styleFor(std.out), progressTo: std.err, terminal: isTerminal(std.err)}
}

func (r *report) line(format string, args ...any) {
	fmt.Fprintln(r.w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// entry prints a text beside a name, in as many lines as it takes.
func (r *report) entry(name, text string) { r.entryAt(12, "  "+name, text) }

// entryAt is entry with the text from a column on.
func (r *report) entryAt(column int, name, text string) {
	for _, l := range wrap(clean(text), lineWidth-column) {
		r.line("%s%s", pad(name, column), l)
		name = ""
	}
}

// note prints what did not go as planned; errors of models may be long.
func (r *report) note(text string) { r.entry("note", cut(clean(text), 3*(lineWidth-12))) }

// progress rewrites one line on a terminal, and is silent elsewhere.
func (r *report) progress(what string, done, total int) {
	if !r.terminal || done < total && time.Since(r.last) < 100*time.Millisecond {
		return
	}
	r.last, r.shown = time.Now(), true
	fmt.Fprintf(r.progressTo, "\r%s", pad(fmt.Sprintf("%s: %d of %d", what, done, total), 60))
}

// clear takes the line of progress away.
func (r *report) clear() {
	if r.shown {
		fmt.Fprintf(r.progressTo, "\r%60s\r", "")
		r.shown = false
	}
}

// library says what is searched, and whose the answers are.
func (r *report) library(l *library, model prospect.LLM) {
	r.clear()
	r.line("documents %d in %s", len(l.docs), clean(l.path))
	if len(l.skipped) > 0 {
		r.line("          left out: %s", cut(clean(strings.Join(l.skipped, "; ")), lineWidth-20))
	}
	r.line("model     %s", cut(clean(model.Identity()), lineWidth-10))
	r.w.Flush() // models take their time
}

// mined says how the mining went.
func (r *report) mined(what string, m *skillqr.Mining, std streams) {
	if m.Err != nil {
		std.say("some calls of the model failed, and the skills are what could be had in spite of it: %s", cut(clean(m.Err.Error()), 300))
	}
	r.line("%s%s in %s, %s of the model, %s in and %s out", pad(what, 10),
		count(m.Clusters.Documents(), "document"), count(m.Clusters.Len(), "group"),
		count(m.Calls, "call"), count(m.Usage.InputTokens, "token"), count(m.Usage.OutputTokens, "token"))
}

// changes says what a refresh found.
func (r *report) changes(c skillqr.Changes) {
	if !c.Any() {
		r.line("changes   nothing has changed")
		return
	}
	name := "changes"
	for _, l := range cleanLines(strings.TrimSpace(c.String())) {
		r.entryAt(10, name, l)
		name = ""
	}
}

// skills prints a set: which groups there are, and the skills that cover them.
func (r *report) skills(set *skillqr.Set) {
	r.line("\n%s", r.style.bold(rule("Groups of documents")))
	for _, c := range set.Clusters {
		var by []string
		for _, i := range set.CoveredBy(c.Cluster) {
			by = append(by, set.Skills[i].Name)
		}
		if by == nil {
			by = []string{"the generic skill"}
		}
		r.line("  %3d  %s", c.Size, cut(clean(cmp.Or(c.Label(), "(no label)")+" → "+strings.Join(by, ", ")), lineWidth-7))
		if len(c.Terms) > 0 {
			r.line("       %s", r.style.faint(cut(clean(strings.Join(c.Terms, ", ")), lineWidth-7)))
		}
	}
	r.line("\n%s", r.style.bold(rule("Skills")))
	for i, s := range set.All() {
		if i > 0 {
			r.line("")
		}
		r.line("  %s", r.style.bold(cut(clean(s.Name), lineWidth-2)))
		r.entry("when", s.When)
		r.entry("how", s.Instruction)
	}
	if rounds := len(set.Rounds); rounds > 0 {
		r.line("\n  After %s of judging, skills of their own cover %.0f %% of the documents.", count(rounds, "round"), 100*set.Coverage())
	}
	for _, n := range set.Notes {
		r.note(n.Text)
	}
	r.w.Flush()
}

// answer prints what became of a question.
func (r *report) answer(l *library, q question, found *skillqr.Found) {
	if title := clean(q.Text); textWidth(title) <= lineWidth-6 {
		r.line("\n%s", r.style.bold(rule(title)))
	} else {
		r.line("\n%s", r.style.bold(rule("Question")))
		r.entry("asked", title)
	}
	rw := found.Rewrite
	if route := rw.Trace.Route; route != nil && rw.Skill != "" {
		r.entry("skill", rw.Skill)
		r.entry("", r.reason(route))
	}
	if rw.Expansion() != "" {
		r.entry("added", rw.Expansion())
	} else {
		r.entry("added", "nothing: it is searched as it was asked")
	}
	for _, f := range rw.Trace.Fallbacks {
		r.note(f.Text)
	}
	const width = 47
	r.line("\n  %s  %s", pad(r.style.bold("Before"), width+len(r.style.bold("Before"))-len("Before")), r.style.bold("After"))
	for i := range max(len(found.Raw), len(found.Hits)) {
		r.line("  %s  %s", r.hit(l, q, found.Raw, i, width), r.hit(l, q, found.Hits, i, width))
	}
	if len(q.Answers) > 0 {
		r.known++
		r.before += first(q, found.Raw)
		r.after += first(q, found.Hits)
	}
	if r.explain {
		r.calls(rw.Trace.Calls)
	}
	r.w.Flush()
}

// reason is what the model thought of a question.
func (r *report) reason(route *skillqr.Route) string {
	var parts []string
	for _, p := range []string{route.Knowledge, route.Reasoning} {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}

// hit is a row of a column.
func (r *report) hit(l *library, q question, hits []prospect.Hit, i, width int) string {
	if i >= len(hits) {
		return strings.Repeat(" ", width)
	}
	mark := " "
	if slices.Contains(q.Answers, hits[i].ID) {
		mark = "✓"
	}
	row := pad(cut(fmt.Sprintf("%2d %s %s", i+1, mark, clean(l.label(hits[i].ID))), width), width)
	if mark == "✓" {
		return r.style.green(row)
	}
	return row
}

// first is 1 where the first hit answers the question.
func first(q question, hits []prospect.Hit) int {
	if len(hits) > 0 && slices.Contains(q.Answers, hits[0].ID) {
		return 1
	}
	return 0
}

// total sums up questions whose answers are known.
func (r *report) total() {
	r.line("\n%s", r.style.bold(fmt.Sprintf("The document that answers (✓) comes first for %d of %d questions before, %d after.", r.before, r.known, r.after)))
}

// calls prints what the model was asked and what it answered.
func (r *report) calls(calls []skillqr.Call) {
	for i, c := range calls {
		r.line("\n  %s", r.style.bold(fmt.Sprintf("Call %d: %s", i+1, c.Stage)))
		r.quote("system", c.System)
		r.quote("prompt", c.Prompt)
		r.quote("answer", c.Answer)
		if c.Err != "" {
			r.quote("error", c.Err)
		}
	}
}

// quote prints a text of several lines behind a bar.
func (r *report) quote(what, text string) {
	r.line("    %s", r.style.faint(what))
	for _, l := range cleanLines(text) {
		parts := []string{l}
		if textWidth(l) > lineWidth-6 {
			parts = wrap(l, lineWidth-6)
		}
		for _, part := range parts {
			r.line("    │ %s", part)
		}
	}
}

// rule is a title with a line that fills the width.
func rule(title string) string {
	title = cut(title, lineWidth-6)
	return "── " + title + " " + strings.Repeat("─", lineWidth-4-textWidth(title))
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
