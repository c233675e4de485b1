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
}

func pairTable(t *testing.T, r *probe.Report) string {
	var b strings.Builder
	b.WriteString("| against | difference (95 %) | p | better, worse |\n|---|---|---|---|\n")
	for _, p := range pairs {
		c, err := metrics.Compare(r.Arm(p[0]).Values, r.Arm(p[1]).Values, metrics.Resampling{})
		require.NoError(t, err)
		fmt.Fprintf(&b, "| %s against %s | %+.3f (%+.3f to %+.3f) | %.4f | %d, %d |\n", p[0], p[1], c.Difference, c.Low, c.High, c.P, c.Wins, c.Losses)
	}
	return b.String()
}

// kinds are the skills made for each domain.
var kinds = map[string][]string{
	"theorems": {"Theorems and formal concepts"},
	"pony":     {"Pony language concepts", "Pony library reference"},
	"medline":  {"Medical research abstracts"},
	"skills":   {"Agent skill procedures"},
}

// routing prints which skills the queries of each domain got, by the model and
// by the prior alone. The model, which saw the domains in the ids of the
// queries, chose one of the right kind for all.
func (s *study) routing(t *testing.T) {
	for _, c := range []struct {
		name string
		r    skillqr.Routing
	}{{"model", skillqr.Routing{}}, {"prior alone", skillqr.Routing{Prior: s.prior, PriorOnly: true}}} {
		counts := map[string]map[string]int{}
		for _, q := range s.queries {
			route, _, err := s.rewriter(t, false, skillqr.Options{Routing: c.r}).Route(llm.WithLabel(t.Context(), q.ID), q.Text)
			require.NoError(t, err)
			d := s.domain[q.ID]
			if counts[d] == nil {
				counts[d] = map[string]int{}
			}
			counts[d][route.Skill]++
			if !c.r.PriorOnly {
				require.Contains(t, kinds[d], route.Skill, q.ID)
			}
		}
		for _, d := range domains {
			t.Logf("%s, %s: %v", c.name, d, counts[d])
		}
	}
}
