// Package builtin is the embedding model that ships inside the library: no
// download, no file, no service.
//
//	e, err := builtin.Open(ctx)
//	…
//	defer e.Close()
//	vectors, err := e.Embed(ctx, prospect.RoleQuery, []string{"merge two PDF files"})
//
// # What it is
//
// A static model: a table with one vector for each of about 30,000 WordPiece
// tokens of English. The vector of a text is the mean of its tokens' vectors,
// scaled to unit length:
//
//	v = Σ_t w_t·x_t / ‖Σ_t w_t·x_t‖
//
// The weight w_t of a token is part of the table, so that frequent words count
// for less. It has 512 dimensions, and reads the first 512 tokens of a text (some
// 2,000 characters of English); Tokens of the embedder says what would be cut.
// Queries and documents are embedded alike. The table has 4 bits a component,
// and the whole model takes less than 8 MiB of the binary that imports this package
// and about 60 MB of memory while it is opened.
//
// The vectors of the table were trained so that texts get vectors like those of
// all-MiniLM-L6-v2 (Apache License 2.0), by the program in internal/distill,
// which also says on which texts; NOTICE names the sources. The model is under
// the licence of this library.
//
// # Limits
//
//   - It does not know the order of words: "dog bites man" and "man bites dog"
//     have one vector. Nor does a word's vector depend on the words around it.
//   - It knows English. Words in scripts that its table lacks (Chinese,
//     Japanese, Korean, Cyrillic, Arabic, most of Greek, emoji) are all the
//     one unknown token, so texts that have no other words all have one
//     vector. Use a multilingual model through embed/onnx for them, or search
//     them with a lexical index alone.
//   - A text without any token (empty, or white space and control characters
//     alone) has no vector: the error is a [prospect.TextError] with
//     [prospect.ErrEmptyText].
//
// # Cost
//
// On one core of a 2024 server CPU, the plain build, with other work on the
// machine: about 60 ms to open, 0.15 ms for a text of 64 tokens by itself, and
// 13,000 texts of 64 tokens a second in batches. GOEXPERIMENT=simd does not
// make this model faster. Components differ by up to about 1e-5 between builds
// and CPUs, for the same identity.
package builtin
