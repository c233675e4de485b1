package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// lineWidth is how many columns the report takes at most; only paths go
// beyond it, since a path that is cut is of no use.
const lineWidth = 100

// report prints results for a person.
type report struct {
	w       *bufio.Writer
	style   style
	explain bool

	oneSource bool
	totals    totals
}

// totals add up what was found of what the tasks need.
type totals struct{ tasks, needed, plain, dream int }

func (t *totals) add(f finding) {
	if len(f.task.Needed) == 0 || f.dream == nil {
		return
	}
	plain, _ := f.task.tally(f.plain)
	dream, _ := f.task.tally(f.dream)
	t.tasks++
	t.needed += len(f.task.Needed)
	t.plain += len(plain)
	t.dream += len(dream)
}

func newReport(w *bufio.Writer, s style, explain bool) *report {
	return &report{w: w, style: s, explain: explain}
}

func (p *report) line(format string, args ...any) {
	fmt.Fprintln(p.w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// paragraph prints a text in lines that begin with the indent.
func (p *report) paragraph(indent, text string) {
	for _, l := range wrap(clean(text), lineWidth-textWidth(indent)) {
		p.line("%s%s", indent, l)
	}
}

func (p *report) heading(text string) { p.line("\n%s", p.style.bold(text)) }

// header says what is searched.
func (p *report) header(s *shelf, embedder *onnx.Embedder) {
	p.oneSource = len(s.folders) == 1
	names := make([]string, len(s.folders))
	for i, f := range s.folders {
		names[i] = f.dir
		if !p.oneSource {
			names[i] = f.name + "=" + f.dir
		}
	}
	p.line("skills    %d in %s", s.gallery.Len(), clean(strings.Join(names, ", ")))
	p.line("embedder  %s: %d dimensions, texts up to %d tokens", clean(s.embedder), embedder.Dim(), embedder.MaxTokens())
	how := fmt.Sprintf("built in %s", span(s.took))
	if s.opened {
		how = fmt.Sprintf("opened and checked in %s", span(s.took))
		r := s.report
		if n := len(r.Added) + len(r.Updated) + len(r.Removed); n > 0 {
			how += fmt.Sprintf(": %d added, %d changed, %d gone", len(r.Added), len(r.Updated), len(r.Removed))
		}
	}
	p.line("gallery   %s (%s embedded)", how, count(s.report.Embedded, "text"))
	if s.file != "" {
		p.line("          %s", clean(s.file))
	}
	p.problems(s)
	if p.explain {
		p.line("identity  %s", clean(embedder.Identity()))
	}
}

// problems sums up what was met while loading.
func (p *report) problems(s *shelf) {
	skipped, warnings := s.count(skill.Error), s.count(skill.Warning)
	if skipped+warnings == 0 {
		return
	}
	hint := " (-explain lists them)"
	if p.explain {
		hint = ""
	}
	p.line("loading   %s, %s%s", count(skipped, "thing")+" left out", count(warnings, "warning"), hint)
	if p.explain {
		for _, problem := range s.report.Problems {
			if problem.Severity != skill.Note {
				p.line("          %s", cut(clean(problem.Error()), lineWidth-10))
			}
		}
	}
}

// finding prints one task.
func (p *report) finding(f finding) {
	p.totals.add(f)
	title := "Task"
	if f.task.ID != "" {
		title += " " + clean(f.task.ID)
	}
	p.line("\n%s", p.style.bold(rule(title)))
	text := clean(f.task.Text)
	if short := cut(text, 1500); !p.explain && short != text {
		text = short
	}
	p.paragraph("  ", text)
	p.source(f)
	if f.dream == nil || f.dream.Plain {
		p.plainOnly(f)
	} else {
		p.sideBySide(f)
		p.capabilities(f.dream.Imagined)
		p.reasons(f)
	}
	p.notes(f)
	p.timings(f)
	if p.explain {
		p.trace(f)
	}
}

// source says where the imagined skills come from.
func (p *report) source(f finding) {
	p.line("")
	switch {
	case f.basis == byRecord:
		p.paragraph("  ", "Capabilities and skills were imagined by a model beforehand: these are its recorded answers.")
	case f.basis == byNobody:
		p.paragraph("  ", "Plain retrieval only: there is no recorded answer for this task, and no model was given to imagine skills for it (-llm URL -model NAME).")
	case f.dream.Plain:
		p.paragraph("  ", "Plain retrieval only: the model gave nothing that could be used; the notes below say why.")
	default:
		p.paragraph("  ", "Capabilities and skills were imagined by "+f.dream.Imagined.Model+".")
	}
}

// notes tells in plain words what did not go as planned.
func (p *report) notes(f finding) {
	r := f.dream
	if r == nil {
		r = f.plain
	}
	if len(r.Notes) == 0 {
		return
	}
	p.heading("  Notes")
	for _, n := range r.Notes {
		about := ""
		if c := capabilityOf(r, n.Capability); c != nil {
			about = fmt.Sprintf("capability %d (%s): ", n.Capability+1, cut(clean(c.Text), 40))
		}
		if n.Kind == skilldreamer.Deadline {
			about = "The result is partial: "
		}
		p.paragraph("    ", about+n.Text)
	}
}

func (p *report) timings(f finding) {
	r := f.dream
	if r == nil {
		r = f.plain
	}
	t := r.Trace
	thinking := ""
	if f.basis == byModel {
		thinking = fmt.Sprintf("model %s (%s in, %s out), ", span(t.Imagine), count(t.Usage.InputTokens, "token"), count(t.Usage.OutputTokens, "token"))
	}
	p.line("\n  %s", p.style.faint(fmt.Sprintf("%sembed %s, search %s", thinking, span(t.Embed), span(t.Nearest+t.Score))))
}

// footer sums up, and names the tasks that were not run.
func (p *report) footer(others []string) {
	if t := p.totals; t.tasks > 1 {
		p.heading(fmt.Sprintf("Over %d tasks, of %d needed skills: plain retrieval found %d, SkillDreamer %d", t.tasks, t.needed, t.plain, t.dream))
	}
	if len(others) > 0 {
		p.heading("Other tasks with recorded answers (-task ID, or -task all)")
		p.paragraph("  ", strings.Join(others, ", "))
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
