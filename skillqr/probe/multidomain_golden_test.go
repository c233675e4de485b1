package probe_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skillqr/probe"
)

// figures are what the study came to, as a golden file holds it.
type figures struct {
	// Model is the identity of the model, "" for the built-in one.
	Model      string                 `json:"model,omitempty"`
	Queries    []string               `json:"queries"`
	Retrievers map[string]*retrievals `json:"retrievers"`
}

type retrievals struct {
	// Routes are the skills that the queries got, in their order.
	Routes []string `json:"routes"`
	// Gain of SkillQR with feedback over the query: the mean and its interval.
	Gain [3]float64 `json:"gain"`
	// BestRouted is that of the oracle.
	BestRouted float64 `json:"best_routed"`
	// NDCG by arm and query.
	NDCG map[string][]float64 `json:"ndcg@10"`
}

func (s *study) newFigures(model string) *figures {
	f := &figures{Model: model, Retrievers: map[string]*retrievals{}}
	for _, q := range s.queries {
		f.Queries = append(f.Queries, q.ID)
	}
	return f
}

func (f *figures) add(t *testing.T, name string, r *probe.Report, o *probe.OracleReport) {
	gain, err := metrics.Compare(r.Arm("skillqr, feedback").Values, r.Arms[0].Values, metrics.Resampling{})
	require.NoError(t, err)
	one := &retrievals{Gain: [3]float64{gain.Difference, gain.Low, gain.High}, BestRouted: o.BestRouted, NDCG: map[string][]float64{}}
	for _, q := range o.Queries {
		one.Routes = append(one.Routes, q.Routed)
	}
	for _, a := range r.Arms {
		one.NDCG[a.Name] = a.Values
	}
	one.NDCG["best skill, feedback"] = best(o)
	one.NDCG["best try of generic, feedback"] = luckiest(o)
	f.Retrievers[name] = one
}

// MarshalJSON writes a line for each arm, so that a change shows as a line.
func (r *retrievals) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	routes, err := json.Marshal(r.Routes)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, `{"routes": %s, "gain": [%.4f, %.4f, %.4f], "best_routed": %.4f, "ndcg@10": {`, routes, r.Gain[0], r.Gain[1], r.Gain[2], r.BestRouted)
	for i, arm := range slices.Sorted(maps.Keys(r.NDCG)) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q: [", arm)
		for j, v := range r.NDCG[arm] {
			if j > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%.4f", v)
		}
		b.WriteByte(']')
	}
	b.WriteString("}}")
	return b.Bytes(), nil
}

// mayDiffer is the number of queries of an arm whose value may be another one
// with vectors: where documents are nearly tied, another kernel may order them
// the other way. BM25 is the same everywhere.
const mayDiffer = 3

// golden compares figures with a file, or rewrites it.
func golden(t *testing.T, path string, got *figures) {
	t.Helper()
	if *update {
		data, err := json.Marshal(got)
		require.NoError(t, err)
		for _, s := range []string{`"bm25":`, `"built-in":`, `"built-in, sum":`, `"other":`, `"other, sum":`, `"routes":`, `"gain":`} {
			data = bytes.ReplaceAll(data, []byte(s), []byte("\n"+s))
		}
		data = bytes.ReplaceAll(data, []byte(`],"`), []byte("],\n\""))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, append(data, '\n'), 0o644))
		return
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err, "run with -update to make it")
	var want figures
	require.NoError(t, json.Unmarshal(data, &want))
	if got.Model != want.Model {
		t.Logf("%s is of another model", path)
		return
	}
	require.Equal(t, want.Queries, got.Queries)
	require.ElementsMatch(t, slices.Collect(maps.Keys(want.Retrievers)), slices.Collect(maps.Keys(got.Retrievers)))
	for name, w := range want.Retrievers {
		g := got.Retrievers[name]
		allowed := mayDiffer
		if name == "bm25" {
			allowed = 0
		}
		require.Equal(t, w.Routes, g.Routes)
		require.ElementsMatch(t, slices.Collect(maps.Keys(w.NDCG)), slices.Collect(maps.Keys(g.NDCG)), name)
		for arm, values := range w.NDCG {
			require.Len(t, g.NDCG[arm], len(values))
			differ := 0
			for i, v := range values {
				if math.Abs(v-g.NDCG[arm][i]) > 1e-4 {
					differ++
				}
			}
			require.LessOrEqual(t, differ, allowed, "%s, %s: queries with another value", name, arm)
		}
		for i := range w.Gain {
			require.InDelta(t, w.Gain[i], g.Gain[i], 1e-4+float64(allowed)/float64(len(want.Queries)), "%s: gain", name)
		}
		require.InDelta(t, w.BestRouted, g.BestRouted, 1e-4+0.03*float64(allowed), name)
	}
}
