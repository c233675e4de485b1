package skillqr

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrInvalid: a skill set has problems, which the error lists.
var ErrInvalid = errors.New("skillqr: invalid skill set")

// A Set is what mining gives and rewriting uses: a few skills and how they
// came to be. It is meant to be read and edited by a person; see [Set.Save]. A set
// that holds nothing but skills, written by hand, is as good.
//
// Nothing in this package changes a set that it was given; a set that nobody
// changes may be used from many goroutines.
type Set struct {
	// Skills for kinds of material in the corpus; mined ones come with the
	// widest coverage first.
	Skills []Skill `json:"skills" yaml:"skills"`
	// Generic is the skill for queries that none of Skills fits.
	Generic Skill `json:"generic" yaml:"generic"`
	// Clusters are notes on the parts of the corpus.
	Clusters []ClusterNote `json:"clusters,omitempty" yaml:"clusters,omitempty"`
	// Corpus says which corpus it was mined from.
	Corpus Fingerprint `json:"corpus,omitzero" yaml:"corpus,omitempty"`
	// Proposer and Judge are the identities of the models.
	Proposer string `json:"proposer,omitempty" yaml:"proposer,omitempty"`
	Judge    string `json:"judge,omitempty" yaml:"judge,omitempty"`
	// Rounds say what each round of judging found; a refresh keeps the last
	// ten of earlier runs.
	Rounds []RoundNote `json:"rounds,omitempty" yaml:"rounds,omitempty"`
	// Notes say what did not go as planned.
	Notes []Note `json:"notes,omitempty" yaml:"notes,omitempty"`
	// Made is the date, in any form, that the caller gave.
	Made string `json:"made,omitempty" yaml:"made,omitempty"`
}

// A ClusterNote tells what one cluster of the corpus holds.
type ClusterNote struct {
	// Cluster is its number, the same as in [Clusters]; it stays the same when
	// a set is refreshed.
	Cluster int `json:"cluster" yaml:"cluster"`
	// Domain and Kind are the proposer's label: the field of knowledge, and
	// the kind of content. Both are empty where there is no label.
	Domain string `json:"domain,omitempty" yaml:"domain,omitempty"`
	Kind   string `json:"kind,omitempty" yaml:"kind,omitempty"`
	// Terms are words and phrases typical of it, by the proposer.
	Terms []string `json:"terms,omitempty" yaml:"terms,omitempty,flow"`
	// Size is the number of documents.
	Size int `json:"size" yaml:"size"`
	// Documents are the ids of a few documents nearest to the centroid.
	Documents []string `json:"documents,omitempty" yaml:"documents,omitempty,flow"`
	// Missing is the kind of knowledge that, by the judge, no skill covers.
	Missing string `json:"missing,omitempty" yaml:"missing,omitempty"`
}

// Label is "domain / kind", or "" where there is no label.
func (c ClusterNote) Label() string {
	if c.Domain == "" || c.Kind == "" {
		return c.Domain + c.Kind
	}
	return c.Domain + " / " + c.Kind
}

// A Fingerprint tells one corpus from another.
type Fingerprint struct {
	// Documents is their number.
	Documents int `json:"documents" yaml:"documents"`
	// Hash of the ids and vectors; their order does not matter.
	Hash string `json:"hash" yaml:"hash"`
	// Embedder is the identity of what made the vectors.
	Embedder string `json:"embedder,omitempty" yaml:"embedder,omitempty"`
}

// A RoundNote tells what one round of judging found.
type RoundNote struct {
	// Round counts from 1; the first judges the draft. A refresh goes on
	// counting.
	Round int `json:"round" yaml:"round"`
	// Skills are the names of those that were judged.
	Skills []string `json:"skills" yaml:"skills"`
	// Asked is the number of clusters that the judge was asked about.
	Asked int `json:"asked" yaml:"asked"`
	// Covered is the number of clusters that are covered by a skill.
	Covered int `json:"covered" yaml:"covered"`
	// Share of the documents that are in covered clusters, in [0, 1].
	Share float64 `json:"share" yaml:"share"`
	// Kept says that the set has the skills of this round.
	Kept bool `json:"kept,omitempty" yaml:"kept,omitempty"`
}

// All returns the skills as a router numbers them: those of Skills, then
// Generic.
func (s *Set) All() []Skill { return append(slices.Clip(slices.Clone(s.Skills)), s.Generic) }

// Find returns the skill with the name, the generic one included; letter case
// and white space do not matter.
func (s *Set) Find(name string) (Skill, bool) {
	for _, skill := range s.All() {
		if fold(skill.Name) == fold(name) {
			return skill, true
		}
	}
	return Skill{}, false
}

// CoveredBy returns the indices in Skills of those that cover the cluster with
// the number, ascending; none means that it is left to the generic skill.
func (s *Set) CoveredBy(cluster int) []int {
	var out []int
	for i, skill := range s.Skills {
		if slices.Contains(skill.Covers, cluster) {
			out = append(out, i)
		}
	}
	return out
}

// Coverage is the share of the documents that are in covered clusters, in
// [0, 1]; 0 for a set without documents.
func (s *Set) Coverage() float64 {
	covered, all := 0, 0
	for _, c := range s.Clusters {
		all += c.Size
		if len(s.CoveredBy(c.Cluster)) > 0 {
			covered += c.Size
		}
	}
	if all == 0 {
		return 0
	}
	return float64(covered) / float64(all)
}

// Hash is a digest, in hex, of all that changes how queries are rewritten: the
// names, whens and instructions, in order, the generic skill included. Caches
// of rewrites are keyed by it; coverage and notes do not change it.
func (s *Set) Hash() string {
	h := sha256.New()
	for _, skill := range s.All() {
		for _, text := range []string{skill.Name, skill.When, skill.Instruction} {
			fmt.Fprintf(h, "%d:%s", len(text), text)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Validate reports every problem of the set, in an error that wraps
// [ErrInvalid]: texts that are missing, too long or hold control characters,
// names that occur twice, clusters that are covered but not listed, numbers
// out of range.
func (s *Set) Validate() error {
	var problems []string
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }

	clusters := make(map[int]bool, len(s.Clusters))
	for i, c := range s.Clusters {
		switch {
		case c.Cluster < 0:
			report("cluster at position %d: its number %d is negative", i+1, c.Cluster)
		case clusters[c.Cluster]:
			report("cluster %d is listed twice", c.Cluster)
		case c.Size < 0:
			report("cluster %d: its size %d is negative", c.Cluster, c.Size)
		}
		clusters[c.Cluster] = true
	}
	names := make(map[string]bool, len(s.Skills)+1)
	for i, skill := range s.All() {
		who := fmt.Sprintf("skill %d (%q)", i+1, skill.Name)
		if i == len(s.Skills) {
			who = "the generic skill"
		}
		for _, p := range skill.problems() {
			report("%s: %s", who, p)
		}
		if name := fold(skill.Name); name != "" && names[name] {
			report("%s: another skill has the same name", who)
		} else {
			names[name] = true
		}
		seen := make(map[int]bool, len(skill.Covers))
		for _, c := range skill.Covers {
			switch {
			case seen[c]:
				report("%s: covers cluster %d twice", who, c)
			case !clusters[c]:
				report("%s: covers cluster %d, which is not among the clusters", who, c)
			}
			seen[c] = true
		}
	}
	if len(s.Generic.Covers) > 0 {
		report("the generic skill: it covers no clusters of its own, but what no other skill covers")
	}
	for what, text := range s.otherTexts() {
		if !utf8.ValidString(text) {
			report("%s %q is not valid UTF-8", what, text)
		}
	}
	for _, r := range s.Rounds {
		if !(r.Share >= 0 && r.Share <= 1) {
			report("round %d: its share %v is not in 0 to 1", r.Round, r.Share)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrInvalid, strings.Join(problems, "; "))
}

// otherTexts iterates over the texts that are not of skills, with what they
// are.
func (s *Set) otherTexts() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		each := func(what string, texts ...string) bool {
			return !slices.ContainsFunc(texts, func(text string) bool { return !yield(what, text) })
		}
		ok := each("model", s.Proposer, s.Judge) && each("date", s.Made) && each("corpus", s.Corpus.Hash, s.Corpus.Embedder)
		for _, c := range s.Clusters {
			ok = ok && each("label", c.Domain, c.Kind, c.Missing) && each("term", c.Terms...) && each("document", c.Documents...)
		}
		for _, r := range s.Rounds {
			ok = ok && each("skill", r.Skills...)
		}
		for _, n := range s.Notes {
			ok = ok && each("note", string(n.Kind), n.Text)
		}
		for _, skill := range s.All() {
			ok = ok && each("origin", skill.Origin, skill.Digest)
		}
	}
}
