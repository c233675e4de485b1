package skillqr

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/prospect-go/prospect"
)

// MineOptions for [Mine] and [Refresh]. The zero value, with a Proposer, has
// the defaults.
type MineOptions struct {
	// Proposer labels clusters, drafts and revises skills. It is needed.
	//
	// Retries, a budget, and a cache of answers on disk are wrappers around it:
	// with a cache, mining that was ended by a crash or a cancelled context
	// and is started again gives the same set and asks only what was not
	// answered.
	Proposer prospect.LLM
	// Judge says which skills cover a cluster. Default: Proposer.
	Judge prospect.LLM
	// MaxSkills beside the generic one. Default 5.
	MaxSkills int
	// MaxRounds of judging. Default 3.
	MaxRounds int
	// Nearest is how many documents, those nearest to the centroid, a label is
	// made from. Default 8.
	Nearest int
	// Sampled is how many documents of a cluster the judge sees. Default 5.
	Sampled int
	// DocumentLength is where documents are cut, in code points. Default 600.
	DocumentLength int
	// Listed is how many ids of documents a [ClusterNote] names. Default 3.
	Listed int
	// Seed of clusters and samples. Default 0, a seed like any other.
	Seed uint64
	// Clusters is K of [Cluster], where [Mine] is given no clusters.
	Clusters int
	// Concurrency bounds the model's calls at the same time. Default 4.
	Concurrency int
	// MaxFailures is how many calls may fail by an error of the model before
	// no more are made. Default 8. Answers that cannot be used do not count.
	MaxFailures int
	// Generic is the skill for queries that no other fits. Default [Generic].
	Generic Skill
	// Temperature of the models' calls; nil leaves it to them.
	Temperature *float64
	// MaxTokens bounds each answer; 0 leaves it to the model.
	MaxTokens int
	// Prompts replace the built-in ones.
	Prompts MinePrompts
	// Made is the date to be noted in the set, in any form. Default: none, so
	// that equal input gives equal sets.
	Made string
	// Progress, where it is not nil, is told how far a step is; done counts up
	// to total, from 0, or from 1 where the step is clustering. It is called by one goroutine at a time.
	Progress func(step Step, done, total int)
}

// A Step is a part of mining.
type Step string

const (
	StepCluster Step = "cluster" // iterations; may end before total
	StepLabel   Step = "label"   // one call a cluster
	StepDraft   Step = "draft"   // one call
	StepJudge   Step = "judge"   // one call a cluster and round
	StepRevise  Step = "revise"  // one call a round, but the last
)

// withDefaults checks the options and fills in what is zero.
func (o MineOptions) withDefaults() (MineOptions, error) {
	if o.Proposer == nil {
		return o, fmt.Errorf("%w: no Proposer", prospect.ErrOption)
	}
	for _, c := range []struct {
		name string
		v    *int
		def  int
	}{
		{"MaxSkills", &o.MaxSkills, 5}, {"MaxRounds", &o.MaxRounds, 3}, {"Nearest", &o.Nearest, 8}, {"Sampled", &o.Sampled, 5},
		{"DocumentLength", &o.DocumentLength, 600}, {"Listed", &o.Listed, 3}, {"Clusters", &o.Clusters, 0},
		{"Concurrency", &o.Concurrency, 4}, {"MaxFailures", &o.MaxFailures, 8}, {"MaxTokens", &o.MaxTokens, 0},
	} {
		if *c.v < 0 {
			return o, fmt.Errorf("%w: %s is %d, want 0 or more", prospect.ErrOption, c.name, *c.v)
		}
		*c.v = cmp.Or(*c.v, c.def)
	}
	if o.Judge == nil {
		o.Judge = o.Proposer
	}
	if o.Generic.Name == "" && o.Generic.When == "" && o.Generic.Instruction == "" {
		o.Generic = Generic()
	}
	if err := (&Set{Generic: o.Generic}).Validate(); err != nil {
		return o, fmt.Errorf("%w: Generic: %w", prospect.ErrOption, err)
	}
	if t := o.Temperature; t != nil {
		if math.IsNaN(*t) || math.IsInf(*t, 0) {
			return o, fmt.Errorf("%w: Temperature is %v", prospect.ErrOption, *t)
		}
		o.Temperature = new(*t)
	}
	return o, nil
}

// A Mining is what [Mine] gives.
type Mining struct {
	// Set is valid. See [Set.Degraded] for whether all went as planned.
	Set *Set
	// Clusters that the set's numbers refer to; keep them for [Refresh].
	Clusters *Clusters
	// Calls of the models, second attempts included, and their tokens.
	Calls int
	Usage prospect.Usage
	// Err joins the errors of the models, in the order of steps and clusters,
	// for errors.Is; nil where no call failed. The set is what could be had in spite of them.
	Err error
}

// Mine finds the kinds of material in a corpus and writes a rewriting skill
// for each: clusters get labels, the proposer drafts skills from these, the
// judge says for each cluster whether a skill covers it, and the proposer
// revises, until all is covered or MaxRounds were judged. Of several rounds the
// set is the one that covers most documents. Where clusters is nil, it is made
// first.
//
// # Calls
//
// For k clusters: k labels, 1 draft, at most k judgements a round, 1 revision
// between rounds: at most k·(1 + MaxRounds) + MaxRounds, and as many second
// attempts for answers that cannot be used. From the second round on, only
// clusters are judged that were not covered, or whose skill changed.
//
// # What fails
//
// An answer that cannot be used twice, and a call that fails, have a fallback
// that is noted in the set: a cluster without a label is not seen by the draft,
// one that was not judged counts as the draft or revision claims, and without a
// draft or revision the skills stay as they are, at first the generic one
// alone. After more than MaxFailures failed calls mining ends with the last
// round that is complete; with the first, complete or not, where there is no
// other. [Refresh] goes on from there.
//
// The error is not nil where there is nothing to give: ctx's error where it
// ended; the models' where no skills were drafted because of them; that of the
// corpus' text function; [prospect.ErrOption]; and [prospect.ErrIdentity] where
// the clusters are those of another corpus.
//
// The set depends on the corpus, the options and the answers, not on timing or
// the number of cores; where calls fail by timing, on these too.
func Mine(ctx context.Context, corpus Corpus, clusters *Clusters, o MineOptions) (*Mining, error) {
	m, err := newMining(corpus, o)
	if err != nil {
		return nil, err
	}
	if clusters == nil {
		co := ClusterOptions{K: o.Clusters, Seed: o.Seed}
		if o.Progress != nil {
			co.Progress = func(done, total int) { o.Progress(StepCluster, done, total) }
		}
		if clusters, err = Cluster(ctx, corpus, co); err != nil {
			return nil, err
		}
	} else if err := clusters.of(corpus); err != nil {
		return nil, err
	}
	m.begin(clusters)
	all := m.positions(func(int) bool { return true })
	if err := m.label(ctx, all); err != nil {
		return nil, err
	}
	if err := m.draft(ctx); err != nil {
		return nil, err
	}
	if err := m.rounds(ctx, 1); err != nil {
		return nil, err
	}
	return m.result(), nil
}

// A mining is one run of Mine or Refresh.
type mining struct {
	o       MineOptions
	prompts *miningTemplates
	corpus  Corpus

	clusters *Clusters
	notes    []ClusterNote // by position of the cluster, as are the next two
	verdicts []verdict
	claims   [][]string // digests of the skills that are said to cover it
	skills   []Skill
	roundLog []RoundNote
	round    int // 0 before the first
	// unfinished says that clusters are uncovered because of a failure: no
	// draft or revision was had since, or mining ended early.
	unfinished bool

	// Of a refresh alone.
	resumed bool
	first   map[int][]int32 // documents that prompts show before others, by position
	tally
}

// A verdict is what is known about how a cluster is covered.
type verdict struct {
	// by are the digests of the skills that cover it, the best first.
	by []string
	// judged says that the judge said so; else it is but claimed.
	judged  bool
	missing string
	broaden string // digest of the skill that the judge would broaden, or ""
	// left says that it was left uncovered before this refresh, which does not
	// ask about it.
	left bool
}

func newMining(corpus Corpus, o MineOptions) (*mining, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	prompts, err := o.Prompts.parse()
	if err != nil {
		return nil, err
	}
	if err := corpus.usable(); err != nil {
		return nil, err
	}
	return &mining{o: o, prompts: prompts, corpus: corpus}, nil
}

// begin takes the clusters, without labels and verdicts.
func (m *mining) begin(c *Clusters) {
	m.clusters = c
	m.notes = make([]ClusterNote, c.Len())
	m.verdicts = make([]verdict, c.Len())
	m.claims = make([][]string, c.Len())
	for i := range m.notes {
		listed := c.Nearest(i, m.o.Listed)
		// A file for people has no place for ids that are not text.
		listed = slices.DeleteFunc(listed, func(id string) bool { return !utf8.ValidString(id) })
		m.notes[i] = ClusterNote{Cluster: c.Number(i), Size: c.Size(i), Documents: listed}
	}
}

// rounds judges and revises in turns, beginning with the round of that number,
// at most MaxRounds times.
func (m *mining) rounds(ctx context.Context, first int) error {
	var best *state
	for r := first; ; r++ {
		m.round = r
		asked, err := m.judge(ctx)
		if err != nil {
			return err
		}
		stopped := m.ended()
		if !stopped || best == nil {
			m.roundLog = append(m.roundLog, m.roundNote(asked))
			if now := m.state(); best == nil || now.share >= best.share {
				best = now
			}
		}
		if stopped {
			m.unfinished = true
			m.say(StepJudge, -1, Stopped, fmt.Sprintf("mining ended early, because %d calls failed", m.failed))
			break
		}
		if len(m.gaping()) == 0 || r-first+1 == m.o.MaxRounds {
			break
		}
		changed, err := m.revise(ctx)
		if err != nil {
			return err
		}
		if !changed {
			break
		}
	}
	m.restore(best)
	return nil
}

// A state is the skills at the end of a round and how they cover the clusters.
type state struct {
	skills   []Skill
	verdicts []verdict
	share    float64
	at       int // in roundLog
}

func (m *mining) state() *state {
	return &state{slices.Clone(m.skills), slices.Clone(m.verdicts), m.roundLog[len(m.roundLog)-1].Share, len(m.roundLog) - 1}
}

func (m *mining) restore(s *state) {
	m.skills, m.verdicts = s.skills, s.verdicts
	for i := range m.roundLog {
		m.roundLog[i].Kept = i == s.at
	}
}

func (m *mining) roundNote(asked int) RoundNote {
	note := RoundNote{Round: m.round, Skills: make([]string, 0, len(m.skills)), Asked: asked}
	for _, s := range m.skills {
		note.Skills = append(note.Skills, s.Name)
	}
	covered, all := 0, 0
	for i, v := range m.verdicts {
		all += m.notes[i].Size
		if len(v.by) > 0 {
			note.Covered++
			covered += m.notes[i].Size
		}
	}
	if all > 0 {
		note.Share = float64(covered) / float64(all)
	}
	return note
}

// positions of the clusters that pass.
func (m *mining) positions(pass func(i int) bool) []int {
	var out []int
	for i := range m.notes {
		if pass(i) {
			out = append(out, i)
		}
	}
	return out
}

func (m *mining) uncovered() []int {
	return m.positions(func(i int) bool { return len(m.verdicts[i].by) == 0 })
}

// gaping are the uncovered clusters that are asked about.
func (m *mining) gaping() []int {
	return m.positions(func(i int) bool { return len(m.verdicts[i].by) == 0 && !m.verdicts[i].left })
}

// coverage is the positions of the clusters that a skill covers.
func (m *mining) coverage(s Skill) []int {
	d := s.digest()
	return m.positions(func(i int) bool { return slices.Contains(m.verdicts[i].by, d) })
}

// documents in the clusters at these positions.
func (m *mining) documents(positions []int) int {
	n := 0
	for _, i := range positions {
		n += m.notes[i].Size
	}
	return n
}

// result makes the set.
func (m *mining) result() *Mining {
	set := &Set{
		Skills: []Skill{}, Generic: m.o.Generic, Clusters: m.notes, Corpus: m.clusters.Fingerprint(),
		Proposer: valid(m.o.Proposer.Identity()), Judge: valid(m.o.Judge.Identity()), Rounds: m.roundLog, Made: valid(m.o.Made),
	}
	set.Corpus.Embedder = valid(set.Corpus.Embedder)
	for i := range set.Clusters {
		set.Clusters[i].Missing = ""
	}
	for _, i := range m.uncovered() {
		c := &set.Clusters[i]
		c.Missing = m.verdicts[i].missing
		m.say(StepRevise, i, Uncovered, "no skill covers "+cmp.Or(c.Label(), "it"))
		if m.unfinished && !m.verdicts[i].left && m.isKnown(i) {
			m.say(StepRevise, i, NotRevised, "no skill was made for it yet; a refresh asks again")
		}
	}
	sizes := make(map[string]int)
	for _, s := range m.skills {
		covers := m.coverage(s)
		sizes[s.Name] = m.documents(covers)
		s.Covers = nil
		for _, i := range covers {
			s.Covers = append(s.Covers, m.notes[i].Cluster)
		}
		set.Skills = append(set.Skills, s)
	}
	if !m.resumed { // else the order may be a person's
		slices.SortStableFunc(set.Skills, func(a, b Skill) int { return sizes[b.Name] - sizes[a.Name] })
	}
	set.Notes = m.said()
	return &Mining{Set: set, Clusters: m.clusters, Calls: m.calls, Usage: m.usage, Err: m.failures()}
}

// valid is the text without what is not UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
