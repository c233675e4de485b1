package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/embed/onnx"
)

// openEmbedder opens the model that -embedder names; nil for "none".
func openEmbedder(ctx context.Context, name string) (*onnx.Embedder, error) {
	switch name {
	case none:
		return nil, nil
	case "builtin":
		return builtin.Open(ctx)
	}
	e, err := onnx.Open(ctx, name, onnx.Options{})
	if err != nil {
		return nil, fmt.Errorf("-embedder %s: %w", name, err)
	}
	return e, nil
}

// off, as the value of -cache, keeps no vectors.
const off = "off"

// withCache keeps the vectors of e in the folder that -cache names; nil for
// "off".
func withCache(e prospect.Embedder, dir string) (*embed.Cache, error) {
	switch dir {
	case off:
		return nil, nil
	case "":
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("-cache: there is no folder for caches, name one or \"off\": %w", err)
		}
		dir = filepath.Join(user, "prospect", "vectors")
	}
	cache, err := embed.NewCache(e, dir, embed.CacheOptions{})
	if err != nil {
		return nil, fmt.Errorf("-cache: %w", err)
	}
	return cache, nil
}

// watched tells how many texts went through an embedder.
type watched struct {
	prospect.Embedder
	tell func(n int)
}

func (w *watched) Embed(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
	vectors, err := w.Embedder.Embed(ctx, role, texts)
	if err == nil {
		w.tell(len(texts))
	}
	return vectors, err
}

// embedderName is the name of a model without the folders above it.
func embedderName(flag string) string { return filepath.Base(flag) }
