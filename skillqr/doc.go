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
// The publication of the method reports, in its own evaluation, 42.9 with the
// skill that its model chose and 53.4 with the best skill of each query, and on
// one collection (LeetCode) the rewritten query lost to the original. Below,
// rewriting gains much and the mined skills gain nothing over the generic one. So
// probe with queries and a model of your own before you rely on it. Where
// rewrites hurt, [SearchOptions].Raw and Keep are guards; where they help, as in
// the table below, guards cost.
//
// # Measured
//
// NDCG@10 on a mixed collection of 2,033 theorems, pages of the Pony language's
// documentation, medical abstracts and agent skills, for 20 queries of each
// kind; five skills mined from it with the default options in two rounds, all
// answers those of a large language model, recorded, the feedback documents those
// of BM25:
//
//	                                    BM25         built-in     MiniLM       MiniLM, sum
//	                                    none  fb     none  fb     none  fb     none  fb
//	the query as it is                  .509         .494         .555         .555
//	generic instruction                 .697  .705   .623  .629   .638  .624   .664  .667
//	by hand, one for each kind          .689  .692   .616  .610   .625  .621   .650  .648
//	SkillQR                             .673  .705   .604  .631   .648  .632   .662  .657
//	SkillQR, the query three times            .688         .608         .623         .630
//	SkillQR, the expansion alone              .685         .664         .668         .668
//	SkillQR, fused with the query's hits      .639         .586         .625         .629
//	SkillQR, two skills fused                 .717         .636         .630         .658
//	chosen by ClusterPrior alone              .702         .623         .629         .668
//	the best skill of each query              .773         .671         .673         .713
//	the best of six generic rewrites          .776         .678         .667         .716
//
// None and fb: without and with feedback. MiniLM is all-MiniLM-L6-v2; in the
// last two columns the vectors of query and expansion are added ([ByVectorSum]),
// in the others both are one text. TestMultidomain of package probe makes all the
// figures, and says how the answers were made.
//
//   - Rewriting pays: with feedback SkillQR gains over the query .196 with BM25
//     (95 % interval .133 to .263), .136 with the built-in model (.080 to .197)
//     and .078 with MiniLM (.039 to .120).
//   - The skill does not, here: against the generic instruction, with feedback,
//     the difference is .000 (-.032 to .030), .002 (-.020 to .023) and .008
//     (-.010 to .032). A large model works out by itself what a text that helps
//     would say. What a small one needs to be told was not measured.
//   - The choice is no problem: the model chose a skill of the right kind for all
//     80 queries, the same ones with the skills in three orders or with examples.
//     The queries of the four kinds are easy to tell apart.
//   - The best skill of each query is .03 to .07 above the chosen one, and that is
//     luck: the best of as many rewrites with the one generic instruction is as
//     good (OracleReport.Luck of package probe). A gap to the best is no evidence that a
//     better choice would gain something, until it is compared with that.
//   - With vectors the expansion without the query ([JoinWeights]) does better, by
//     .011 to .036; with BM25 worse, by .020. A query that names what it wants
//     would be lost, so it is not the default. Guards cost more than they save,
//     for few rewrites hurt; with a small model that will be otherwise.
//
// The defaults are the published method.
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
