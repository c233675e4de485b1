// Package fusion merges ranked lists: normalisers for scores, weighted sums,
// reciprocal rank fusion and a round-robin merge.
//
// Start with [Weighted] where the scores mean something, with [RRF] where only
// the ranks do, and with [RoundRobin] where each list answers a question of
// its own and all of them deserve a place. [MinMax] and the other normalisers,
// and [Combine], work on plain columns of scores.
//
// # Conventions
//
//   - Lists are ordered best first, as a [prospect.Searcher] returns them.
//     Ids are compared as they are: lists that name one document differently
//     never meet.
//   - An id that a list repeats counts once there, with its best place and
//     score, and takes up one rank: [a, a, b] is [a, b].
//   - An empty list is allowed and contributes nothing.
//   - Results are ordered by score descending and, among equal scores, by
//     first sight: list by list in the order given, each from its top. Nothing
//     depends on the order of a map.
//   - NaN and infinite scores, where scores are read, and weights that are
//     negative or not finite, are refused with an error that names the place.
//     Nothing is changed then.
//
// All functions are safe for concurrent use on separate arguments and, unless
// their argument is called dst, do not change what they are given.
package fusion
