// Package bm25 is full-text search in memory, ranked by BM25: exact scores,
// exact statistics after every change, and an analyzer for text and names of
// any language.
//
// # Reading order
//
//   - [New] or [Open] gives an [Index]: one writer at a time adds, updates and
//     deletes, any number of goroutines search.
//   - [Index.Search] ranks by the words of a text; [Index.SearchTerms] by
//     weighted terms. [Index.Scores] scores chosen documents as a search would.
//     [Index.Explain] takes a score apart.
//   - [Index.Snapshot] pins a [Snapshot], which has every method that reads,
//     for several reads of one state.
//   - [Index.Apply] makes deletes, updates and adds visible in one step.
//   - [Standard] and [NewAnalyzer] make an [Analyzer], which turns texts into
//     terms.
//   - [Options].Fields and [Doc].Fields are for documents with parts, such as
//     names and descriptions, that count more than the rest.
//
// # Scores
//
// With N documents, df of which have a term, tf occurrences of it in a document
// of dl terms, the mean length avgdl and L = 1 − b + b·dl/avgdl, a document's
// score is the sum over the query's terms that it has, each as often as the
// query has it (or times its weight), of
//
//	lucene     ln(1 + (N−df+½)/(df+½)) · tf/(tf + k1·L)
//	robertson  max(0, ln((N−df+½)/(df+½))) · tf/(tf + k1·L)
//	atire      ln(N/df) · (k1+1)·tf/(tf + k1·L)
//	bm25l      ln((N+1)/(df+½)) · (k1+1)·(c+δ)/(k1 + c + δ), c = tf/L
//	bm25+      ln((N+1)/df) · (δ + (k1+1)·tf/(tf + k1·L))
//
// Sources: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009
// (robertson); Trotman, Jia and Crane, Towards an Efficient and Effective
// Search Engine, 2012 (atire); Lv and Zhai, When Documents Are Very Long, BM25
// Fails!, 2011 (bm25l), and Lower-Bounding Term Frequency Normalization, 2011
// (bm25+); Apache Lucene since version 8 (lucene: without the factor k1 + 1,
// which changes no order). Kamphuis, de Vries, Boytsov and Lin, Which BM25 Do
// You Mean?, 2020, compares them.
//
// Scores are finite and never negative. The logarithms of robertson and atire
// are 0 for terms in half or all of the documents; a document with nothing
// but such terms scores 0 and is no hit. A term counts at most 65,535 times
// in one document. N, df and avgdl are those of the live documents, in every
// snapshot, as if the index had been built of them alone. Scores are summed
// term by term in byte order and without fused operations: they are equal bit
// for bit between Search, Scores and Explain, between processors, and before
// and after compaction and saving.
//
// Equal scores rank in the order in which documents were first added. Updates,
// compaction and saved files keep that order.
//
// # Fields
//
// A document is a Text, or a Text and fields, which [Options].Fields lists
// with their weights. A term's frequency is then put together before it
// saturates, as BM25F does: in place of tf/L the formulas have
//
//	c = Σ weight·tf/L over the fields, L = 1 − b + b·dl/avgdl of each
//
// with the field's own tf, dl, avgdl and b, and the Text as a field of weight
// 1 (lucene: idf·c/(c + k1)). So a term in the name and again in the body
// counts as one term that is frequent, not as two; df counts the documents
// that have it in any field. avgdl is over all documents, those in which the
// field is empty included. Weights are to each other and to k1: twice all of
// them is half of k1. One field of weight 1 is the plain formula.
//
// Sources: Robertson, Zaragoza and Taylor, Simple BM25 Extension to Multiple
// Weighted Fields, 2004 (weights before saturation); Zaragoza, Craswell,
// Taylor, Saria and Robertson, Microsoft Cambridge at TREC-13: Web and HARD
// Tracks, 2004 (length parts of each field).
//
// # The analyzer
//
// The default was chosen by NDCG@10 on seven collections with default
// parameters (cran: cranfield; vasw: vaswani; thm: theoremqa; pony: pony_pages;
// skill: SkillsBench's 47 tasks over 5,536 skills, by full text and by name
// and description):
//
//	                 cran   med    vasw   thm    pony   skill  skill
//	                                                    full   n+d    mean
//	default          .3729  .6885  .4342  .4939  .2878  .5367  .5239  .4769
//	parts only       .3762  .6919  .4342  .4988  .2793  .5292  .5125  .4746
//	no stop words    .3728  .6803  .4324  .4932  .3109  .5278  .4599  .4682
//	whole only       .3642  .6900  .4342  .4920  .2827  .4783  .4464  .4554
//	no stems         .3487  .6636  .3572  .4901  .2576  .5446  .4673  .4470
//	plain words      .3496  .6697  .3563  .4909  .2800  .5144  .3741  .4336
//
// "Plain words" has neither stems nor stop words, and parts only. English
// stems and stop words act on words of a to z alone, so that other languages
// in one index are left as they are; queries in Chinese, Japanese or Korean
// find all 120 skills of the collection that are written so.
//
// # Concurrency
//
// All methods of Index, Snapshot and Analyzer may be called from any number of
// goroutines. A search works on the snapshot that was current when it began:
// it sees all of a change or nothing of it. Writers analyze their texts side
// by side and then wait for each other; searches wait for no writer, and
// writers for no search.
//
// # Cost
//
// A search adds up term after term over dense rows, a window of rows at a
// time; its cost is linear in the postings of the query's terms plus the rows.
// A task text of 89 terms meets 105,000 postings in 5,536 skills, 2 to 3
// nanoseconds each. From the second time that a term is searched for in a
// snapshot, all that a search needs of it is kept in one place, its part of
// every score included ([Options].MaxImpacts): then a posting takes 1
// nanosecond, and the search 40 % less. A change of the documents begins anew,
// because the mean length moves. Skipping with upper bounds (MaxScore) could
// not pass over more than five in six of the postings there, if it knew the
// tenth score beforehand, and would walk the rest by binary searches.
//
// A posting takes 6 bytes (row and frequency), up to 7.5 after many small
// changes, and 8 more while its part is kept, 12 with fields; a document has
// one for each term and field. A term takes about 125 bytes with its text, a
// document its id and about 50 bytes, and 4 for each field. Dead rows count
// until [Index.Compact] or until they are more than the share
// [Options].MaxDead; compaction needs room for the old and the new index at
// once.
package bm25
