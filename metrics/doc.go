// Package metrics says how good rankings are: Recall@K, NDCG@K,
// Completeness@K and the other usual measures over judged queries, the pass
// rate and load rate of agents' tasks, and how sure a difference is.
//
// [Evaluate] takes a run, judgements and measures, and gives values by query
// and their means. For one ranking, [Judge] it and ask a [Measure] for its
// value. [PassRate] and [LoadRate] stand beside them.
//
// [Compare] holds two systems against each other, query by query; with several
// against one baseline, [CompareAll] corrects for their number. [MeanInterval]
// is for a single mean. All take plain columns of values: those of
// [Evaluation.Column] and [Paired], or rewards of tasks.
//
// [BEIR] reads a collection. [ReadTrecRun], [WriteTrecRun] and their likes for
// judgements exchange files with trec_eval and others; a line that is
// malformed is an error, never skipped.
//
// Recall, NDCG, completeness, pass rate and load rate are those by which
// SkillDreamer was published (its equations 15 to 19).
//
// # Conventions
//
//   - The order given is the ranking; scores play no part, so ties are the
//     ranker's affair. A ranking is a slice, never a map. [Ranking] makes one of
//     hits, [TrecRanking] the one that trec_eval would.
//   - A document is relevant if its grade is above 0. One that is not judged,
//     or judged 0 or less, is not relevant and gains nothing.
//   - An id twice in one ranking is an error that names it: counted twice it
//     would lift recall above 1. [Run.Unique] counts it once, where it first
//     stands.
//   - A ranking shorter than K is judged as if documents that are not
//     relevant followed.
//   - A query that is judged but not answered counts with an empty ranking,
//     which is 0 in every measure but [QSM], where 1 is bad; trec_eval does so
//     with its option -c. They are listed.
//   - A query without a relevant document has no recall. It is left out of the
//     means and listed, and so is one of the run that is not judged.
//
// Values lie in [0, 1] and do not depend on the order of a map. Everything
// here is safe for concurrent use as long as nobody changes the arguments.
package metrics
