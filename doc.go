// Package prospect is the shared vocabulary of a library that finds the right
// agent skill for a task, in one process and with no network service.
//
// # Reading order
//
//   - [Hit] and [Query]: what a search gives and takes. [Searcher] is anything
//     that turns one into the other: a lexical index, a vector index, a
//     service of your own.
//   - [Embedder]: texts in, unit vectors out.
//   - [LLM]: one prompt in, one text out. The library has no client of its own.
//   - The errors: [ErrZeroVector], [ErrIdentity], … and [IDError], [TextError],
//     which name the culprit.
//
// # The packages above it
//
// Each works alone and takes the interfaces of this package, so any embedder,
// model or engine fits.
//
//	prospect            this package; standard library only
//	├─ vecindex         exact search over float32 vectors
//	├─ bm25             in-memory BM25 index and its analyzers
//	├─ fusion           normalisers, weighted sums, RRF, round-robin merge
//	├─ metrics          Recall@K, NDCG@K, Completeness@K, …; runs and judgements
//	│                   in files; intervals and tests of differences
//	├─ skill            SKILL.md files: parse, load a folder, merge sources,
//	│                   list for an agent within a budget
//	├─ embed            what any embedder needs: a check, a fake, batches, a cache
//	│  ├─ embed/onnx    sentence-transformers folders through a pure-Go runtime
//	│  └─ embed/builtin the small model that ships inside the library
//	├─ llm              what any model client needs: a check, fakes, retry, limits,
//	│                   budgets, a cache, record and replay
//	├─ skilldreamer     gallery; infer capabilities, imagine skills, retrieve
//	└─ skillqr          mine rewriting skills from a corpus; choose one, rewrite
//	   └─ skillqr/probe does rewriting pay here? figures from judged queries
//
// bm25 and vecindex do not know each other, and only embed/onnx (and
// embed/builtin, which stands on it) compiles the ONNX runtime. A test holds
// these rules.
//
// # The path of a task
//
//	SKILL.md folders ── skill.Load ──► skills ── recipe ──► texts
//	     texts ── Embedder ──► unit vectors ──► vecindex ┐
//	     texts ── analyzer ──► terms ─────────► bm25 ────┴─► one gallery snapshot
//
//	task ── LLM (CI) ──► capabilities + anchors
//	capability ── LLM (PSG) ──► imagined skill ── Embedder ──► f(s̃)
//	α·f(q) + β·f(s̃) ── one pass over the gallery ──► K_c candidates per capability
//	candidates ── min-max of dense, imagined and anchor BM25 scores ──► h
//	lists by h ── round-robin ──► K skills, each with its reason
//
// # The path of a query
//
//	corpus ── vectors that exist ── k-means ──► clusters
//	clusters ── LLM: label, draft, judge, revise ──► a few rewriting skills, in a file for people
//
//	query ── LLM (route) ──► one skill
//	query ── any Searcher ──► its first documents
//	skill + query + documents ── LLM (rewrite) ──► expansion ──► any Searcher
//
// # Ids, identities and snapshots
//
// Ids are strings outside; the ordinals inside an index are private and valid
// within one snapshot only. An embedder and a model have an identity, a string
// that changes whenever their output may; an index stores the identity of the
// embedder that made its vectors and refuses vectors of another
// ([ErrIdentity]). Every search sees one consistent snapshot while others add
// and delete.
package prospect
