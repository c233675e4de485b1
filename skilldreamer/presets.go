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

// Hybrid looks for each capability by words as well as by meaning, and lets the
// task count for less:
//
//	d_ij = ½·r_i^q + r_ij^p                          R_j = the 20 highest, and the 20 highest by r^w
//	h_ij = ½·n(r_i^q) + n(r_ij^p) + ½·n(r_i^a) + n(r_ij^w)
//
// r^p is the cosine with the capability's text and its imagined skill as one
// text, r^w the BM25 score of both without the skill's body. All else is as in
// [Paper], but lists grow with the request.
//
// It is not published, but the best plain choice among some thousand settings
// that were tried on the 47 SkillsBench tasks (see docs/results.md).
func Hybrid() Options {
	o := Paper()
	o.Candidates, o.Keep = 0, 0
	o.Weights = Weights{Task: 0.5, Imagined: 1, Anchors: 0.5, Words: 1}
	o.WithCapability = true
	return o
}
