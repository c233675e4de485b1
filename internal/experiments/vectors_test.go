package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
)

// counting counts the texts that reach an embedder.
type counting struct {
	prospect.Embedder
	texts int
}

func (c *counting) Embed(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
	c.texts += len(texts)
	return c.Embedder.Embed(ctx, role, texts)
}

func TestVectorsAreKept(t *testing.T) {
	dir := t.TempDir()
	e := &counting{Embedder: embed.NewHash(16)}
	open := func() *vectorFile {
		v, err := openVectors(e, dir)
		require.NoError(t, err)
		return v
	}
	get := func(v *vectorFile, texts ...string) [][]float32 {
		got, err := v.embed(t.Context(), prospect.RoleDocument, texts)
		require.NoError(t, err)
		want, err := embed.NewHash(16).Embed(t.Context(), prospect.RoleDocument, texts)
		require.NoError(t, err)
		require.Equal(t, want, got)
		return got
	}
	v := open()
	get(v, "a", "b", "a")
	require.Equal(t, 2, e.texts, "the same text once")
	get(v, "b")
	v = open()
	get(v, "b", "a", "c")
	require.Equal(t, 3, e.texts)
	_, err := v.embed(t.Context(), prospect.RoleQuery, []string{"a"})
	require.NoError(t, err)
	require.Equal(t, 4, e.texts, "another role is another text")

	// A record cut short is dropped, and the rest is kept.
	info, err := os.Stat(v.path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(v.path, info.Size()-5))
	v = open()
	get(v, "a", "b", "c")
	require.Equal(t, 4, e.texts)
	_, err = v.embed(t.Context(), prospect.RoleQuery, []string{"a"})
	require.NoError(t, err)
	require.Equal(t, 5, e.texts)
	v = open()
	get(v, "a")
	require.Equal(t, 5, e.texts)
}
