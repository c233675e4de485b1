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
		rows = append(rows, cut(fmt.Sprintf("%2d %s %s", m.Rank, check(t, m), p.label(m)), columnWidth))
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

// label is how a skill is shown: its name, and its source where there are
// several.
func (p *report) label(m skilldreamer.Match) string {
	if p.oneSource {
		return clean(m.Skill.Name)
	}
	return clean(m.Skill.Name + " (" + m.Skill.Source + ")")
}

// capabilities lists what the task was found to need, in full.
func (p *report) capabilities(im *skilldreamer.Imagined) {
	p.heading("  What the task needs, and the skill imagined for it")
	for j, c := range im.Capabilities {
		lines := wrap(clean(c.Text), lineWidth-len(indentation))
		for i, l := range lines {
			number := ""
			if i == 0 {
				number = fmt.Sprintf("%4d", j+1)
			}
			p.line("%s%s", pad(number, len(indentation)), l)
		}
		p.line("%s%s", indentation, p.style.faint(cut("imagined: "+imaginedAs(c), lineWidth-len(indentation))))
	}
}

// imaginedAs names the skill that was imagined for a capability.
func imaginedAs(c skilldreamer.Capability) string {
	if c.Skill == nil {
		return "(nothing; the capability's own text stands for it)"
	}
	if name := clean(c.Skill.Name); name != "" {
		return name
	}
	return clean(c.Skill.Description)
}

// reasons says for each skill why it was found.
func (p *report) reasons(f finding) {
	p.heading("  Why SkillDreamer found them")
	p.paragraph("  ", "task, imagined: cosine with the task and with the imagined skill; anchors: BM25 of the task's key terms; rank: place in the list of its capability")
	for _, m := range f.dream.Skills {
		s := m.Scores
		name := fmt.Sprintf("%2d %s %s", m.Rank, check(f.task, m), p.label(m))
		scores := fmt.Sprintf("task %5.2f  imagined %5.2f  anchors %5.2f  rank %2d", s.Task, s.Imagined, s.Anchors, s.Rank)
		at := lineWidth - 2 - textWidth(scores)
		if textWidth(name) >= at {
			p.line("  %s", p.mark(cut(name, lineWidth-2)))
			p.line("  %s%s", strings.Repeat(" ", at), scores)
		} else {
			p.line("  %s%s", p.mark(pad(name, at)), scores)
		}
		if p.explain {
			text := fmt.Sprintf("normalised: task %.2f  imagined %.2f  anchors %.2f  total %.2f", s.NormTask, s.NormImagined, s.NormAnchors, s.Total)
			p.line("%s%s", strings.Repeat(" ", lineWidth-textWidth(text)), text)
		}
		if c := capabilityOf(f.dream, m.Capability); c != nil {
			reason := fmt.Sprintf("for %d, as %s: %s", m.Capability+1, imaginedAs(*c), clean(c.Text))
			p.line("%s%s", indentation, p.style.faint(cut(reason, lineWidth-len(indentation))))
		}
	}
}

// plainOnly prints the one ranking that there is.
func (p *report) plainOnly(f finding) {
	p.heading("  Plain retrieval, by the task's words (cosine)")
	for _, m := range f.plain.Skills {
		p.line("  %s", p.mark(cut(fmt.Sprintf("%2d %s %5.2f  %s", m.Rank, check(f.task, m), m.Scores.Task, p.label(m)), lineWidth-2)))
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
