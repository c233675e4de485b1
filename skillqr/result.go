package skillqr

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/answer"
)

var (
	// ErrUnusable: no answer of the model could be used, the second try
	// included.
	ErrUnusable = answer.ErrUnusable
	// ErrUnknownChoice: a routing answer names no skill of the list, or
	// several.
	ErrUnknownChoice = errors.New("skillqr: no skill of the list")
)

// A Rewrite is what became of a query.
type Rewrite struct {
	// Query as it was asked.
	Query string `json:"query"`
	// Final is the text to search for: the [Join] of Parts.
	Final string `json:"final"`
	// Parts are the query and the expansion with their weights, for retrievers
	// that take them; the query alone where it stays as it is.
	Parts []Part `json:"parts"`
	// Skill is the name of the one that the query was rewritten with, "" where
	// the query stays as it is.
	Skill string `json:"skill,omitempty"`
	// Expansions by skill, the chosen one's first: one, or two with
	// [Options].Top; none where the query stays as it is. Final and Parts are
	// of the first.
	Expansions []Expansion `json:"expansions,omitempty"`
	// Trace says how it came about.
	Trace Trace `json:"trace"`
}

// An Expansion is what a model wrote to be searched for beside a query.
type Expansion struct {
	Skill string `json:"skill"`
	Text  string `json:"text"`
}

// Expansion is the text of the first expansion, "" where the query stays as
// it is.
func (rw *Rewrite) Expansion() string {
	if len(rw.Expansions) == 0 {
		return ""
	}
	return rw.Expansions[0].Text
}

// A Trace tells how a rewrite came about.
type Trace struct {
	// Route is the choice of a skill, nil where none was made.
	Route *Route `json:"route,omitempty"`
	// Feedback are the ids of the documents that the model was shown.
	Feedback []string `json:"feedback,omitempty"`
	// Kept is why a gate kept the query as it is, "" where it did not.
	Kept string `json:"kept,omitempty"`
	// Cached says that a cache had the rewrite, so that no model was asked.
	Cached bool `json:"cached,omitempty"`
	// Fallbacks are what did not go as planned, in order of the stages.
	Fallbacks []Fallback `json:"fallbacks,omitempty"`
	// Calls of the model, in order of the stages.
	Calls []Call `json:"calls,omitempty"`
	// Elapsed is the time of all of it.
	Elapsed time.Duration `json:"elapsed_ns"`
}

// Usage are the model's tokens, summed over the calls.
func (t *Trace) Usage() prospect.Usage {
	var sum prospect.Usage
	for _, c := range t.Calls {
		sum = sum.Add(c.Usage)
	}
	return sum
}

// Fell says whether a fallback of the reason was taken.
func (t *Trace) Fell(reason Reason) bool {
	return slices.ContainsFunc(t.Fallbacks, func(f Fallback) bool { return f.Reason == reason })
}

// Err joins the errors of the fallbacks, so that errors.Is tells, say, that a
// budget was spent; nil where there is none.
func (t *Trace) Err() error {
	var all []error
	for _, f := range t.Fallbacks {
		all = append(all, f.Err)
	}
	return errors.Join(all...)
}

// A Stage of rewriting.
type Stage string

const (
	StageFeedback Stage = "feedback" // searching for the original query
	StageRoute    Stage = "route"    // choosing a skill
	StageRewrite  Stage = "rewrite"  // writing the expansion
	StageSearch   Stage = "search"   // searching for the final query
)

// A Fallback is one thing that did not go as planned, and what was done.
type Fallback struct {
	Stage  Stage  `json:"stage"`
	Reason Reason `json:"reason"`
	// Text explains it to a person.
	Text string `json:"text"`
	// Err is what caused it, nil where it was no error. In JSON it is text.
	Err error `json:"-"`
}

// MarshalJSON writes the error as text.
func (f Fallback) MarshalJSON() ([]byte, error) {
	type plain Fallback
	out := struct {
		plain
		Error string `json:"error,omitempty"`
	}{plain: plain(f)}
	if f.Err != nil {
		out.Error = f.Err.Error()
	}
	return json.Marshal(out)
}

// A Reason is the kind of a [Fallback], for programs.
type Reason string

const (
	// Blank: the query is blank and stays so; nothing was asked.
	Blank Reason = "blank"
	// NoModel: there is no model, so the query stays as it is.
	NoModel Reason = "no-model"
	// NoFeedback: the search for the original query or the fetching of texts
	// failed, so the expansion was written without documents.
	NoFeedback Reason = "no-feedback"
	// PriorFailed: the prior failed, and the choice was made without it.
	PriorFailed Reason = "prior-failed"
	// UnknownChoice: an answer, and that to a second try, named no skill of
	// the list. [Trace.Err] wraps [ErrUnknownChoice].
	UnknownChoice Reason = "unknown-choice"
	// RouteFailed: a routing call failed, or no answer to it could be used.
	RouteFailed Reason = "route-failed"
	// NotRouted: nothing spoke for any skill, so the generic one was taken. An
	// UnknownChoice or RouteFailed says why.
	NotRouted Reason = "not-routed"
	// RewriteFailed: a rewriting call failed, or no answer to it could be
	// used.
	RewriteFailed Reason = "rewrite-failed"
	// NotRewritten: there is no expansion, so the query stays as it is. A
	// RewriteFailed or TimedOut says why.
	NotRewritten Reason = "not-rewritten"
	// TimedOut: [Options].Timeout ended a call. [Trace.Err] wraps
	// [context.DeadlineExceeded].
	TimedOut Reason = "timed-out"
	// Shortened: an expansion was longer than [Options].MaxExpansion and was
	// cut.
	Shortened Reason = "shortened"
	// CacheFailed: the cache failed; the rewrite was made anew, or not kept.
	CacheFailed Reason = "cache-failed"
	// SearchFailed: the search for one form of the query failed, and another
	// form's hits were taken.
	SearchFailed Reason = "search-failed"
)

// A Call is one question to the model and what came of it.
type Call struct {
	Stage Stage `json:"stage"`
	// Skill is the name of the one to rewrite with, "" for a routing call.
	Skill string `json:"skill,omitempty"`
	// Order says which order of the list a routing call was about, from 0.
	Order int `json:"order,omitempty"`
	// Attempt counts from 1; a second one follows an answer that could not be
	// used.
	Attempt int `json:"attempt"`
	// System and Prompt are what was sent, Answer what came back.
	System string `json:"system"`
	Prompt string `json:"prompt"`
	Answer string `json:"answer"`
	// Err says what was wrong with the call or the answer.
	Err       string         `json:"error,omitempty"`
	Truncated bool           `json:"truncated,omitempty"`
	Usage     prospect.Usage `json:"usage"`
	Elapsed   time.Duration  `json:"elapsed_ns"`
}
