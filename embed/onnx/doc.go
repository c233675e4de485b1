// Package onnx embeds texts with sentence-transformers models exported to
// ONNX, in pure Go: no cgo, no shared library, no service.
//
//	e, err := onnx.Open(ctx, "models/all-MiniLM-L6-v2", onnx.Options{})
//	…
//	defer e.Close()
//	vectors, err := e.Embed(ctx, prospect.RoleDocument, texts)
//
// # The folder
//
// A model is a folder in the form of sentence-transformers:
//
//	model.onnx or onnx/model.onnx      the graph with its weights (or weights beside it)
//	tokenizer.json                     a BERT-style WordPiece tokenizer
//	config.json                        max_position_embeddings           (optional)
//	sentence_bert_config.json          max_seq_length                    (optional)
//	tokenizer_config.json              model_max_length                  (optional)
//	modules.json, 1_Pooling/…          how token vectors become one      (optional)
//	config_sentence_transformers.json  prompts for queries and documents (optional)
//
// The graph takes input_ids and, where it declares them, attention_mask and
// token_type_ids. It gives either one vector per text ("sentence_embedding",
// or any output of two dimensions), which is taken as it is, or one per token
// ("last_hidden_state", "token_embeddings", or any output of three), of which
// the mean over the text's tokens is taken:
//
//	v = Σ_t m_t·h_t / Σ_t m_t        m the attention mask
//
// Either way the vector is then scaled to unit length. Other poolings, modules
// between pooling and result, other tokenizers and other inputs are refused
// with [errors.ErrUnsupported] when the model is opened: a vector that is
// quietly wrong is worse than none.
//
// # Long, odd and empty texts
//
// A text of more than [Embedder.MaxTokens] tokens is cut at its end; the
// special tokens around it stay. [Embedder.Tokens] says beforehand. Tokenising
// stops at the cut, so a text of any size costs no more than one that just
// fits. Bytes that are not UTF-8, NUL and control characters are dropped by
// the tokenizer's cleaning step. An empty text is embedded as what the model
// makes of its special tokens alone; where that has no direction the error is
// [prospect.ErrEmptyText].
//
// # Cost
//
// Texts are sorted by length and run in batches that are padded to one of a
// few lengths, because the runtime compiles the graph anew for each shape
// (batch, length): at most a dozen lengths up to 512 tokens, times at most
// ten batch sizes. What a shape costs at first is a few milliseconds for a
// static model and 0.1–0.4 s for one of MiniLM's size.
//
// Build with GOEXPERIMENT=simd for transformers: without it their matrix
// products run some thirty times slower. Static models (a table of token
// vectors and a mean) need no such thing.
//
// # Race detector
//
// go test -race also checks pointer arithmetic, which the runtime's matrix
// products do with integers: tests that run a model with MatMul need
// -gcflags=all=-d=checkptr=0 beside -race.
package onnx
