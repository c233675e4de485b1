package main

import (
	"runtime"
	"runtime/debug"

	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/metrics"
)

// settings are all that determines the figures.
type settings struct {
	Program    string            `json:"program"`
	Build      buildRecord       `json:"build"`
	Data       *dataRecord       `json:"data,omitempty"`
	SkillText  string            `json:"skill_text,omitempty"`
	Embedder   *embedderRecord   `json:"embedder,omitempty"`
	BM25       *bm25Record       `json:"bm25,omitempty"`
	Imagined   *imaginedRecord   `json:"imagined,omitempty"`
	Rewriting  *rewritingRecord  `json:"rewriting,omitempty"`
	K          []int             `json:"k,omitempty"`
	Depth      int               `json:"depth,omitempty"`
	Baseline   string            `json:"baseline,omitempty"`
	Statistics *statisticsRecord `json:"statistics,omitempty"`
	Outcomes   *inputFile        `json:"outcomes,omitempty"`
}

type buildRecord struct {
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Revision string `json:"revision,omitempty"` // of the checkout, with "+" where it had changes
}

type dataRecord struct {
	Name   string      `json:"name"`
	Qrels  string      `json:"qrels"`
	Strict bool        `json:"strict"`
	Counts counts      `json:"counts"`
	Files  []inputFile `json:"files"`
}

type embedderRecord struct {
	Name      string `json:"name"`
	Identity  string `json:"identity"`
	Dimension int    `json:"dimension"`
}

type bm25Record struct {
	Variant  string  `json:"variant"`
	K1       float64 `json:"k1"`
	B        float64 `json:"b"`
	Analyzer string  `json:"analyzer"`
}

type imaginedRecord struct {
	Source       string   `json:"source"` // "recorded" or "model"
	Model        string   `json:"model,omitempty"`
	Queries      int      `json:"queries"`
	Capabilities int      `json:"capabilities"`
	Missing      []string `json:"missing"` // queries without: systems fell back to what they do without
}

// A rewritingRecord says by what queries are rewritten.
type rewritingRecord struct {
	Model       string `json:"model"`
	Set         string `json:"set,omitempty"` // hash of the names, whens and instructions
	Skills      int    `json:"skills,omitempty"`
	Mined       bool   `json:"mined,omitempty"`        // by this run
	HandWritten string `json:"hand_written,omitempty"` // hash of the instruction
}

type statisticsRecord struct {
	Confidence float64 `json:"confidence"`
	Resamples  int     `json:"resamples"`
	Seed       uint64  `json:"seed"`
	Compared   int     `json:"compared"` // systems against the baseline, for which p-values are corrected
}

func (s *study) settings() settings {
	set := baseSettings()
	set.Data = &dataRecord{s.coll.name, s.opts.qrels, s.opts.strict, s.coll.counts, s.coll.files}
	set.SkillText = s.opts.skillText
	if set.SkillText == "" {
		set.SkillText = "default"
	}
	if s.embedder != nil {
		set.Embedder = &embedderRecord{embedderName(s.opts.embedder), s.embedder.Identity(), s.embedder.Dim()}
	}
	if words, err := bm25.Standard(bm25.StandardOptions{}); err == nil { // the defaults of bm25.Options
		set.BM25 = &bm25Record{string(bm25.Lucene), 1.2, 0.75, words.Identity()}
	}
	if s.im.source != "" {
		set.Imagined = &imaginedRecord{Source: s.im.source, Model: s.im.model, Missing: s.im.missing(s.coll.queries)}
		for _, q := range s.coll.queries {
			if s.im.has(q.ID) {
				set.Imagined.Queries++
				set.Imagined.Capabilities += len(s.im.byQuery[q.ID].Capabilities)
			}
		}
	}
	set.Rewriting = s.rewriting
	set.K, set.Depth = s.opts.ks, depthOf(s.opts.ks)
	set.Statistics = s.opts.statistics()
	if b := s.base(); b != nil {
		set.Baseline, set.Statistics.Compared = b.plan.name, len(s.results)-1
	}
	return set
}

// confidence of all intervals.
const confidence = 0.95

func (o options) resampling() metrics.Resampling {
	return metrics.Resampling{Confidence: confidence, Resamples: o.resamples, Seed: o.seed}
}

func (o options) statistics() *statisticsRecord {
	return &statisticsRecord{Confidence: confidence, Resamples: o.resamples, Seed: o.seed}
}

func baseSettings() settings {
	set := settings{Program: "evaluate", Build: buildRecord{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}}
	if info, ok := debug.ReadBuildInfo(); ok {
		changed := ""
		for _, kv := range info.Settings {
			switch {
			case kv.Key == "vcs.revision":
				set.Build.Revision = kv.Value
			case kv.Key == "vcs.modified" && kv.Value == "true":
				changed = "+"
			}
		}
		if set.Build.Revision != "" {
			set.Build.Revision += changed
		}
	}
	return set
}
