package skillqr

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
)

// RefreshOptions for [Refresh]. The zero value, with a Proposer, has the
// defaults.
type RefreshOptions struct {
	// MineOptions are those of [Mine]. Clusters and Generic are not used: the
	// clusters are there, and so is the set's generic skill. Without Made, the
	// set keeps its date.
	MineOptions
	// MinNew is how many documents a new cluster has at least. Default: a
	// quarter of the median size of the clusters, but at least 3.
	MinNew int
}

// A Refreshed is what [Refresh] gives.
type Refreshed struct {
	// Mining holds the new set and clusters, and what they cost.
	Mining
	// Changes say what is different.
	Changes Changes
}

// Changes say what a refresh found and did. Clusters go by number.
type Changes struct {
	// Added, Removed and Altered count documents: those that came, those that
	// are gone, and those whose vector is another one.
	Added, Removed, Altered int
	// New clusters hold material that lies far from all that there was.
	New []int
	// Drifted are clusters to which so many documents came that lie farther
	// out than before that they were judged again.
	Drifted []int
	// Retried are clusters about which a model failed before, so that they had
	// no label, no verdict or no skill, and which were asked about again.
	Retried []int
	// Gone are clusters without documents.
	Gone []int
	// Strays count the documents that came since the clusters were made, lie
	// far out, and are too few or too scattered for a cluster. They are looked
	// at again by the next refresh.
	Strays int
	// SkillsAdded, SkillsRevised and SkillsRemoved are names. SkillsKept are
	// those that cover nothing any more and stay because a person wrote them.
	SkillsAdded, SkillsRevised, SkillsRemoved, SkillsKept []string
	// Share of the documents that came since their cluster was made or judged,
	// in [0, 1]. Above one half, mining anew is the better choice.
	Share float64
}

// Any says whether anything changed.
func (c Changes) Any() bool {
	return c.Added+c.Removed+c.Altered > 0 || len(c.New)+len(c.Drifted)+len(c.Retried)+len(c.Gone) > 0 || c.Skills()
}

// Skills says whether a skill changed, so that queries are rewritten otherwise
// than before.
func (c Changes) Skills() bool {
	return len(c.SkillsAdded)+len(c.SkillsRevised)+len(c.SkillsRemoved) > 0
}

// String tells the changes in a few lines.
func (c Changes) String() string {
	if !c.Any() {
		return "nothing changed"
	}
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	say("documents: %d added, %d removed, %d altered; %d strays", c.Added, c.Removed, c.Altered, c.Strays)
	for _, l := range []struct {
		what    string
		numbers []int
	}{{"new clusters", c.New}, {"drifted clusters", c.Drifted}, {"clusters asked about again", c.Retried}, {"clusters gone", c.Gone}} {
		if len(l.numbers) > 0 {
			say("%s: %s", l.what, strings.Trim(fmt.Sprint(l.numbers), "[]"))
		}
	}
	for _, l := range []struct {
		what  string
		names []string
	}{
		{"skills added", c.SkillsAdded}, {"skills revised", c.SkillsRevised}, {"skills removed", c.SkillsRemoved},
		{"skills kept that cover nothing", c.SkillsKept},
	} {
		if len(l.names) > 0 {
			say("%s: %s", l.what, strings.Join(l.names, ", "))
		}
	}
	if c.Share > 0.5 {
		say("%.0f %% of the documents are new since the clusters were made: mine anew", 100*c.Share)
	}
	return strings.Join(out, "\n")
}

// Refresh brings a set and its clusters up to date with the corpus as it is
// now. It finds out itself which documents came, went or changed, and asks the
// models only about clusters that changed. set and clusters belong together, as
// [Mine] or an earlier refresh gave them; the set may have been edited. Neither
// is changed.
//
// # What counts as changed
//
// A document that comes goes to the nearest centroid. It lies far out where its
// cosine is below the 5 % quantile of the documents that were there when the
// cluster was made or last judged (of all documents, where these are fewer than
// 20). Documents that lie far out are clustered among themselves; such a group
// is a new cluster where it has MinNew documents and they lie as near to each
// other, on average, as the lower quarter of the corpus does in its clusters.
// Of the rest, a cluster has drifted where so many of the documents that came
// lie far out as chance would give less than once in 1,000 times, if one in ten
// did (clusters fit the documents that they were made of a little better than
// others: 5 to 9 % was measured). Documents that came are remembered until their
// cluster is judged, so that many small changes count like one large one.
//
// New clusters are labelled and judged, drifted ones anew, with those documents
// first that came; what no skill covers goes to the proposer as in [Mine]. A
// cluster is also judged again where a skill that covered it was revised, since
// then it is another one. Clusters that were left uncovered before, also
// because a person removed their skill, are not asked about.
//
// Clusters about which a model failed before are judged again, and labelled where
// they have no label: those that the set's notes name as [NotLabelled],
// [NotJudged] or [NotRevised]. So a mining that a budget ended is completed by a refresh with
// another, and what a person wrote meanwhile stays. Whoever wants such a cluster
// to be left as it is deletes its notes.
//
// # What a person wrote
//
// The texts of edited skills ([Skill.Edited]) and of the generic one stay as
// they are, and the order of the skills does. A skill whose clusters are all
// gone is removed, unless it was edited.
//
// # Cost and errors
//
// Where no cluster changed there are no calls. Else, for c changed clusters: at
// most c labels, at most c judgements a round and 1 revision between rounds, besides
// those of clusters whose skill was revised; no draft. The cost of comparing is
// O(N·dim), and O(n·k·dim) for n documents that came.
//
// Errors are those of Mine; with an error there is no result, and the old set
// and clusters are as good as before. [prospect.ErrIdentity] is for vectors of
// another embedder, where mining anew is what helps, and for a set that was made
// of another corpus than the clusters.
func Refresh(ctx context.Context, corpus Corpus, set *Set, clusters *Clusters, o RefreshOptions) (*Refreshed, error) {
	if set == nil || clusters == nil {
		return nil, fmt.Errorf("%w: no set or no clusters", prospect.ErrOption)
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	if o.MinNew < 0 {
		return nil, fmt.Errorf("%w: MinNew is %d, want 0 or more", prospect.ErrOption, o.MinNew)
	}
	o.Generic = set.Generic
	m, err := newMining(corpus, o.MineOptions)
	if err != nil {
		return nil, err
	}
	if err := clusters.sameSpace(corpus); err != nil {
		return nil, err
	}
	if made, own := set.Corpus.Hash, clusters.Fingerprint().Hash; made != "" && made != own {
		return nil, fmt.Errorf("%w: the set was made of corpus %s, the clusters of %s", prospect.ErrIdentity, head(made, 64), own)
	}
	r, err := regroup(ctx, corpus, clusters, o)
	if err != nil {
		return nil, err
	}
	changed := r.changed(set)
	toLabel := slices.Clone(changed)
	failings := set.failings()
	for i := range r.clusters.Len() {
		number := r.clusters.Number(i)
		f, err := m.retriable(ctx, r.clusters, i, failings[number])
		if err != nil {
			return nil, err
		}
		if f.any() && !slices.Contains(r.changes.New, number) && !slices.Contains(r.changes.Drifted, number) {
			r.changes.Retried = append(r.changes.Retried, number)
		}
		if f.any() && !slices.Contains(changed, i) {
			changed = append(changed, i)
			if f.label {
				toLabel = append(toLabel, i)
			}
		}
	}
	slices.Sort(changed)
	if !r.changes.Any() && len(changed) == 0 {
		r.changes.Share = clusters.share()
		return &Refreshed{Mining{Set: set.clone(), Clusters: clusters}, r.changes}, nil
	}
	m.resume(r.clusters, set, changed)
	m.first = r.first
	if len(changed) > 0 {
		if len(toLabel) > 0 {
			if err := m.label(ctx, toLabel); err != nil {
				return nil, err
			}
		}
		if m.ended() {
			return nil, m.hopeless("the changed clusters could not be labelled")
		}
		if err := m.rounds(ctx, m.round+1); err != nil {
			return nil, err
		}
	}
	r.clusters.settle(corpus, changed, func(i int) bool { return m.verdicts[i].judged })
	m.clusters = r.clusters

	out := &Refreshed{*m.result(), r.changes}
	out.Set.Notes = append(m.kept(set, changed), out.Set.Notes...)
	if m.o.Made == "" {
		out.Set.Made = set.Made
	}
	out.Changes.Share = r.clusters.share()
	out.Changes.compare(set, out.Set)
	return out, nil
}

// maxRoundLog is how many rounds of earlier runs a refresh keeps, the last ones
// and the one whose skills the set has.
const maxRoundLog = 10

// resume takes over what the set says about the clusters that did not change.
func (m *mining) resume(c *Clusters, set *Set, changed []int) {
	m.begin(c)
	m.resumed = true
	m.roundLog = slices.Clone(set.Rounds)
	for i := 0; len(m.roundLog) > maxRoundLog && i < len(m.roundLog); {
		if m.roundLog[i].Kept {
			i++
		} else {
			m.roundLog = slices.Delete(m.roundLog, i, i+1)
		}
	}
	for i := range m.roundLog {
		m.round = max(m.round, m.roundLog[i].Round)
		m.roundLog[i].Skills = slices.Clone(m.roundLog[i].Skills)
	}
	there := make(map[int]bool, c.Len())
	for i := range m.notes {
		there[m.notes[i].Cluster] = true
	}
	for _, s := range set.Skills {
		had := len(s.Covers) > 0
		s.Covers = slices.DeleteFunc(slices.Clone(s.Covers), func(number int) bool { return !there[number] })
		if had && len(s.Covers) == 0 && !s.Edited() {
			continue
		}
		m.skills = append(m.skills, s)
	}
	for i := range m.notes {
		note := &m.notes[i]
		at := slices.IndexFunc(set.Clusters, func(c ClusterNote) bool { return c.Cluster == note.Cluster })
		if at < 0 {
			continue
		}
		old := set.Clusters[at]
		note.Domain, note.Kind, note.Terms = old.Domain, old.Kind, slices.Clone(old.Terms)
		v := verdict{missing: old.Missing}
		for _, s := range m.skills {
			if slices.Contains(s.Covers, note.Cluster) {
				v.by = append(v.by, s.digest())
			}
		}
		m.claims[i] = v.by // stands where the judge cannot be had
		if !slices.Contains(changed, i) {
			v.judged, v.left = true, len(v.by) == 0
		}
		m.verdicts[i] = v
	}
}

// retriable is what can be made good of failures about a cluster: a prompt needs
// documents with a text.
func (m *mining) retriable(ctx context.Context, c *Clusters, i int, f failing) (failing, error) {
	legible := func(ids []string) (bool, error) {
		texts, err := m.corpus.texts(ctx, ids)
		return slices.ContainsFunc(texts, func(t string) bool { return tidyProse(head(t, 4*m.o.DocumentLength)) != "" }), err
	}
	var err error
	if f.label {
		if f.label, err = legible(c.Nearest(i, m.o.Nearest)); err != nil {
			return f, err
		}
	}
	if f.verdict {
		f.verdict, err = legible(c.Sample(i, m.o.Sampled, m.o.Seed))
	}
	return f, err
}

// kept are the notes of the old set that still hold: not those about clusters
// that are gone or were asked about again, not what result says anew, and not
// failures about clusters that a person settled. What is about no cluster is of
// the last run that asked anything.
func (m *mining) kept(set *Set, changed []int) []Note {
	open := set.failings()
	about := make(map[int]int, len(m.notes)) // position by number
	for i, n := range m.notes {
		about[n.Cluster] = i
	}
	var out []Note
	for _, n := range set.Notes {
		if n.Cluster == nil {
			if len(changed) == 0 {
				out = append(out, n)
			}
			continue
		}
		i, ok := about[*n.Cluster]
		settled := n.Kind.failure() && !open[*n.Cluster].any()
		if ok && n.Kind != Uncovered && !settled && !slices.Contains(changed, i) {
			out = append(out, n)
		}
	}
	return out
}

// compare notes which skills are other than before.
func (c *Changes) compare(before, after *Set) {
	for _, s := range after.Skills {
		at := named(before.Skills, s.Name)
		switch {
		case at < 0:
			c.SkillsAdded = append(c.SkillsAdded, s.Name)
		case !s.sameTexts(before.Skills[at]):
			c.SkillsRevised = append(c.SkillsRevised, s.Name)
		case len(s.Covers) == 0 && len(before.Skills[at].Covers) > 0:
			c.SkillsKept = append(c.SkillsKept, s.Name)
		}
	}
	for _, s := range before.Skills {
		if named(after.Skills, s.Name) < 0 {
			c.SkillsRemoved = append(c.SkillsRemoved, s.Name)
		}
	}
}

// clone copies what a caller may change.
func (s *Set) clone() *Set {
	data, err := s.JSON()
	if err != nil {
		panic(err) // the set is valid
	}
	back, err := Parse(data)
	if err != nil {
		panic(errors.Join(errors.New("skillqr: a set does not survive its own file"), err))
	}
	return back
}
