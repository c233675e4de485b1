package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/prospect-go/prospect/metrics"
)

// document is what -json writes. Other programs read it: fields are added, not
// renamed. README.md describes it.
type document struct {
	Settings settings                                 `json:"settings"`
	Systems  []systemRecord                           `json:"systems"`
	PerQuery map[string]map[string]map[string]float64 `json:"per_query,omitempty"` // by system, query, measure
	Outcomes *outcomesRecord                          `json:"outcomes,omitempty"`
}

// A systemRecord is one system. Metrics are means over the queries.
type systemRecord struct {
	Name        string                  `json:"name"`
	Metrics     map[string]float64      `json:"metrics"`
	Intervals   map[string][2]float64   `json:"intervals"`
	Differences map[string]versusRecord `json:"differences,omitempty"` // to the baseline
	Counts      systemCounts            `json:"counts"`
	ByRelevant  []needRecord            `json:"by_relevant"`
	Latency     *latencyRecord          `json:"latency,omitempty"`
	Settings    map[string]any          `json:"settings"`
}

type differenceRecord struct {
	Mean   float64 `json:"mean"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	P      float64 `json:"p"`
	Holm   float64 `json:"p_holm"`
	Exact  bool    `json:"exact"` // the randomisation test went through all sign flips
	Wins   int     `json:"wins"`
	Losses int     `json:"losses"`
	Ties   int     `json:"ties"`
}

type versusRecord struct {
	differenceRecord
	MaxT float64 `json:"p_max_t"`
}

type systemCounts struct {
	Queries    int `json:"queries"`
	Unanswered int `json:"unanswered"`
	Fallbacks  int `json:"fallbacks"` // queries for which nothing was imagined
}

type needRecord struct {
	Relevant string             `json:"relevant"`
	Queries  int                `json:"queries"`
	Metrics  map[string]float64 `json:"metrics"`
}

// newDocument holds all that a study found.
func newDocument(s *study) document {
	d := document{Settings: s.settings(), Systems: []systemRecord{}, PerQuery: map[string]map[string]map[string]float64{}}
	for _, r := range s.results {
		d.Systems = append(d.Systems, r.record())
		byQuery := map[string]map[string]float64{}
		for _, q := range r.eval.Queries {
			byQuery[q.Query] = byName(r.eval.Measures, q.Values)
		}
		d.PerQuery[r.plan.name] = byQuery
	}
	return d
}

func (r *result) record() systemRecord {
	names := r.eval.Measures
	rec := systemRecord{
		Name: r.plan.name, Metrics: byName(names, r.eval.Means), Intervals: map[string][2]float64{},
		Counts:   systemCounts{Queries: len(r.eval.Queries), Unanswered: len(r.eval.Unanswered), Fallbacks: r.fallbacks()},
		Settings: r.plan.describe(), Latency: r.latency.record(),
	}
	for i, name := range names {
		rec.Intervals[name] = [2]float64{finite(r.intervals[i].Low), finite(r.intervals[i].High)}
		if r.versus != nil {
			if rec.Differences == nil {
				rec.Differences = map[string]versusRecord{}
			}
			rec.Differences[name] = versusRecord{newDifference(r.versus[i].Comparison, r.versus[i].Holm), finite(r.versus[i].MaxT)}
		}
	}
	for _, g := range r.byNeed {
		rec.ByRelevant = append(rec.ByRelevant, needRecord{g.label, g.queries, byName(names, g.means)})
	}
	return rec
}

func newDifference(c metrics.Comparison, holm float64) differenceRecord {
	return differenceRecord{
		Mean: finite(c.Difference), Low: finite(c.Low), High: finite(c.High), P: finite(c.P), Holm: finite(holm),
		Exact: c.Exact, Wins: c.Wins, Losses: c.Losses, Ties: c.Ties,
	}
}

func (r *result) fallbacks() (n int) {
	for _, a := range r.answers {
		if a.fallback {
			n++
		}
	}
	return n
}

// describe is the plan as settings.
func (p plan) describe() map[string]any {
	set := map[string]any{"kind": string(p.kind)}
	if p.needsVectors() {
		set["dense_recipe"] = p.dense.Identity()
	}
	if p.kind != dense {
		set["lexical_recipe"] = p.lexical.Identity()
	}
	switch p.kind {
	case hybridRRF:
		set["fused"], set["weight"], set["constant"] = p.fused, p.weight, p.constant
	case hybridWeighted:
		set["fused"], set["weight"], set["norm"] = p.fused, p.weight, p.norm
	case dreaming:
		p.describeDreaming(set)
	case lexicalDreams:
		set["thought"] = string(p.thought)
	case rewriting:
		set["rewriter"], set["by"] = string(p.rewriter), string(p.by)
		set["feedback"], set["original"], set["raw"], set["votes"] = p.feedback, p.original, p.raw, p.votes
	}
	return set
}

func (p plan) describeDreaming(set map[string]any) {
	o := p.options
	set["alpha"], set["beta"], set["gamma"], set["delta"] = o.Weights.Task, o.Weights.Imagined, o.Weights.Anchors, o.Weights.Words
	set["k"], set["kc"], set["kr"] = o.K, o.Candidates, o.Keep
	set["norm"], set["thought"], set["merge"] = p.norm, string(p.thought), string(p.merge)
}

func byName(names []string, values []float64) map[string]float64 {
	m := make(map[string]float64, len(names))
	for i, name := range names {
		m[name] = finite(values[i])
	}
	return m
}

// finite keeps what JSON cannot say out of it; figures are finite but for a
// fault.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		panic(fmt.Sprintf("a figure is %v", x))
	}
	return x
}

func (d document) write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(d)
}
