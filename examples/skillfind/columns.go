package main

import (
	"fmt"
	"strings"

	"github.com/prospect-go/prospect/skilldreamer"
)

const (
	columnWidth = 47 // of each of the two lists
	indentation = "      "
)

// sideBySide prints both rankings next to each other.
func (p *report) sideBySide(f finding) {
	left, right := p.ranking(f.task, f.plain), p.ranking(f.task, f.dream)
	head := func(title, by string) string {
		return p.style.bold(title) + pad(by, columnWidth-textWidth(title))
	}
	p.line("\n  %s  %s", head("Plain retrieval", ", by the task's words"), head("SkillDreamer", ", by imagined skills"))
	for i := range max(len(left), len(right)) {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		p.line("  %s  %s", p.mark(pad(l, columnWidth)), p.mark(r))
	}
}

// ranking is one column: the skills, then how many of those needed are among
// them.
func (p *report) ranking(t task, r *skilldreamer.Result) []string {
	var rows []string
	for _, m := range r.Skills {
		rows = append(rows, cut(fmt.Sprintf("%2d %s %s", m.Rank, check(t, m), label(m)), columnWidth))
	}
	if len(t.Needed) == 0 {
		return rows
	}
	found, missed := t.tally(r)
	rows = append(rows, fmt.Sprintf("%d of %d needed skills found", len(found), len(t.Needed)))
	if len(missed) > 0 {
		rows = append(rows, wrap(clean("missing: "+strings.Join(missed, ", ")), columnWidth-2)...)
	}
	return rows
}

// check marks the skills that the task is known to need.
func check(t task, m skilldreamer.Match) string {
	if t.needs(m.Skill.Name) {
		return "✓"
	}
	return " "
}

// mark puts colour on a row with a check.
func (p *report) mark(row string) string {
	if strings.Contains(row, "✓") {
		return p.style.green(row)
	}
	return row
}

// label is how a skill is shown.
func label(m skilldreamer.Match) string { return clean(m.Skill.Name) }

// reasons says for each skill why it was found.
func (p *report) reasons(f finding) {
	p.heading("  Why SkillDreamer found them")
	p.paragraph("  ", "task, imagined: cosine with the task and with the imagined skill; anchors: BM25 of the task's key terms; rank: in the list of its capability")
	for _, m := range f.dream.Skills {
		s := m.Scores
		name := fmt.Sprintf("%2d %s %s", m.Rank, check(f.task, m), label(m))
		scores := fmt.Sprintf("task %5.2f  imagined %5.2f  anchors %5.2f  rank %2d", s.Task, s.Imagined, s.Anchors, s.Rank)
		at := lineWidth - 2 - textWidth(scores)
		if textWidth(name) >= at {
			p.line("\n  %s", p.mark(cut(name, lineWidth-2)))
			p.line("  %s%s", strings.Repeat(" ", at), scores)
		} else {
			p.line("\n  %s%s", p.mark(pad(name, at)), scores)
		}
		if p.explain {
			text := fmt.Sprintf("normalised: task %.2f  imagined %.2f  anchors %.2f  total %.2f", s.NormTask, s.NormImagined, s.NormAnchors, s.Total)
			p.line("%s%s", strings.Repeat(" ", lineWidth-textWidth(text)), text)
		}
		p.because(f.dream, m)
	}
}

// because prints the capability and the imagined skill that brought a skill.
func (p *report) because(r *skilldreamer.Result, m skilldreamer.Match) {
	c := capabilityOf(r, m.Capability)
	if c == nil {
		return
	}
	room := lineWidth - len(indentation)
	p.line("%s%s", indentation, cut(fmt.Sprintf("for capability %d: %s", m.Capability+1, clean(c.Text)), room))
	imagined := "no skill was imagined; the capability's own text was used"
	if c.Skill != nil {
		imagined = "imagined as: " + clean(c.Skill.Name)
		if clean(c.Skill.Name) == "" {
			imagined = "imagined as: " + clean(c.Skill.Description)
		}
	}
	p.line("%s%s", indentation, cut(imagined, room))
}

// plainOnly prints the one ranking that there is.
func (p *report) plainOnly(f finding) {
	p.heading("  Plain retrieval, by the task's words (cosine)")
	for _, m := range f.plain.Skills {
		p.line("  %s", p.mark(cut(fmt.Sprintf("%2d %s %5.2f  %s", m.Rank, check(f.task, m), m.Scores.Task, label(m)), lineWidth-2)))
		p.line("%s%s", strings.Repeat(" ", 13), cut(clean(m.Skill.Description), lineWidth-13))
	}
	if len(f.task.Needed) > 0 {
		found, missed := f.task.tally(f.plain)
		p.line("  %d of %d needed skills found", len(found), len(f.task.Needed))
		if len(missed) > 0 {
			p.paragraph("  ", "missing: "+strings.Join(missed, ", "))
		}
	}
}
