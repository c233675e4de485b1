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
// "off". Where the usual folder cannot be had, as for an account without a home
// folder, it tells so and keeps none: nobody asked for that one.
func withCache(e prospect.Embedder, dir string, std streams) (*embed.Cache, error) {
	if dir == off {
		return nil, nil
	}
	if dir != "" {
		cache, err := embed.NewCache(e, dir, embed.CacheOptions{})
		if err != nil {
			return nil, fmt.Errorf("-cache: %w", err)
		}
		return cache, nil
	}
	user, err := os.UserCacheDir()
	var cache *embed.Cache
	if err == nil {
		cache, err = embed.NewCache(e, filepath.Join(user, "prospect", "vectors"), embed.CacheOptions{})
	}
	if err != nil {
		std.say("vectors are not kept for the next run, name a folder with -cache: %v", err)
		return nil, nil
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
