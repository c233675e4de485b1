// Package metrics says how good rankings are: Recall@K, NDCG@K,
// Completeness@K and the other usual measures over judged queries, and the
// pass rate and load rate of agents' tasks.
//
// [Evaluate] takes a run, judgements and measures, and gives values by query
// and their means. For one ranking, [Judge] it and ask a [Measure] for its
// value. [PassRate] and [LoadRate] stand beside them.
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
//     would lift recall above 1.
//   - A ranking shorter than K is judged as if documents that are not
//     relevant followed.
//   - A query that is judged but not answered counts with an empty ranking,
//     which is 0 in every measure but [QSM], where 1 is bad.
//   - A query without a relevant document has no recall. It is left out of the
//     means and listed.
//
// Values lie in [0, 1] and do not depend on the order of a map. Everything
// here is safe for concurrent use as long as nobody changes the arguments.
package metrics
