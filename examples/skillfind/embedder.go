package main

import (
	"context"
	"fmt"

	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/embed/onnx"
)

// openEmbedder opens the built-in model or a folder with one.
func openEmbedder(ctx context.Context, name string) (*onnx.Embedder, error) {
	if name == "builtin" {
		return builtin.Open(ctx)
	}
	e, err := onnx.Open(ctx, name, onnx.Options{})
	if err != nil {
		return nil, fmt.Errorf("-embedder %s: %w", name, err)
	}
	return e, nil
}
