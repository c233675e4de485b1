package skilldreamer

import (
	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/fusion"
)

// Paper is the published method with its published numbers, written out:
//
//	d_ij = 2·r_i^q + r_ij^p                          R_j = the K_c = 20 highest
//	h_ij = 2·n(r_i^q) + n(r_ij^p) + n(r_i^a)         n = min-max within R_j
//
// the K_r = 20 best of each list, merged round-robin until there are K = 15,
// with one call of the model for the capabilities and one for each imagined
// skill, which is embedded as a document.
//
// The zero [Options] give the same results up to K = 20; beyond that their lists
// grow with the request, and these do not. The publication sets no bound on
// capabilities and anchors; ours are 8 and 24.
func Paper() Options {
	return Options{
		K:            15,
		Candidates:   20,
		Keep:         20,
		Weights:      Weights{Task: 2, Imagined: 1, Anchors: 1},
		Normalize:    fusion.MinMax,
		Calls:        CallPerCapability,
		ImaginedRole: prospect.RoleDocument,
	}
}

// Hybrid looks for each capability by the words of its imagined skill as well as
// by its vector, and lets the task and the anchors count for less:
//
//	d_ij = ½·r_i^q + r_ij^p                          R_j = the 20 highest, and the 20 highest by r^w
//	h_ij = ½·n(r_i^q) + n(r_ij^p) + ¼·n(r_i^a) + n(r_ij^w)
//
// r^w is the BM25 score of the imagined skill ([Weights.Words]). All else is as
// in [Paper], but lists grow with the request.
//
// It is not published. On the 47 SkillsBench tasks among 5,536 skills the mean of
// recall at 5, 10 and 15 rises from .679 to .774 with the built-in model (95 %
// interval of the rise: .03 to .16) and from .678 to .800 with all-MiniLM-L6-v2
// (.07 to .17). docs/results.md says how it was found, what it gains on other
// tasks and with other models, and what is not known. It trusts
// what was imagined more than [Paper] does, so it has more to lose by a poor
// model; and it wants the default lexical recipe, for with bodies in the BM25
// index half of the gain is lost.
func Hybrid() Options {
	o := Paper()
	o.Candidates, o.Keep = 0, 0
	o.Weights = Weights{Task: 0.5, Imagined: 1, Anchors: 0.25, Words: 1}
	return o
}
