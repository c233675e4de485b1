// Package skillqr rewrites queries before a search, in the way that the
// collection at hand needs.
//
// A query is often worded unlike the documents that answer it: an exercise
// tells a story where the document states a theorem. A language model can add
// what such a document would say. The idea of the method is that it does so
// better if it is told what the documents are like. This package finds that out
// once, from the collection, and writes it down as a few skills, which a person
// can read and edit; then it chooses one for each query and has the query
// expanded with it (SkillQR).
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
//     get; [Prior], [Routing].Votes and [Options].Top are other ways to choose
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
// A set without mined skills, the generic one alone, costs one call: there is
// nothing to choose. In the figures below it does as well. So probe with queries
// and a model of your own before you mine. The publication of the method reports,
// in its own evaluation, 42.9 with the skill that its model chose and 53.4 with
// the best skill of each query, and on one collection (LeetCode) the rewritten
// query lost to the original. Where rewrites hurt, [SearchOptions].Raw and Keep
// are guards.
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
//	SkillQR, fused with the query's hits      .617         .583         .606         .625
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
//   - No gain of the mined skills over the generic instruction can be shown: in
//     the order of the columns, SkillQR less generic is -.024 (-.049 to .001) and
//     with feedback .000 (-.032 to .030); -.018 (-.046 to .008) and .002 (-.020
//     to .023); .010 (-.005 to .027) and .008 (-.010 to .032); -.002 (-.018 to
//     .014) and -.010 (-.036 to .019). Presumably a large model works out by
//     itself what a text that helps would say. What a small one needs to be told
//     was not measured.
//   - The model chose a skill of the right kind for all 80 queries (medicine has
//     two), and the same ones by a vote over three orders of the list and with
//     examples. The four kinds are easy to tell apart.
//   - The best skill of each query is .041 to .068 above the chosen one, which is
//     the best for 22 to 38 % of the queries that are sensitive to it. That gap
//     cannot be told from luck: the best of as many rewrites with the generic
//     instruction is as good, the best skill less that being -.003 (-.014 to
//     .008), -.007 (-.014 to .000), .006 (-.010 to .025) and -.003 (-.017 to
//     .012). See OracleReport.Luck of package probe.
//   - The expansion without the query ([JoinWeights]) does better with MiniLM
//     (.036, .007 to .066), worse with BM25 (-.020, -.042 to -.003), and nothing
//     clear elsewhere. A query that names what it wants would be lost, so it is
//     not the default.
//   - Fusing in the query's own hits costs .03 to .09 here, for few rewrites hurt.
//     Keeping the query where its hits look sure costs .033 with BM25 (.011 to
//     .059) and nothing clear elsewhere.
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
