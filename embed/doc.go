// Package embed holds what any embedder needs, whatever computes its vectors.
//
//   - [TestEmbedder] checks the promises of [prospect.Embedder] on one at hand.
//   - [NewHash] is a deterministic fake for tests: it needs no model, and still
//     ranks texts that share words above texts that do not.
//   - [Batched] embeds many texts with a progress report.
//   - [NewCache] keeps the vectors of an embedder on disk and embeds only what
//     is new.
//
// Embedders themselves are in embed/onnx (models in ONNX folders) and
// embed/builtin (the model that ships inside the library). Any other, such as
// a service, is a function away: see [prospect.NewEmbedder].
package embed
