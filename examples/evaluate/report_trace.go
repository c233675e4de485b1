package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/prospect-go/prospect/skilldreamer"
	"github.com/prospect-go/prospect/skillqr"
)

// A trace tells how a query was won or lost.
type trace struct {
	ID, Text         string
	Delta            string
	Lost             bool
	Before, After    string // values of the measure
	Gold             []goldRow
	Found, BaseFound foundRows
	Capabilities     []capabilityTrace
	ByWords          bool // capabilities are scored by their words, too
	Rewrite          *rewriteTrace
	Anchors          string
	Notes            []string
	System, Base     string
	Weights          string
	Depth            int
}

// A rewriteTrace is what became of a query.
type rewriteTrace struct {
	Skill, Genre, Knowledge string
	Reasoning               string
	Expansion               string
	Feedback                foundRows
}

// A goldRow is a document that the query needs and where it stood.
type goldRow struct {
	ID, Name      string
	Before, After string
	Why           string
}

// foundRows are documents in the order in which they were found.
type foundRows []foundRow

// ByCapability says that it is known what brought some of them.
func (rows foundRows) ByCapability() bool {
	return slices.ContainsFunc(rows, func(r foundRow) bool { return r.From != "" })
}

type foundRow struct {
	Rank     int
	ID, Name string
	Gold     bool
	From     string // the capability that brought it
}

// A capabilityTrace is one capability with its candidates.
type capabilityTrace struct {
	Number            int
	Text              string
	Name, Description string
	Body              string
	Candidates        []candidateRow
	More              int
}

type candidateRow struct {
	Rank                    int
	ID, Name                string
	Gold                    bool
	Task, Imagined, Anchors string
	Words                   string
	Total                   string
}

// trace gathers what is known about one query.
func (s *study) trace(query string, before, after float64, r, b *result) trace {
	t := trace{ID: query, System: r.plan.name, Base: b.plan.name, Depth: depthOf(s.opts.ks), Delta: signed(after - before), Lost: after < before, Before: figure(before), After: figure(after)}
	for _, q := range s.coll.queries {
		if q.ID == query {
			t.Text = short(q.Text, 4000)
		}
	}
	mine, theirs := r.answers[query], b.answers[query]
	t.Found, t.BaseFound = s.found(query, mine), s.found(query, theirs)
	gold := s.goldOf(query)
	for _, id := range gold {
		t.Gold = append(t.Gold, goldRow{id, s.name(id), place(theirs.ids, id), place(mine.ids, id), why(mine, id)})
	}
	if res := mine.dream; res != nil && !res.Plain {
		t.Capabilities = s.capabilities(res, gold)
		t.Anchors = strings.Join(res.Imagined.Anchors, " · ")
		w := r.plan.options.Weights
		t.Weights = fmt.Sprintf("α %s, β %s, γ %s", plainNumber(w.Task), plainNumber(w.Imagined), plainNumber(w.Anchors))
		if t.ByWords = w.Words > 0; t.ByWords {
			t.Weights += ", δ " + plainNumber(w.Words)
		}
		for _, n := range res.Notes {
			t.Notes = append(t.Notes, n.Text)
		}
	}
	if rw := mine.rewrite; rw != nil {
		t.Rewrite = s.rewriteOf(rw, query)
		for _, f := range rw.Trace.Fallbacks {
			t.Notes = append(t.Notes, f.Text)
		}
	} else if mine.fallback {
		t.Notes = append(t.Notes, "nothing was imagined for this query")
	}
	return t
}

func (s *study) rewriteOf(rw *skillqr.Rewrite, query string) *rewriteTrace {
	t := &rewriteTrace{Skill: rw.Skill, Expansion: short(rw.Expansion(), 4000)}
	if route := rw.Trace.Route; route != nil {
		t.Genre, t.Knowledge, t.Reasoning = route.Genre, route.Knowledge, short(route.Reasoning, 2000)
	}
	for i, id := range rw.Trace.Feedback {
		t.Feedback = append(t.Feedback, foundRow{Rank: i + 1, ID: id, Name: s.name(id), Gold: s.coll.qrels[query][id] > 0})
	}
	return t
}

// goldOf are the documents that a query needs, most relevant first.
func (s *study) goldOf(query string) (ids []string) {
	grades := s.coll.qrels[query]
	for _, id := range sortedKeys(grades) {
		if grades[id] > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(grades[b], grades[a]) })
	return ids
}

func (s *study) name(id string) string {
	if d := s.coll.byID[id]; d != nil {
		return short(label(d), 90)
	}
	return "not in the corpus"
}

func place(ids []string, id string) string {
	if i := slices.Index(ids, id); i >= 0 {
		return fmt.Sprint(i + 1)
	}
	return "–"
}

// why says what brought a document, or how near it came.
func why(a answer, id string) string {
	if a.dream == nil || a.dream.Plain {
		return ""
	}
	best := ""
	rank := 0
	for _, l := range a.dream.Trace.Lists {
		for _, c := range l.Candidates {
			if c.ID == id && (rank == 0 || c.Rank < rank) {
				rank = c.Rank
				best = fmt.Sprintf("rank %d for capability %d", c.Rank, l.Capability+1)
			}
		}
	}
	if best == "" {
		return "no candidate of any capability"
	}
	return best
}

func (s *study) found(query string, a answer) foundRows {
	rows := make(foundRows, len(a.ids))
	for i, id := range a.ids {
		rows[i] = foundRow{Rank: i + 1, ID: id, Name: s.name(id), Gold: s.coll.qrels[query][id] > 0}
		if a.dream == nil {
			continue
		}
		if j := slices.IndexFunc(a.dream.Skills, func(m skilldreamer.Match) bool { return m.ID == id && m.Capability >= 0 }); j >= 0 {
			rows[i].From = fmt.Sprint(a.dream.Skills[j].Capability + 1)
		}
	}
	return rows
}

// mostCandidates of each capability are shown, and those that are needed.
const mostCandidates = 8

func (s *study) capabilities(res *skilldreamer.Result, gold []string) []capabilityTrace {
	var out []capabilityTrace
	for _, l := range res.Trace.Lists {
		c := res.Imagined.Capabilities[l.Capability]
		t := capabilityTrace{Number: l.Capability + 1, Text: c.Text}
		if c.Skill != nil {
			t.Name, t.Description, t.Body = c.Skill.Name, c.Skill.Description, short(c.Skill.Body, 4000)
		}
		for i, x := range l.Candidates {
			needed := slices.Contains(gold, x.ID)
			if i >= mostCandidates && !needed {
				t.More++
				continue
			}
			t.Candidates = append(t.Candidates, candidateRow{
				Rank: x.Rank, ID: x.ID, Name: s.name(x.ID), Gold: needed,
				Task: scores(x.Task, x.NormTask), Imagined: scores(x.Imagined, x.NormImagined), Anchors: scores(x.Anchors, x.NormAnchors), Words: scores(x.Words, x.NormWords), Total: fmt.Sprintf("%.3f", x.Total),
			})
		}
		out = append(out, t)
	}
	return out
}

// scores are a raw score and what it became.
func scores(raw, normalised float64) string { return fmt.Sprintf("%.3f → %.2f", raw, normalised) }
