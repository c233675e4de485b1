package skillqr

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxSaid is how many of the things that are missing in clusters with one
// label a prompt repeats.
const maxSaid = 3

// revise asks the proposer to change the skills so that they cover what they
// do not, and says whether it did.
func (m *mining) revise(ctx context.Context) (changed bool, err error) {
	gaps := m.gaps()
	if len(gaps) == 0 {
		return false, nil
	}
	data := ReviseData{MaxSkills: m.o.MaxSkills}
	for _, g := range gaps {
		data.Gaps = append(data.Gaps, g.Gap)
	}
	for _, s := range m.skills {
		data.Skills = append(data.Skills, JudgedSkill{s, m.documents(m.coverage(s)), s.Edited()})
		data.Fixed = data.Fixed || s.Edited()
	}
	m.tell(StepRevise, 0, 1)
	p := prompting{StepRevise, -1, m.o.Proposer, m.prompts.revise, data, reviseSchema}
	a, err := propose(ctx, m, p, func(a *skillsAnswer) error { return a.check(m.skills) })
	if f, ok := errors.AsType[*fallback](err); ok {
		m.unfinished = true
		m.say(StepRevise, -1, NotRevised, "the skills stay as they are: "+f.Error())
		return false, nil
	}
	if err != nil {
		return false, err
	}
	m.unfinished = false
	m.tell(StepRevise, 1, 1)
	changed = m.take(StepRevise, a.Skills, func(w wireSkill, old Skill) []int {
		covers := m.coverage(old)
		for _, g := range numbersOf(w.Gaps, len(gaps)) {
			covers = append(covers, gaps[g].positions...)
		}
		return covers
	})
	return changed, nil
}

// A gap is a Gap with its clusters, by position.
type gap struct {
	Gap
	positions []int
}

// gaps are the clusters that no skill covers, grouped by what the judge advises
// and by label, or by what is missing where there is no label. Those of which
// nothing is known are left out.
func (m *mining) gaps() []gap {
	advice := func(i int) int {
		return 1 + slices.IndexFunc(m.skills, func(s Skill) bool { return s.digest() == m.verdicts[i].broaden })
	}
	groups := m.grouped(m.gaping(), func(i int) string {
		switch label := m.notes[i].Label(); {
		case !m.isKnown(i):
			return ""
		case label == "":
			return fmt.Sprintf("%d missing: %s", advice(i), m.verdicts[i].missing)
		default:
			return fmt.Sprintf("%d label: %s", advice(i), label)
		}
	})
	out := make([]gap, 0, len(groups))
	for _, g := range groups {
		first := g.positions[0]
		out = append(out, gap{Gap{
			Label: m.notes[first].Label(), Documents: m.documents(g.positions), Missing: m.missing(g.positions),
			Broaden: advice(first), Terms: g.terms(m, len(groups)),
		}, g.positions})
	}
	return out
}

// isKnown says whether there is anything to tell the proposer about a cluster.
func (m *mining) isKnown(i int) bool {
	return m.notes[i].Label() != "" || m.verdicts[i].missing != ""
}

// missing is what the judge says is missing in clusters, the first few.
func (m *mining) missing(positions []int) string {
	var out []string
	for _, i := range positions {
		text := m.verdicts[i].missing
		if text == "" || slices.ContainsFunc(out, func(o string) bool { return fold(o) == fold(text) }) {
			continue
		}
		if out = append(out, text); len(out) == maxSaid {
			break
		}
	}
	return strings.Join(out, "; ")
}
