// Package vecindex is exact nearest-neighbour search over float32 vectors in
// memory: every search compares the query with every row, so nothing is ever
// missed, and a search over 100,000 rows of 384 floats takes milliseconds.
//
// # Reading order
//
//   - [New] or [Open] gives an [Index]: one writer at a time adds, updates and
//     deletes, any number of goroutines search.
//   - [Index.Search] and [Index.SearchBatch] rank by cosine.
//     [Index.ScoreBatch] ranks by inner product with vectors that need not
//     have unit length, for sums such as α·f(q) + β·f(s̃): the dot product is
//     linear, so one pass ranks by α·cos(q, d) + β·cos(s̃, d).
//     [Index.Scores] gives the inner products with chosen documents.
//   - [Index.Snapshot] pins a [Snapshot], which has every method that reads,
//     for several reads of one state.
//   - [Index.Apply] makes deletes, updates and adds visible in one step.
//
// # Vectors and scores
//
// A document is an id and one vector. Vectors are scaled to unit length when
// added (the norm is taken in float64, so neither 1e20 nor denormals hurt); a
// vector that is zero, not finite or of another dimension is refused. The dot
// product of unit vectors is their cosine; it is summed in float32, in an
// order that depends on the CPU's instruction set, never on the number of
// cores. Up to 1,537 dimensions it is off by at most about 2e-7 with AVX2 and
// 3e-6 in portable code (measured; random vectors, all signs equal being the
// worst case). Cosines from Search are clamped to [-1, 1]; inner products from
// ScoreBatch and Scores never are.
//
// Equal scores rank in the order in which documents were first added. Updates,
// compaction and saved files keep that order.
//
// # Concurrency
//
// All methods of Index and Snapshot may be called from any number of
// goroutines. A search works on the snapshot that was current when it began:
// it sees all of a change or nothing of it. Writers wait for each other;
// searches wait for no writer and writers for no search, but for a lock of some
// microseconds where ids are looked up.
//
// # Cost
//
// With n rows of d floats a search of one query takes O(n·d) and runs at the
// speed of memory, split over GOMAXPROCS goroutines where that pays. M queries
// at once read the rows once, a cache-sized tile at a time. Memory is 4·d
// bytes a row, ids and about 65 bytes of bookkeeping a row aside, plus up to a
// quarter of a mebibyte; dead rows count until [Index.Compact] or until they are
// more than the share [Options].MaxDead, and compaction needs room for old and
// new rows at once. Where linear cost no longer fits, millions of rows and a
// latency of a few milliseconds, an approximate index or a vector database
// behind [prospect.Searcher] is the better choice.
package vecindex
