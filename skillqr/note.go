package skillqr

import (
	"fmt"
	"slices"
)

// A Note tells one thing that did not go as planned when a set was mined, and
// what was done.
type Note struct {
	Kind NoteKind `json:"kind" yaml:"kind"`
	// Cluster is the number of the cluster it concerns, nil for none.
	Cluster *int `json:"cluster,omitempty" yaml:"cluster,omitempty"`
	// Text explains it to a person.
	Text string `json:"text" yaml:"text"`
}

// String is the kind, the cluster and the text.
func (n Note) String() string {
	if n.Cluster == nil {
		return fmt.Sprintf("%s: %s", n.Kind, n.Text)
	}
	return fmt.Sprintf("%s, cluster %d: %s", n.Kind, *n.Cluster, n.Text)
}

// A NoteKind is the kind of a [Note], for programs.
type NoteKind string

const (
	// NotLabelled: no answer labelled the cluster, so the draft did not see it.
	// Where a refresh asked for a new label, the old one stays.
	NotLabelled NoteKind = "not-labelled"
	// NotDrafted: no answer held a skill, so the first round began with the
	// generic skill alone, and no revision made up for it.
	NotDrafted NoteKind = "not-drafted"
	// NotJudged: no answer judged the cluster; what the draft or revision
	// claimed stands, or what was so before a refresh.
	NotJudged NoteKind = "not-judged"
	// NotRevised: no answer revised the skills, so they stayed as they were.
	// About a cluster, that it is uncovered for this reason, or because mining
	// ended early.
	NotRevised NoteKind = "not-revised"
	// TooMany: there were more skills than allowed; those that cover most
	// documents were kept.
	TooMany NoteKind = "too-many"
	// Trimmed: parts of an answer were dropped or shortened: unusable,
	// repeated, too long.
	Trimmed NoteKind = "trimmed"
	// Uncovered: after the last round no skill covers the cluster; its queries
	// are left to the generic skill.
	Uncovered NoteKind = "uncovered"
	// NoText: a document had no text that could be shown.
	NoText NoteKind = "no-text"
	// Stopped: the model failed too often, so mining ended early with what
	// there was.
	Stopped NoteKind = "stopped"
)

// Degraded says whether the set is less than what mining sets out to give: a
// part of the corpus was not labelled or judged, or no skills could be drafted
// or revised. Clusters that stay uncovered are an outcome, not a failure.
//
// [Refresh] asks again about the clusters concerned, and only about those where
// nothing else changed, so that a mining which ended early can be completed.
func (s *Set) Degraded() bool {
	return slices.ContainsFunc(s.Notes, func(n Note) bool { return n.Kind.failure() })
}

// failure says that it is of what a later run could make good.
func (k NoteKind) failure() bool {
	switch k {
	case NotLabelled, NotDrafted, NotJudged, NotRevised, Stopped:
		return true
	}
	return false
}

// A failing is what is not done about a cluster because of failures.
type failing struct {
	label, verdict, skill bool
}

func (f failing) any() bool { return f.label || f.verdict || f.skill }

// failings are those of the clusters, by number, that are still open. A cluster
// that a person gave to a skill lacks none; one that no skill covers without a
// note that says so lost its skill by a person's hand and is left alone.
func (s *Set) failings() map[int]failing {
	uncoveredNoted := make(map[int]bool)
	for _, n := range s.Notes {
		if n.Cluster != nil && n.Kind == Uncovered {
			uncoveredNoted[*n.Cluster] = true
		}
	}
	out := make(map[int]failing)
	for _, n := range s.Notes {
		if n.Cluster == nil {
			continue
		}
		covered := len(s.CoveredBy(*n.Cluster)) > 0
		if !covered && !uncoveredNoted[*n.Cluster] {
			continue
		}
		f := out[*n.Cluster]
		switch n.Kind {
		case NotLabelled:
			f.label = true
		case NotJudged:
			f.verdict = true
		case NotRevised:
			f.skill = !covered
		}
		if f.any() {
			out[*n.Cluster] = f
		}
	}
	return out
}
