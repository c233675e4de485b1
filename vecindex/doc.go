// Package vecindex is exact nearest-neighbour search over float32 vectors in
// memory: every search compares the query with every vector, so nothing is ever
// missed, and a search over 100,000 vectors of 384 floats takes milliseconds.
//
// # Reading order
//
//   - [New] or [Open] gives an [Index]: one writer at a time adds, updates and
//     deletes, any number of goroutines search.
//   - [Index.Search] and [Index.SearchBatch] rank by cosine.
//     [Index.ScoreBatch] ranks by inner product with vectors that need not
//     have unit length, for sums such as α·f(q) + β·f(s̃): the dot product is
//     linear, so one pass ranks by α·cos(q, d) + β·cos(s̃, d).
//     [Index.ScoreSums] ranks by such sums where documents have several
//     vectors. [Index.Scores] gives the inner products with chosen documents.
//   - A [Filter] restricts what is ranked, and is the last argument of every
//     method that ranks, except that Search has those of [prospect.Query].
//   - [Index.Snapshot] pins a [Snapshot], which has every method that reads,
//     for several reads of one state.
//   - [Index.Apply] makes deletes, updates and adds visible in one step.
//
// # Vectors and scores
//
// A document is an id and one vector or several, such as those of the pieces of
// a long text. Vectors are scaled to unit length when added (the norm is taken
// in float64, so neither 1e20 nor denormals hurt); a vector that is zero, not
// finite or of another dimension is refused. The score of a document is the
// highest of its vectors' inner products with the query, folded in the pass that
// computes them; it is one hit, however many vectors it has.
//
// The dot product of unit vectors is their cosine; it is summed in float32, in
// an order that depends on the CPU's instruction set, never on the number of
// cores, the number of queries, or the method: Search, ScoreBatch and Scores
// agree to the last bit. Up to 1,537 dimensions it is off by at most about 2e-7
// with vector instructions and 3e-6 in portable code (measured; random vectors,
// all signs equal being the worst case). Cosines from Search are clamped to
// [-1, 1]; inner products never are.
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
// With n vectors of d floats a search of one query takes O(n·d) and runs at the
// speed of memory, split over GOMAXPROCS goroutines where that pays: twice the
// vectors take twice the time. M queries at once read the vectors once, a
// cache-sized tile at a time, and run at the speed of the multipliers. With
// [Options].Quantize both take half of the time or less, with the same hits: a
// search reads a quarter of the bytes and multiplies small integers. In the
// worst case, many vectors nearer to each other than codes can tell, it takes
// longer than without.
//
// Memory is 4·d bytes a vector, d + 8 more with Quantize; ids and about 80 bytes
// of bookkeeping a document aside, plus up to 3 % or a quarter of a mebibyte that
// is made ready for growth. Dead vectors count until [Index.Compact] or until
// their documents are more than the share [Options].MaxDead, and compaction needs
// room for old and new at once. On Linux the kernel is asked for huge pages,
// which vectors get that are added in large batches, opened from a file or
// compacted; they can double the speed of a query.
//
// # Where to turn to something else
//
// Cost is linear. A million vectors of 384 floats are 1.5 GB: where memory gives
// 50 GB/s a query takes 30 ms, and a third of that with Quantize. Above that, or
// where thousands of queries a second come one by one:
//
//   - An approximate index trades some recall for cost that grows with log n.
//     faiss (HNSW or IVF, in C++ and Python) and usearch (C++, with a Go
//     binding through cgo) are libraries; measure recall on your own vectors.
//   - A database adds disk, replication and filters over metadata: Qdrant,
//     Milvus or Weaviate as a service, pgvector in a PostgreSQL that is there
//     already, sqlite-vec or DuckDB in a file.
//
// Either can stand behind [prospect.Searcher]. Re-ranking what they return with
// exact scores (Scores of a small index, or a dot product by hand) repairs most
// of what codes or graphs lose in order, not what they miss.
package vecindex
