// Package skilldreamer finds the skills that a task needs by imagining them
// first.
//
// Tasks state goals and skills state procedures, so the words of a task often
// miss skills that it needs. A language model infers the capabilities that the
// task calls for and imagines a skill for each. The imagined skills steer
// retrieval over the real ones; they are never handed to the agent.
//
// # Types, in reading order
//
//   - [Gallery] holds skills, their vectors and their lexical index, and
//     changes all three together. [Gallery.Sync] follows folders of SKILL.md
//     files. A [Recipe] says which text stands for a skill.
//   - [Dreamer] is the method: [Dreamer.Find] is [Dreamer.Imagine] (the model)
//     and [Dreamer.Retrieve] (no model) in one. [Options] holds its numbers;
//     [Paper] are the published ones, which are the default, and [Hybrid] are
//     better ones where they were tried.
//   - [Imagined] is what the model thought; an agent may bring its own.
//   - [Result] lists the skills, each with its reason, and how it all came
//     about ([Trace]).
//   - [Store] and [View] are what the method sees of a gallery, so that a
//     database can stand in for it.
//
// # The method
//
// f(·) are unit vectors and sim is their inner product. For a task q over
// skills s_i:
//
//	CI    {C, A} = LLM(q)         capabilities c_1 … c_M and anchor terms A
//	PSG   s̃_j    = LLM(c_j)       an imagined skill for each capability
//	HSR   r_i^q  = sim(f(q), f(s_i))
//	      r_ij^p = sim(f(s̃_j), f(s_i))
//	      d_ij   = α·r_i^q + β·r_ij^p
//	      R_j    = the K_c skills with the highest d_ij
//	      r_i^a  = BM25(A, s_i) for s_i in R_j, with the whole gallery's statistics
//	      h_ij   = α·n(r_i^q) + β·n(r_ij^p) + γ·n(r_i^a)     n = min-max within R_j
//	      the K_r best of each R_j by h_ij, merged round-robin, row by row,
//	      skipping skills already taken, until there are K
//
// Because sim is an inner product, d_ij = (α·f(q) + β·f(s̃_j))·f(s_i): one pass
// over the gallery with M combined vectors gives every R_j. Where skills have
// several vectors ([Recipe.Piece]), sim is the highest over them, which is not
// linear: then one pass with the M + 1 vectors gives every sim, and d is their
// sum.
//
// [Weights.Words] adds a score r_ij^w = BM25(s̃_j, s_i) to h with the weight δ,
// and the K_c skills with the highest r^w to R_j. That is not published, and off
// by default.
//
// Where that leaves something open: a list of equal scores normalises to 0;
// ties go by score, then by the order of the gallery; fewer than K different
// skills give a shorter list, which is noted and no error; without capabilities
// the result is plain retrieval by q, which is noted; a missing imagined skill
// is replaced by its capability's text, which is noted.
//
// # Trust
//
// What a model answers is untrusted text. It is parsed leniently, bounded in
// number and length, asked for once more with the error where it cannot be
// used, and else replaced by the fallbacks above. It can only change which
// skills of the gallery are found. Tasks and capabilities are fenced in the
// prompts as data.
package skilldreamer
