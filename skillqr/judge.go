package skillqr

import (
	"context"
	"errors"
	"slices"
)

// maxMissingLen bounds, in code points, what the judge says is missing.
const maxMissingLen = 200

// judge asks which skills cover the clusters whose verdict does not stand, and
// returns how many it asked about.
func (m *mining) judge(ctx context.Context) (asked int, err error) {
	digests, names := make([]string, len(m.skills)), make([]string, len(m.skills))
	for i, s := range m.skills {
		digests[i], names[i] = s.digest(), s.Name
	}
	open := m.positions(func(i int) bool {
		v := &m.verdicts[i]
		v.by = slices.DeleteFunc(slices.Clone(v.by), func(d string) bool { return !slices.Contains(digests, d) })
		return !v.judged || len(v.by) == 0 && !v.left
	})
	if len(m.skills) == 0 {
		for _, i := range open {
			m.verdicts[i] = verdict{missing: m.verdicts[i].missing}
		}
		return 0, nil
	}
	return len(open), m.each(ctx, StepJudge, open, func(ctx context.Context, i int) error {
		// What was claimed stands where the judge cannot be had.
		m.verdicts[i] = verdict{by: m.claims[i], missing: m.verdicts[i].missing}
		docs, err := m.show(ctx, StepJudge, i, m.sampled(i))
		if err != nil {
			return err
		}
		if len(docs) == 0 {
			m.say(StepJudge, i, NotJudged, "not judged: none of its documents has a text")
			return nil
		}
		p := prompting{StepJudge, i, m.o.Judge, m.prompts.judge, JudgeData{docs, m.skills}, judgeSchema}
		a, err := propose(ctx, m, p, func(a *judgeAnswer) error { return a.resolve(names) })
		if f, ok := errors.AsType[*fallback](err); ok {
			m.say(StepJudge, i, NotJudged, "not judged, what the proposer claims stands: "+f.Error())
			return nil
		}
		if err != nil {
			return err
		}
		v := verdict{judged: true}
		for _, at := range a.by {
			v.by = append(v.by, digests[at])
		}
		if len(v.by) == 0 {
			v.missing = m.cut(StepJudge, i, "missing", oneLine(string(a.Missing)), maxMissingLen)
			if a.broaden >= 0 {
				v.broaden = digests[a.broaden]
			}
		}
		m.verdicts[i] = v
		return nil
	})
}

// sampled are the documents of a cluster that the judge sees.
func (m *mining) sampled(i int) []string {
	return m.before(i, m.clusters.Sample(i, m.clusters.Size(i), m.o.Seed), m.o.Sampled)
}

// before gives the first n of these documents of a cluster, but puts those first
// for whose sake it is asked about: half of the n, or more where there are no
// others.
func (m *mining) before(i int, ids []string, n int) []string {
	came := make(map[string]bool, len(m.first[i]))
	for _, doc := range m.first[i] {
		came[m.clusters.ids[doc]] = true
	}
	out := m.clusters.sample(m.first[i], (n+1)/2, m.o.Seed)
	for _, others := range []bool{true, false} {
		for _, id := range ids {
			if len(out) < n && came[id] != others && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}
