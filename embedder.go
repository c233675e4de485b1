package prospect

import (
	"context"
	"fmt"
)

// A Role tells an [Embedder] what a text is for. Models trained with separate
// prompts for queries and documents embed the two differently; others ignore
// the role.
type Role uint8

const (
	// RoleDocument is a text to be found. It is the zero Role.
	RoleDocument Role = iota
	// RoleQuery is a text to search with.
	RoleQuery
)

// String gives "document" or "query".
func (r Role) String() string {
	switch r {
	case RoleDocument:
		return "document"
	case RoleQuery:
		return "query"
	}
	return fmt.Sprintf("Role(%d)", uint8(r))
}

// An Embedder turns texts into vectors whose inner products say how near the
// texts are in meaning.
//
// Implementations promise:
//   - one vector per text, in order, each of Dim() finite components and of
//     Euclidean length 1 (within 1e-4);
//   - the vector of a text does not depend on the texts embedded with it
//     (within 1e-5 per component) and not on earlier calls;
//   - an empty batch gives an empty result and no error; an empty text gets a
//     valid vector or an error, never zeros;
//   - all or nothing: if one text cannot be embedded the error is a
//     [*TextError] that names it and there are no vectors;
//   - text of any size and any bytes is an input, not a reason to panic:
//     what is too long is truncated as the implementation documents;
//   - safety for concurrent calls; cancelling ctx stops the work soon;
//   - the caller owns the result; the texts are not kept.
type Embedder interface {
	Embed(ctx context.Context, role Role, texts []string) ([][]float32, error)

	// Dim is the number of components of every vector, a positive constant.
	Dim() int

	// Identity changes whenever the vectors may: with the weights, tokenizer,
	// pooling, prompts, maximum length, dimension or quantisation. It is not
	// empty. Indexes store it and refuse vectors of another identity.
	Identity() string
}

// EmbedFunc is the signature of [Embedder.Embed].
type EmbedFunc func(ctx context.Context, role Role, texts []string) ([][]float32, error)

// NewEmbedder makes an [Embedder] of a function, the identity of what it does
// and its dimension. The function has the duties of the interface. It panics
// if the identity is empty, dim is not positive or f is nil, for those are
// mistakes in the program.
func NewEmbedder(identity string, dim int, f EmbedFunc) Embedder {
	if identity == "" || dim <= 0 || f == nil {
		panic("prospect.NewEmbedder: needs an identity, a positive dimension and a function")
	}
	return &funcEmbedder{identity: identity, dim: dim, f: f}
}

type funcEmbedder struct {
	identity string
	dim      int
	f        EmbedFunc
}

func (e *funcEmbedder) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	return e.f(ctx, role, texts)
}
func (e *funcEmbedder) Dim() int         { return e.dim }
func (e *funcEmbedder) Identity() string { return e.identity }
