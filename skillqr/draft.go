package skillqr

import (
	"context"
	"errors"
	"slices"
)

// draft asks the proposer for the first skills, by the labels.
func (m *mining) draft(ctx context.Context) error {
	if m.ended() {
		return m.hopeless("the clusters could not be labelled")
	}
	groups := m.groups()
	if len(groups) == 0 {
		if m.failures() != nil {
			return m.hopeless("no cluster could be labelled")
		}
		if len(m.notes) > 0 {
			m.unfinished = true
			m.say(StepDraft, -1, NotDrafted, "there are no labels to draft skills from")
		}
		return nil
	}
	data := DraftData{Generic: m.o.Generic, MaxSkills: m.o.MaxSkills}
	for _, g := range groups {
		data.Groups = append(data.Groups, Group{g.label, m.documents(g.positions), g.terms(m, len(groups))})
	}
	m.tell(StepDraft, 0, 1)
	p := prompting{StepDraft, -1, m.o.Proposer, m.prompts.draft, data, draftSchema}
	a, err := propose(ctx, m, p, func(a *skillsAnswer) error { return a.check(nil) })
	if f, ok := errors.AsType[*fallback](err); ok && !f.model {
		m.unfinished = true
		m.say(StepDraft, -1, NotDrafted, "no skills: "+f.Error())
		err = nil
	} else if ok {
		return m.hopeless("no skills could be drafted")
	}
	if err != nil {
		return err
	}
	m.tell(StepDraft, 1, 1)
	m.take(StepDraft, a.Skills, func(w wireSkill, _ Skill) []int {
		var covers []int
		for _, g := range numbersOf(w.Groups, len(groups)) {
			covers = append(covers, groups[g].positions...)
		}
		return covers
	})
	return nil
}

// termsInPrompt is how many terms all groups of a prompt together may show, so
// that hundreds of groups fit where a few are described well.
const termsInPrompt = 240

// A labelled is the clusters, by position, with one label.
type labelled struct {
	label     string
	positions []int
}

// groups returns the labels, those of most documents first.
func (m *mining) groups() []labelled {
	return m.grouped(m.positions(func(int) bool { return true }), func(i int) string { return m.notes[i].Label() })
}

// grouped groups clusters by a text, but for case; those with none are left
// out. Groups of most documents come first.
func (m *mining) grouped(positions []int, by func(i int) string) []labelled {
	var out []labelled
	at := make(map[string]int)
	for _, i := range positions {
		label := by(i)
		if label == "" {
			continue
		}
		j, ok := at[fold(label)]
		if !ok {
			j = len(out)
			at[fold(label)] = j
			out = append(out, labelled{label: label})
		}
		out[j].positions = append(out[j].positions, i)
	}
	slices.SortStableFunc(out, func(a, b labelled) int { return m.documents(b.positions) - m.documents(a.positions) })
	return out
}

// terms are those of the group, in a prompt of so many groups: the first of
// each of its clusters, then the second.
func (l labelled) terms(m *mining, groups int) []string {
	var out []string
	limit := min(max(termsInPrompt/groups, 1), maxTerms)
	for rank := range maxTerms {
		for _, i := range l.positions {
			own := m.notes[i].Terms
			if rank >= len(own) || slices.ContainsFunc(out, func(t string) bool { return fold(t) == fold(own[rank]) }) {
				continue
			}
			if out = append(out, own[rank]); len(out) == limit {
				return out
			}
		}
	}
	return out
}
