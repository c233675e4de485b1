package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/builtin"
)

// clusterTexts are the collections whose texts are cut into excerpts to be
// clustered, in the folder beside that of the gallery: skills, theorems, manual
// pages, abstracts of medicine and engineering.
var clusterTexts = []string{
	filepath.Join("skillsbench", "corpus.jsonl"),
	filepath.Join("skillsbench", "distractors.jsonl.gz"),
	filepath.Join("reasoning", "multidomain", "corpus.jsonl.gz"),
	filepath.Join("classic", "cranfield", "corpus.jsonl.gz"),
	filepath.Join("classic", "med", "corpus.jsonl.gz"),
	filepath.Join("classic", "vaswani", "corpus.jsonl.gz"),
}

// excerptVectors are embeddings by the built-in model of excerpts of real
// texts, no two alike. Of a dimension below the model's, they are its first
// components, which are worth as much as any others, scaled to unit length.
func excerptVectors(ctx context.Context, s size) (_ *collection, err error) {
	var texts []string
	for _, file := range clusterTexts {
		more, err := textsOf(filepath.Join("..", file))
		if err != nil {
			return nil, err
		}
		texts = append(texts, more...)
	}
	e, err := builtin.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if s.dim > e.Dim() {
		return nil, fmt.Errorf("the built-in model has %d dimensions", e.Dim())
	}
	pieces := excerpts(texts, s.rows)
	c := &collection{size: s, block: floats(s.rows * s.dim)}
	const batch = 4096
	for lo := 0; lo < s.rows; lo += batch {
		vectors, err := e.Embed(ctx, prospect.RoleDocument, pieces[lo:min(lo+batch, s.rows)])
		if err != nil {
			return nil, err
		}
		for i, v := range vectors {
			copy(c.row(lo+i), v)
			normalise(c.row(lo + i))
		}
	}
	return c, nil
}
