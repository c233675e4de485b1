// Package skillqr rewrites queries before a search, in the way that the
// collection at hand needs.
//
// A query is often worded unlike the documents that answer it: an exercise
// tells a story where the document states a theorem. A language model can add
// what such a document would say, if it is told what the documents are like.
// This package finds that out once, from the collection, and writes it down as
// a few skills, which a person can read and edit; then it chooses one for each
// query and has the query expanded with it (SkillQR).
//
// # Reading order
//
//   - Offline: [CorpusOf] takes documents with the vectors that there are
//     already, [Mine] clusters them and lets a model label the clusters, draft
//     skills, and judge and revise them. It gives a [Set] of [Skill]s, a file
//     for people ([Set.Save], [Load]), and [Clusters], by which [Refresh]
//     follows the collection as it changes.
//   - Online: [New] makes a [Rewriter] of a set. [Rewriter.Rewrite] chooses a
//     skill for a query ([Route]) and expands the query with it; a [Rewrite]
//     says what came of it and, in its [Trace], how. [Rewriter.Search] also
//     searches, through a [Retriever], and can guard against rewrites that
//     hurt.
//   - [Feedback] shows the model the first hits of the original query; [Gate]
//     says which queries are worth a rewrite; [Cache] and [Rewriter.Warm] keep
//     the rewrites of frequent ones; [Coverage] watches which skills queries
//     get; [Prior], [Routing].Votes and [Options].Top are ways to choose better
//     than by one answer.
//   - Package probe, beside this one, says whether all that helps.
//
// # What it costs, and what to expect
//
// Mining asks the model once for each cluster to label it, once for the draft,
// once for each cluster and round to judge, and once to revise between rounds:
// with √N clusters of N documents some 90 calls for 2,000 documents, 1,300 for
// 400,000, and up to twice as many where judging takes all its rounds.
//
// A query costs two calls of the model in a row, one to choose and one to
// write: seconds, where the search itself takes milliseconds. That is worth it
// for questions that need to be understood, and rarely for keywords and names.
//
// The choice is the weak point. The publication of the method reports, in its
// own evaluation, 42.9 with the skill that its model chose and 53.4 with the
// best skill of each query, and on one collection (LeetCode) the rewritten
// query lost to the original. So probe with queries of your own before you rely
// on it. Where rewrites hurt, [SearchOptions].Raw and Keep are guards; where they
// help, as in the table below, guards cost.
//
// # Measured
//
// NDCG@10 on a mixed collection of 2,033 theorems, pages of the Pony language's
// documentation, medical abstracts and agent skills, for 20 queries of each
// kind; five skills mined from it with the default options, all answers those
// of a large language model, recorded, the feedback documents those of BM25:
//
//	                                    BM25         built-in     MiniLM       MiniLM, sum
//	                                    none  fb     none  fb     none  fb     none  fb
//	the query as it is                  .509         .494         .555         .555
//	generic instruction                 .669  .670   .603  .613   .619  .620   .648  .649
//	by hand, one for each kind          .678  .691   .619  .620   .632  .635   .656  .675
//	SkillQR                             .711  .688   .613  .625   .635  .637   .656  .664
//	the best skill of each query              .731         .660         .651         .698
//	SkillQR, the query three times            .655         .576         .625         .638
//	SkillQR, the expansion alone              .713         .663         .681         .681
//	SkillQR, fused with the query's hits      .614         .582         .601         .624
//	SkillQR, two skills fused                 .659         .621         .621         .637
//	chosen by ClusterPrior alone              .569         .542         .584         .589
//
// None and fb: without and with feedback. MiniLM is all-MiniLM-L6-v2; in the
// last two columns the vectors of query and expansion are added ([ByVectorSum]),
// in the others both are one text.
//
// With feedback SkillQR gains over the query .179 with BM25 (95 % interval .126
// to .236), .131 with the built-in model (.079 to .186) and .082 with MiniLM
// (.049 to .119). Most of that comes from rewriting at all: over the generic
// instruction it gains .042 with BM25 (.006 to .079) without feedback and .017
// with MiniLM (.002 to .034) with it, and elsewhere nothing that 80 queries
// could show. The guards cost more here than they save, for few rewrites hurt;
// with a small model that will be otherwise. The model chose a skill of the
// right kind for every query, but it saw ids that name the kind, so this is no
// measure of routing; it chose the best of the six for 56 to 68 % of those
// that are sensitive to it. TestMultidomain of package probe makes all the
// figures, and says what is to be held against them.
//
// The defaults are the published method. On these queries the expansion without
// the query ([JoinWeights]) did better, by .018 to .044, with three of the four
// retrievers by more than chance; the writer was a large model that knows what it
// writes about, and a query that names what it wants would be lost, so it is not
// the default.
//
// # When something fails
//
// Online, no failure of a model, a searcher for feedback or a cache is an
// error: the query is rewritten in a plainer way or stays as it is, and
// [Trace.Fallbacks] says what happened and why. Only the end of ctx is an
// error, and a search that fails for every form of the query.
//
// # Trust
//
// Queries, documents, and what is told of skills stand fenced in prompts, as
// material that is not to be followed. The instruction of a skill is followed:
// who may edit the set's file decides what queries turn into. Answers are
// parsed, bounded and never executed; an expansion is one line of text that
// goes to a search engine and nowhere else. Mined skills are written by a model
// that has read documents: read a set before you use it, as you would code.
package skillqr
