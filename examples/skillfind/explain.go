package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prospect-go/prospect/skilldreamer"
)

// trace prints how a result came about.
func (p *report) trace(f finding) {
	r := f.dream
	if r == nil {
		r = f.plain
	}
	if im := r.Imagined; im != nil {
		p.calls(im)
		p.imagined(im)
	}
	p.lists(r)
	t := r.Trace
	p.heading("  Cost")
	p.line("    thinking %s, embedding %s, nearest %s, scoring %s", span(t.Imagine), span(t.Embed), span(t.Nearest), span(t.Score))
	p.line("    model: %s in, %s out, %s", count(t.Usage.InputTokens, "token"), count(t.Usage.OutputTokens, "token"), count(calls(r), "call"))
	p.line("    searched %s, embedded %s", count(t.Searched, "skill"), count(len(t.Texts), "text"))
}

func calls(r *skilldreamer.Result) int {
	if r.Imagined == nil {
		return 0
	}
	return len(r.Imagined.Calls)
}

// calls prints what the model was asked and what it answered.
func (p *report) calls(im *skilldreamer.Imagined) {
	system := ""
	for i, c := range im.Calls {
		title := fmt.Sprintf("  Call %d: %s", i+1, c.Stage)
		if c.Capability >= 0 {
			title += fmt.Sprintf(", capability %d", c.Capability+1)
		}
		if c.Attempt > 1 {
			title += fmt.Sprintf(", attempt %d", c.Attempt)
		}
		p.heading(title)
		if c.System != system {
			system = c.System
			p.quote("system", c.System)
		}
		p.quote("prompt", c.Prompt)
		p.quote("answer", c.Answer)
		if c.Error != "" {
			p.quote("error", c.Error)
		}
		cut := ""
		if c.Truncated {
			cut = ", cut off by the limit"
		}
		p.line("    %s, %s in, %s out%s", span(c.Duration), count(c.Usage.InputTokens, "token"), count(c.Usage.OutputTokens, "token"), cut)
	}
}

// quote prints a text of several lines behind a bar.
func (p *report) quote(what, text string) {
	p.line("    %s", p.style.faint(what))
	for _, l := range cleanLines(text) {
		parts := []string{""}
		if textWidth(l) > lineWidth-6 {
			parts = wrap(l, lineWidth-6)
		} else {
			parts[0] = l
		}
		for _, part := range parts {
			p.line("    │ %s", part)
		}
	}
}

// imagined prints capabilities, imagined skills and anchors.
func (p *report) imagined(im *skilldreamer.Imagined) {
	for j, c := range im.Capabilities {
		p.heading(fmt.Sprintf("  Capability %d", j+1))
		if c.Evidence != "" {
			p.paragraph("    ", "evidence: "+string(c.Evidence))
		}
		if c.Skill == nil {
			p.line("    no skill was imagined for it")
			continue
		}
		p.quote("imagined skill", c.Skill.Name+"\n"+c.Skill.Description+"\n\n"+c.Skill.Body)
	}
	if len(im.Anchors) > 0 {
		p.heading("  Anchors")
		p.paragraph("    ", strings.Join(im.Anchors, ", "))
	}
}

// lists prints every capability's candidates and what became of each.
func (p *report) lists(r *skilldreamer.Result) {
	for _, l := range r.Trace.Lists {
		title := fmt.Sprintf("  Candidates for capability %d", l.Capability+1)
		if l.Capability < 0 {
			title = "  Candidates by the task's words"
		}
		p.heading(fmt.Sprintf("%s: %d of %d skills", title, len(l.Candidates)+len(l.Abstained), r.Trace.Searched))
		p.line("    %-37s %6s %6s %6s %6s  %s", "rank, skill", "task", "imag.", "anch.", "total", "what became of it")
		for i, c := range l.Candidates {
			p.candidate(c, fmt.Sprintf("%2d", c.Rank), fate(r, l, i))
		}
		for _, c := range l.Abstained {
			p.candidate(c, "  ", "dropped: below the thresholds")
		}
	}
}

func (p *report) candidate(c skilldreamer.Scored, rank, fate string) {
	id := c.ID
	if _, after, ok := strings.Cut(id, ":"); ok && p.oneSource {
		id = after
	}
	p.line("    %s %6.2f %6.2f %6.2f %6.2f  %s", pad(cut(rank+" "+clean(id), 37), 37), c.Task, c.Imagined, c.Anchors, c.Total, fate)
}

// fate says what became of candidate i of a list.
func fate(r *skilldreamer.Result, l skilldreamer.List, i int) string {
	id := l.Candidates[i].ID
	at := slices.IndexFunc(r.Skills, func(m skilldreamer.Match) bool { return m.ID == id })
	switch {
	case at >= 0 && r.Skills[at].Capability == l.Capability:
		return fmt.Sprintf("result %d", at+1)
	case at >= 0:
		return fmt.Sprintf("result %d, by capability %d", at+1, r.Skills[at].Capability+1)
	case i >= l.Kept:
		return "dropped: not among those kept"
	}
	return "not reached"
}
