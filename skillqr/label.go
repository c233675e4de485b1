package skillqr

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Bounds on the parts of a label, in code points, and on the number of terms.
const (
	maxLabelLen = 80
	maxTermLen  = 40
	maxTerms    = 8
)

// label asks the proposer what each of these clusters holds.
func (m *mining) label(ctx context.Context, positions []int) error {
	return m.each(ctx, StepLabel, positions, func(ctx context.Context, i int) error {
		docs, err := m.show(ctx, StepLabel, i, m.before(i, m.clusters.Nearest(i, m.clusters.Size(i)), m.o.Nearest))
		if err != nil {
			return err
		}
		if len(docs) == 0 {
			m.say(StepLabel, i, NotLabelled, "none of its documents has a text")
			return nil
		}
		p := prompting{StepLabel, i, m.o.Proposer, m.prompts.label, LabelData{docs}, labelSchema}
		a, err := propose(ctx, m, p, (*labelAnswer).check)
		if f, ok := errors.AsType[*fallback](err); ok {
			what := "no label: "
			if m.notes[i].Label() != "" {
				what = "no new label, the old one stays: "
			}
			m.say(StepLabel, i, NotLabelled, what+f.Error())
			return nil
		}
		if err != nil {
			return err
		}
		note := &m.notes[i]
		note.Domain = m.cut(StepLabel, i, "domain", oneLine(string(a.Domain)), maxLabelLen)
		note.Kind = m.cut(StepLabel, i, "content", oneLine(string(a.Content)), maxLabelLen)
		note.Terms = m.terms(i, a.Terms)
		return nil
	})
}

// terms tidies the terms of a label; one text may hold several.
func (m *mining) terms(i int, wire []string) []string {
	var out []string
	seen := make(map[string]bool)
	dropped := 0
	if len(wire) == 1 {
		wire = strings.FieldsFunc(wire[0], func(r rune) bool { return r == ',' || r == ';' || r == '\n' })
	}
	for _, t := range wire {
		t = oneLine(tidyProse(t))
		if t == "" || seen[fold(t)] {
			continue
		}
		if len(out) == maxTerms {
			dropped++
			continue
		}
		seen[fold(t)] = true
		out = append(out, head(t, maxTermLen))
	}
	if dropped > 0 {
		m.say(StepLabel, i, Trimmed, fmt.Sprintf("terms beyond %d dropped: %d", maxTerms, dropped))
	}
	return out
}
