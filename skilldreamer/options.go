package skilldreamer

import (
	"fmt"
	"math"
	"time"

	"github.com/prospect-go/prospect"
)

// Options are the numbers and choices of the method. The zero value is the
// published method with its published defaults.
type Options struct {
	// K is how many skills a search returns at most. Default 15.
	K int
	// Candidates is K_c, the size of each capability's candidate list.
	// Default 20, or K if that is more.
	Candidates int
	// Keep is K_r, how many of each list take part in the merge. Default 20,
	// or K if that is more.
	Keep int
	// Weights are α, β and γ. Default (all zero): 2, 1, 1.
	Weights Weights
	// Abstain drops candidates that no raw score speaks for. Default: none is
	// dropped.
	Abstain Abstention

	// Calls says how the model is asked. Default [CallPerCapability].
	Calls CallPlan
	// MaxCapabilities bounds how many capabilities of an answer are used.
	// Default 8.
	MaxCapabilities int
	// MaxAnchors bounds how many anchors are used. Default 24.
	MaxAnchors int
	// Parallel bounds the model's calls at the same time. Default 4.
	Parallel int
	// ImaginedRole is the role in which imagined skills are embedded. Default
	// [prospect.RoleDocument], as the skills of the gallery are.
	ImaginedRole prospect.Role
	// Temperature of the model's calls; nil leaves it to the model.
	Temperature *float64
	// MaxTokens bounds each answer; 0 leaves it to the model.
	MaxTokens int
	// Prompts replace the built-in prompts. Default: [DefaultPrompts].
	Prompts *Prompts
	// Reserve is how long before ctx's deadline the thinking stops, so that
	// there is time to retrieve. Default 50 ms.
	Reserve time.Duration
}

// Weights of the three scores: α for the task, β for the imagined skill, γ
// for the anchors. They are finite and not negative. All zero means the
// default; to switch one score off, set it to zero and another not.
type Weights struct {
	Task     float64 // α
	Imagined float64 // β
	Anchors  float64 // γ
}

// Abstention says how good a candidate must be on raw scores: it stays in its
// list if it reaches any of the thresholds that are set, and is dropped
// otherwise. Normalised scores cannot say this, for the best of a poor list
// gets 1. The zero value drops nothing.
type Abstention struct {
	// Task is the least cosine with the task; 0 does not ask.
	Task float64
	// Imagined is the least cosine with the imagined skill; 0 does not ask.
	Imagined float64
	// Anchors is the least BM25 score of the anchors; 0 does not ask.
	Anchors float64
}

func (a Abstention) set() bool { return a != Abstention{} }

func (a Abstention) credible(s Scores) bool {
	return !a.set() ||
		a.Task > 0 && s.Task >= a.Task ||
		a.Imagined > 0 && s.Imagined >= a.Imagined ||
		a.Anchors > 0 && s.Anchors >= a.Anchors
}

// A CallPlan says in how many calls a model imagines.
type CallPlan uint8

const (
	// CallPerCapability asks once for the capabilities and then, in parallel,
	// once per capability for its imagined skill: M + 1 calls.
	CallPerCapability CallPlan = iota
	// CallBatched asks once for the capabilities and once for all imagined
	// skills: 2 calls.
	CallBatched
	// CallOnce asks for capabilities and imagined skills together: 1 call.
	CallOnce
)

// withDefaults fills in what is zero and checks the rest.
func (o Options) withDefaults() (Options, error) {
	for _, c := range []struct {
		name string
		v    int
	}{
		{"K", o.K}, {"Candidates", o.Candidates}, {"Keep", o.Keep}, {"MaxCapabilities", o.MaxCapabilities},
		{"MaxAnchors", o.MaxAnchors}, {"Parallel", o.Parallel}, {"MaxTokens", o.MaxTokens}, {"Reserve", int(o.Reserve)},
	} {
		if c.v < 0 {
			return o, fmt.Errorf("skilldreamer: option %s is negative: %d", c.name, c.v)
		}
	}
	for _, c := range []struct {
		name string
		v    float64
	}{
		{"Weights.Task", o.Weights.Task}, {"Weights.Imagined", o.Weights.Imagined}, {"Weights.Anchors", o.Weights.Anchors},
		{"Abstain.Task", o.Abstain.Task}, {"Abstain.Imagined", o.Abstain.Imagined}, {"Abstain.Anchors", o.Abstain.Anchors},
	} {
		if math.IsNaN(c.v) || math.IsInf(c.v, 0) || c.v < 0 {
			return o, fmt.Errorf("skilldreamer: option %s is %v, want a finite number that is not negative", c.name, c.v)
		}
	}
	if o.Calls > CallOnce {
		return o, fmt.Errorf("skilldreamer: option Calls is %d, which is no plan", o.Calls)
	}
	o.K = or(o.K, 15)
	o.Candidates = or(o.Candidates, max(20, o.K))
	o.Keep = or(o.Keep, max(20, o.K))
	if o.Weights == (Weights{}) {
		o.Weights = Weights{Task: 2, Imagined: 1, Anchors: 1}
	}
	if o.Weights.Task == 0 && o.Weights.Imagined == 0 {
		return o, fmt.Errorf("skilldreamer: weights of the task and of the imagined skill are both 0, so there are no candidates")
	}
	o.MaxCapabilities = or(o.MaxCapabilities, 8)
	o.MaxAnchors = or(o.MaxAnchors, 24)
	o.Parallel = or(o.Parallel, 4)
	if o.Reserve == 0 {
		o.Reserve = 50 * time.Millisecond
	}
	if o.Prompts == nil {
		o.Prompts = DefaultPrompts()
	}
	return o, o.Prompts.check()
}

func or(v, otherwise int) int {
	if v == 0 {
		return otherwise
	}
	return v
}
