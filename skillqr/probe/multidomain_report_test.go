package probe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/skillqr/probe"
)

func best(o *probe.OracleReport) []float64 {
	var out []float64
	for _, q := range o.Queries {
		out = append(out, slices.Max(q.Values))
	}
	return out
}

// luckiest is the highest value of as many tries with the generic instruction.
func luckiest(o *probe.OracleReport) []float64 {
	var out []float64
	for _, q := range o.Queries {
		out = append(out, max(q.Values[len(q.Values)-1], slices.Max(q.Tries)))
	}
	return out
}

func (s *study) byDomain(values []float64) map[string]float64 {
	out := map[string]float64{}
	for i, v := range values {
		out[s.domain[s.queries[i].ID]] += v / perDomain
		out["all"] += v / float64(len(values))
	}
	return out
}

func (s *study) table(name string, r *probe.Report, o *probe.OracleReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s, %s | all |", name, r.Measure)
	for _, d := range domains {
		fmt.Fprintf(&b, " %s |", d)
	}
	b.WriteString(" gain over the original query (95 %) | p, corrected | better, worse | fell back |\n|---|---:|---:|---:|---:|---:|---|---|---|---|\n")
	row := func(name string, values []float64) {
		means := s.byDomain(values)
		fmt.Fprintf(&b, "| %s | %.3f |", name, means["all"])
		for _, d := range domains {
			fmt.Fprintf(&b, " %.3f |", means[d])
		}
	}
	for _, a := range r.Arms {
		row(a.Name, a.Values)
		if c := a.AgainstRaw; c != nil {
			fmt.Fprintf(&b, " %+.3f (%+.3f to %+.3f) | %.4f, %.4f | %d, %d | %d |\n", c.Difference, c.Low, c.High, c.P, c.MaxT, c.Wins, c.Losses, a.Fell)
		} else {
			b.WriteString(" | | | |\n")
		}
	}
	row("best skill, feedback", best(o))
	b.WriteString(" | | | |\n")
	row(fmt.Sprintf("best of %d tries of generic, feedback", o.Tries), luckiest(o))
	fmt.Fprintf(&b, " | | | |\n\nchosen against generic: %+.3f (%+.3f to %+.3f), p %.4f; best against chosen: %+.3f (%+.3f to %+.3f); ",
		o.RoutedGain.Difference, o.RoutedGain.Low, o.RoutedGain.High, o.RoutedGain.P, o.Gap.Difference, o.Gap.Low, o.Gap.High)
	fmt.Fprintf(&b, "%d of %d queries are sensitive to the choice, of which %.0f %% got a best skill\n", len(o.Sensitive), len(o.Queries), 100*o.BestRouted)
	return b.String()
}

// pairs are arms whose difference is of interest by itself.
var pairs = [][2]string{
	{"skillqr", "generic"}, {"skillqr, feedback", "generic, feedback"}, {"skillqr", "by hand"}, {"skillqr, feedback", "by hand, feedback"},
	{"generic, feedback", "generic"}, {"by hand, feedback", "by hand"}, {"skillqr, feedback", "skillqr"},
	{"expansion alone", "skillqr, feedback"}, {"query x3", "skillqr, feedback"}, {"fused with raw, scores", "skillqr, feedback"},
	{"two skills", "skillqr, feedback"}, {"prior alone", "skillqr, feedback"},
	{"three orders", "skillqr, feedback"}, {"examples", "skillqr, feedback"}, {"expansion alone", "generic, feedback"},
}

func pairTable(t *testing.T, r *probe.Report, o *probe.OracleReport) string {
	var b strings.Builder
	line := func(name string, c metrics.Comparison) {
		fmt.Fprintf(&b, "| %s | %+.3f (%+.3f to %+.3f) | %.4f | %d, %d |\n", name, c.Difference, c.Low, c.High, c.P, c.Wins, c.Losses)
	}
	b.WriteString("| against | difference (95 %) | p | better, worse |\n|---|---|---|---|\n")
	for _, p := range pairs {
		c, err := metrics.Compare(r.Arm(p[0]).Values, r.Arm(p[1]).Values, metrics.Resampling{})
		require.NoError(t, err)
		line(p[0]+" against "+p[1], c)
	}
	line("best skill against best try of generic", *o.BestOverLuck)
	return b.String()
}

// kinds are the skills made for each domain.
var kinds = map[string][]string{
	"theorems": {"Theorems, laws and formulas"},
	"pony":     {"Pony language and libraries"},
	"medline":  {"Clinical study findings", "Laboratory and animal experiments"},
	"skills":   {"Agent skill how-to guides"},
}

// routing prints which skills the queries of each domain got, and how many of
// the choices are those of the model when it is asked once.
func (s *study) routing(t *testing.T) {
	var once []string
	for _, c := range []struct {
		name string
		r    skillqr.Routing
		all  bool // choices are all of the right kind and those of the first
	}{
		{"model", skillqr.Routing{}, true},
		{"model, three orders", skillqr.Routing{Votes: 3}, true},
		{"model, with examples", skillqr.Routing{Examples: s.examples}, true},
		{"model and prior", skillqr.Routing{Prior: s.prior}, false},
		{"prior alone", skillqr.Routing{Prior: s.prior, PriorOnly: true}, false},
	} {
		counts := map[string]map[string]int{}
		right, same := 0, 0
		for i, q := range s.queries {
			route, _, err := s.rewriter(t, false, skillqr.Options{Routing: c.r}).Route(llm.WithLabel(t.Context(), q.ID), q.Text)
			require.NoError(t, err)
			d := s.domain[q.ID]
			if counts[d] == nil {
				counts[d] = map[string]int{}
			}
			counts[d][route.Skill]++
			if slices.Contains(kinds[d], route.Skill) {
				right++
			}
			if len(once) < len(s.queries) {
				once = append(once, route.Skill)
			}
			if once[i] == route.Skill {
				same++
			}
		}
		for _, d := range domains {
			t.Logf("%s, %s: %v", c.name, d, counts[d])
		}
		t.Logf("%s: %d of %d of the right kind, %d as the model asked once", c.name, right, len(s.queries), same)
		if c.all {
			require.Equal(t, [2]int{80, 80}, [2]int{right, same}, c.name)
		}
	}
}
