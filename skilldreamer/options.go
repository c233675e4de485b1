package skilldreamer

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/fusion"
)

// Options are the numbers and choices of the method. The zero value is the
// published method with its published defaults, [Paper].
type Options struct {
	// K is how many skills a search returns at most. Default 15.
	K int
	// Candidates is K_c, the size of each capability's candidate list.
	// Default 20, or the K of the request if that is more.
	Candidates int
	// Keep is K_r, how many of each list take part in the merge. Default 20,
	// or the K of the request if that is more.
	Keep int
	// Weights are α, β, γ and δ. Default (all zero): 2, 1, 1, 0.
	Weights Weights
	// Normalize brings each of the three scores of a candidate list to one
	// scale, in place. Default [fusion.MinMax].
	Normalize fusion.Normalizer
	// Abstain drops candidates that no raw score speaks for. Default: none is
	// dropped.
	Abstain Abstention
	// Strict makes Find fail with [ErrNotImagined] where it would fall back to
	// plain retrieval, for experiments that must not mix the two.
	Strict bool

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
	// ImaginedRecipe makes the texts of imagined skills. Default: the store's.
	ImaginedRecipe *Recipe
	// Temperature of the model's calls, finite and not negative; nil leaves it to
	// the model.
	Temperature *float64
	// MaxTokens bounds each answer; 0 leaves it to the model.
	MaxTokens int
	// Prompts replace the built-in ones. Default: [DefaultPrompts], also for
	// those of its fields that are empty.
	Prompts Prompts
	// Reserve is how long before ctx's deadline the thinking stops, so that
	// there is time to retrieve. Default 50 ms.
	Reserve time.Duration
	// Grace is how long after ctx's deadline Find may go on to finish the
	// retrieval. Default 1 s.
	Grace time.Duration
}

// Weights of the scores, each from 0 to 10⁶. All zero means the default; to
// switch one score off, set it to zero and another not.
type Weights struct {
	Task     float64 // α, of the cosine with the task
	Imagined float64 // β, of the cosine with the imagined skill
	Anchors  float64 // γ, of the anchors' BM25 score
	// Words is δ, of the BM25 score r^w of all of the imagined skill: name,
	// description and body. Where it is above 0, the K_c skills with the highest
	// r^w join those with the highest d in a capability's candidate list, which
	// then has up to 2·K_c. It extends the published method, whose δ is 0; see
	// [Hybrid].
	Words float64
}

// Abstention says how good a candidate must be on raw scores: it stays in its
// list if it reaches any of the thresholds that are set, and is dropped
// otherwise. Normalised scores cannot say this, for the best of a poor list
// gets 1. The zero value drops nothing.
//
// Plain results have but one raw score, the cosine with the task: there Task
// counts or, where that is 0, Imagined. Where neither is set, nothing can reach
// what is, and all are dropped; so are all candidates with Anchors alone and a
// task that has no anchors.
type Abstention struct {
	// Task is the least cosine with the task; 0 does not ask.
	Task float64
	// Imagined is the least cosine with the imagined skill; 0 does not ask.
	Imagined float64
	// Anchors is the least BM25 score of the anchors; 0 does not ask.
	Anchors float64
	// Words is the least BM25 score of the imagined skill's words; 0 does not
	// ask. It needs [Weights.Words], without which there is no such score.
	Words float64
}

func (a Abstention) credible(s Scores) bool {
	if s.Capability < 0 && a.Task == 0 { // a plain result has no other cosine
		a.Task = a.Imagined
	}
	return a == Abstention{} ||
		a.Task > 0 && s.Task >= a.Task ||
		a.Imagined > 0 && s.Imagined >= a.Imagined ||
		a.Anchors > 0 && s.Anchors >= a.Anchors ||
		a.Words > 0 && s.Words >= a.Words
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

// maxWeight bounds weights, so that no sum leaves float32's range.
const maxWeight = 1e6

// withDefaults checks the options and fills in what is zero, except Candidates
// and Keep, whose defaults depend on the request.
func (o Options) withDefaults() (Options, error) {
	for _, c := range []struct {
		name string
		v    int
	}{
		{"K", o.K}, {"Candidates", o.Candidates}, {"Keep", o.Keep}, {"MaxCapabilities", o.MaxCapabilities},
		{"MaxAnchors", o.MaxAnchors}, {"Parallel", o.Parallel}, {"MaxTokens", o.MaxTokens},
	} {
		if c.v < 0 {
			return o, fmt.Errorf("%w: %s is %d, want 0 or more", prospect.ErrOption, c.name, c.v)
		}
	}
	for _, c := range []struct {
		name string
		v    time.Duration
	}{{"Reserve", o.Reserve}, {"Grace", o.Grace}} {
		if c.v < 0 {
			return o, fmt.Errorf("%w: %s is %v, want 0 or more", prospect.ErrOption, c.name, c.v)
		}
	}
	for _, c := range []struct {
		name string
		v    float64
	}{
		{"Weights.Task", o.Weights.Task}, {"Weights.Imagined", o.Weights.Imagined}, {"Weights.Anchors", o.Weights.Anchors},
		{"Weights.Words", o.Weights.Words},
		{"Abstain.Task", o.Abstain.Task}, {"Abstain.Imagined", o.Abstain.Imagined}, {"Abstain.Anchors", o.Abstain.Anchors},
		{"Abstain.Words", o.Abstain.Words},
	} {
		if !(c.v >= 0 && c.v <= maxWeight) {
			return o, fmt.Errorf("%w: %s is %v, want 0 to %g", prospect.ErrOption, c.name, c.v, float64(maxWeight))
		}
	}
	if o.Calls > CallOnce {
		return o, fmt.Errorf("%w: Calls is %d, which is no plan", prospect.ErrOption, o.Calls)
	}
	if o.ImaginedRole > prospect.RoleQuery {
		return o, fmt.Errorf("%w: ImaginedRole is %v, which is no role", prospect.ErrOption, o.ImaginedRole)
	}
	if o.ImaginedRecipe != nil {
		if err := o.ImaginedRecipe.validate("ImaginedRecipe"); err != nil {
			return o, err
		}
		o.ImaginedRecipe = new(*o.ImaginedRecipe)
	}
	if o.Weights == (Weights{}) {
		o.Weights = Weights{Task: 2, Imagined: 1, Anchors: 1}
	}
	if o.Weights.Task == 0 && o.Weights.Imagined == 0 {
		return o, fmt.Errorf("%w: Weights.Task and Weights.Imagined are both 0, so no vector chooses candidates", prospect.ErrOption)
	}
	if o.Abstain.Words > 0 && o.Weights.Words == 0 {
		return o, fmt.Errorf("%w: Abstain.Words is %v, which nothing can reach: Weights.Words is 0", prospect.ErrOption, o.Abstain.Words)
	}
	if o.Temperature != nil {
		if t := *o.Temperature; !(t >= 0 && t <= math.MaxFloat64) {
			return o, fmt.Errorf("%w: Temperature is %v, want it finite and not negative", prospect.ErrOption, t)
		}
		o.Temperature = new(*o.Temperature)
	}
	if o.Normalize == nil {
		o.Normalize = fusion.MinMax
	}
	o.K = cmp.Or(o.K, 15)
	o.MaxCapabilities = cmp.Or(o.MaxCapabilities, 8)
	o.MaxAnchors = cmp.Or(o.MaxAnchors, 24)
	o.Parallel = cmp.Or(o.Parallel, 4)
	o.Reserve = cmp.Or(o.Reserve, 50*time.Millisecond)
	o.Grace = cmp.Or(o.Grace, time.Second)
	return o, nil
}

// lists gives K_c and K_r for a request of k skills.
func (o Options) lists(k int) (candidates, keep int) {
	return cmp.Or(o.Candidates, max(20, k)), cmp.Or(o.Keep, max(20, k))
}
