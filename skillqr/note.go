package skillqr

import "slices"

// A Note tells one thing that did not go as planned when a set was mined, and
// what was done.
type Note struct {
	Kind NoteKind `json:"kind" yaml:"kind"`
	// Cluster is the number of the cluster it concerns, nil for none.
	Cluster *int `json:"cluster,omitempty" yaml:"cluster,omitempty"`
	// Text explains it to a person.
	Text string `json:"text" yaml:"text"`
}

// A NoteKind is the kind of a [Note], for programs.
type NoteKind string

const (
	// NotLabelled: no answer labelled the cluster, so the draft did not see it.
	NotLabelled NoteKind = "not-labelled"
	// NotDrafted: no answer held a skill, so the first round began with the
	// generic skill alone.
	NotDrafted NoteKind = "not-drafted"
	// NotJudged: no answer judged the cluster; what the draft claimed stands.
	NotJudged NoteKind = "not-judged"
	// NotRevised: no answer revised the skills, so they stayed as they were.
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
func (s *Set) Degraded() bool {
	return slices.ContainsFunc(s.Notes, func(n Note) bool {
		switch n.Kind {
		case NotLabelled, NotDrafted, NotJudged, NotRevised, Stopped:
			return true
		}
		return false
	})
}
