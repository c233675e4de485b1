package skilldreamer

import (
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skill"
)

// A Result is the outcome of one search.
type Result struct {
	// Skills in round-robin order, best first. Their scores are normalised
	// per list and cannot be compared between lists; where one number per
	// skill is needed, for example in a run file, use K − Rank.
	Skills []Match `json:"skills"`
	// Imagined is what retrieval was steered by.
	Imagined *Imagined `json:"imagined,omitempty"`
	// Plain says that the result is plain retrieval by the task's vector,
	// because nothing was imagined.
	Plain bool `json:"plain,omitempty"`
	// Partial says that a deadline cut the thinking short.
	Partial bool `json:"partial,omitempty"`
	// Notes say what did not go as planned, those of Imagined among them.
	Notes []Note `json:"notes,omitempty"`
	// Trace says how it came about.
	Trace Trace `json:"trace"`
}

// A Match is a skill that was found, and why.
type Match struct {
	// Rank in the result, from 1.
	Rank int `json:"rank"`
	// ID of the skill in the store.
	ID string `json:"id"`
	// Name of the skill.
	Name string `json:"name"`
	// Skill is shared with the store: do not change it.
	Skill *skill.Skill `json:"-"`
	// Capability is the index of the capability whose list brought it, or −1
	// in a plain result.
	Capability int `json:"capability"`
	// Scores in that capability's list.
	Scores Scores `json:"scores"`
	// Also are its scores in the lists of other capabilities, by capability.
	Also []Scores `json:"also,omitempty"`
}

// Scores of one skill for one capability. In a plain result all but Task,
// Combined and Total are 0, and these three are the cosine with the task.
type Scores struct {
	// Capability is the index of the capability, or −1 in a plain result.
	Capability int `json:"capability"`
	// Rank in the capability's list by Total, from 1.
	Rank int `json:"rank"`
	// Task is r^q, the cosine of the skill with the task, in [−1, 1].
	Task float64 `json:"task"`
	// Imagined is r^p, its cosine with the imagined skill, in [−1, 1].
	Imagined float64 `json:"imagined"`
	// Anchors is r^a, its BM25 score for the anchors, 0 or more.
	Anchors float64 `json:"anchors"`
	// Words is r^w, its BM25 score for the words of what was imagined, 0 or
	// more; 0 where [Weights.Words] is 0.
	Words float64 `json:"words,omitempty"`
	// Combined is d = α·Task + β·Imagined, by which candidates were chosen,
	// apart from those that Words chose.
	Combined float64 `json:"combined"`
	// NormTask, NormImagined, NormAnchors and NormWords are the scores after
	// [Options.Normalize] within the candidates: in [0, 1] by default.
	NormTask     float64 `json:"norm_task"`
	NormImagined float64 `json:"norm_imagined"`
	NormAnchors  float64 `json:"norm_anchors"`
	NormWords    float64 `json:"norm_words,omitempty"`
	// Total is h = α·NormTask + β·NormImagined + γ·NormAnchors + δ·NormWords.
	Total float64 `json:"total"`
}

// A Trace tells a person how a result came about.
type Trace struct {
	// Task is the text that was embedded for the task.
	Task string `json:"task"`
	// Texts are what was embedded for each capability, by its index; "" for
	// one that was left out.
	Texts []string `json:"texts"`
	// LexicalQuery is what the anchors made.
	LexicalQuery string `json:"lexical_query"`
	// WordQueries are what was searched for by words for each capability, by
	// its index; nil where [Weights.Words] is 0.
	WordQueries []string `json:"word_queries,omitempty"`
	// Lists holds each capability's candidates, best first by Total.
	Lists []List `json:"lists"`
	// Searched is the number of skills in the view.
	Searched int `json:"searched"`
	// Usage are the model's tokens, summed over the calls.
	Usage prospect.Usage `json:"usage"`
	// Durations of the stages.
	Imagine time.Duration `json:"imagine_ns"`
	Embed   time.Duration `json:"embed_ns"`
	Nearest time.Duration `json:"nearest_ns"`
	Score   time.Duration `json:"score_ns"`
}

// A List is what one capability found.
type List struct {
	// Capability is its index.
	Capability int `json:"capability"`
	// Candidates, best first by Total; those after Kept did not take part in
	// the merge.
	Candidates []Scored `json:"candidates"`
	// Kept is how many of the candidates took part in the merge.
	Kept int `json:"kept"`
	// Abstained are candidates dropped because no raw score spoke for them.
	Abstained []Scored `json:"abstained,omitempty"`
}

// A Scored is a candidate with its scores.
type Scored struct {
	ID    string `json:"id"`
	order int64
	Scores
}

// A Call is one question to the model and what came of it.
type Call struct {
	// Stage is "capabilities", "imagine", "imagine-all" or "everything".
	Stage string `json:"stage"`
	// Capability is the index the call was for, or −1.
	Capability int `json:"capability"`
	// Attempt counts from 1; a second one follows an answer that could not be
	// used.
	Attempt int `json:"attempt"`
	// System and Prompt are what was sent, Answer what came back.
	System string `json:"system"`
	Prompt string `json:"prompt"`
	Answer string `json:"answer"`
	// Error says what was wrong with the call or the answer.
	Error     string         `json:"error,omitempty"`
	Truncated bool           `json:"truncated,omitempty"`
	Usage     prospect.Usage `json:"usage"`
	Duration  time.Duration  `json:"duration_ns"`
}

// A Note tells one thing that did not go as planned and what was done.
type Note struct {
	Kind NoteKind `json:"kind"`
	// Capability is the index it concerns, or −1.
	Capability int `json:"capability"`
	// Text explains it to a person.
	Text string `json:"text"`
	// Err is the error behind it, for errors.Is, such as that of a model whose
	// budget is spent; nil where there is none.
	Err error `json:"-"`
}

// A NoteKind is the kind of a [Note], for programs.
type NoteKind string

const (
	// BlankTask: the task is blank, so nothing was searched for.
	BlankTask NoteKind = "blank-task"
	// NoModel: there is no model, and nothing was imagined.
	NoModel NoteKind = "no-model"
	// ModelFailed: a call failed, or no answer to it could be used.
	ModelFailed NoteKind = "model-failed"
	// NoCapabilities: nothing was imagined; the result is plain retrieval.
	NoCapabilities NoteKind = "no-capabilities"
	// NotImagined: a capability's text stands for its imagined skill, or the
	// capability has no text that can be embedded and was left out.
	NotImagined NoteKind = "not-imagined"
	// NoAnchors: there are no anchors, so the lexical score is 0 for all.
	NoAnchors NoteKind = "no-anchors"
	// Trimmed: parts of an answer were dropped or shortened: too many, too
	// long, empty or repeated.
	Trimmed NoteKind = "trimmed"
	// Flat: the embedder sees no difference between the candidates of a list,
	// as the built-in model does with texts of a script that it does not know.
	Flat NoteKind = "flat"
	// Deadline: time ran out while imagining.
	Deadline NoteKind = "deadline"
	// Shortfall: there are fewer than K skills in the result, or a candidate
	// list is smaller than K.
	Shortfall NoteKind = "shortfall"
	// Abstained: a list lost all its candidates to the abstention thresholds.
	Abstained NoteKind = "abstained"
)
