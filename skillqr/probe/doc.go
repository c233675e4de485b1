// Package probe says whether rewriting helps with the queries at hand, and
// what a better choice of skills could gain, before a program pays for it with
// every query.
//
//   - [Run] compares arms on queries with judgements: the queries as they are,
//     the generic instruction, instructions written by hand, and the mined
//     skills, with paired intervals, p-values, latencies and a [Verdict] in
//     words.
//   - [Oracle] rewrites each query with every skill and shows what the chosen,
//     the best and the generic one found, and which queries are sensitive to
//     the choice. The best of several looks good by luck alone; with
//     [OracleOptions].Again it is compared with the best of as many tries of the
//     generic skill.
//   - [Sample] draws queries from a log, the same ones each time.
//
// Fifty judged queries tell large effects from nothing, a few hundred small
// ones. Both functions call the model: Run once or twice for each query and
// arm, Oracle once for each query and skill and once for the choice. Wrapped
// in package llm's cache or recording, a model is asked once.
package probe
