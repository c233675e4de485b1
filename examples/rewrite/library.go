package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/embed/onnx"
	"github.com/prospect-go/prospect/fusion"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/vecindex"
)

// A library is documents in two indexes.
type library struct {
	path     string
	folder   bool // ids are paths in it
	docs     map[string]document
	skipped  []string
	embedder *onnx.Embedder
	vectors  *vecindex.Index
	words    *bm25.Index
}

// openLibrary reads and indexes the documents. The built-in model embeds
// thousands a second, so nothing is kept between runs; see embed.Cache for
// slower ones.
func openLibrary(ctx context.Context, o options, show func(what string, done, total int)) (_ *library, err error) {
	docs, skipped, err := readDocuments(o.docs)
	if err != nil {
		return nil, err
	}
	e, err := openEmbedder(ctx, o.embedder)
	if err != nil {
		return nil, err
	}
	l := &library{path: o.docs, folder: isFolder(o.docs), docs: make(map[string]document), skipped: skipped, embedder: e}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	texts := make([]string, len(docs))
	for i, d := range docs {
		texts[i] = d.text
		l.docs[d.id] = d
	}
	vectors, err := embed.Batched(ctx, e, prospect.RoleDocument, texts, embed.BatchOptions{
		Progress: func(done, total int) { show("embedding", done, total) },
	})
	if bad, ok := errors.AsType[*prospect.TextError](err); ok {
		return nil, fmt.Errorf("embed %s: %w", docs[bad.Index].id, bad.Err)
	}
	if err != nil {
		return nil, err
	}
	if l.vectors, err = vecindex.New(e.Dim(), vecindex.Options{Identity: e.Identity()}); err != nil {
		return nil, err
	}
	if l.words, err = bm25.New(bm25.Options{}); err != nil {
		return nil, err
	}
	byVector, byWord := make([]vecindex.Doc, len(docs)), make([]bm25.Doc, len(docs))
	for i, d := range docs {
		byVector[i] = vecindex.Doc{ID: d.id, Vector: vectors[i]}
		byWord[i] = bm25.Doc{ID: d.id, Text: d.text}
	}
	if err := l.vectors.Apply(vecindex.Changes{Add: byVector}); err != nil {
		return nil, err
	}
	return l, l.words.AddBatch(ctx, byWord)
}

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

func (l *library) close() { l.embedder.Close() }

// texts are the texts of documents, for the model.
func (l *library) texts(_ context.Context, ids []string) ([]string, error) {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = l.docs[id].text
	}
	return out, nil
}

// label is how a document is shown: by its path, and where it has none, by its
// id and title.
func (l *library) label(id string) string {
	if l.folder {
		return id
	}
	return strings.TrimSpace(id + " " + l.docs[id].title)
}

// retriever searches as -by says: by words, each as often as its part weighs;
// by the sum of the parts' vectors; or by both, whose lists are merged by rank.
func (l *library) retriever(by string) skillqr.Retriever {
	words := func(ctx context.Context, parts []skillqr.Part, k int) ([]prospect.Hit, error) {
		var terms []bm25.QueryTerm
		for _, part := range parts {
			terms = l.words.Analyzer().Query(terms, part.Text, part.Weight)
		}
		return l.words.SearchTerms(ctx, terms, prospect.Query{K: k})
	}
	vectors := skillqr.ByVectorSum(l.vectors, l.embedder)
	switch by {
	case "words":
		return words
	case "vectors":
		return vectors
	}
	return func(ctx context.Context, parts []skillqr.Part, k int) ([]prospect.Hit, error) {
		depth := max(k, 100)
		one, err := words(ctx, parts, depth)
		if err != nil {
			return nil, err
		}
		other, err := vectors(ctx, parts, depth)
		if err != nil {
			return nil, err
		}
		return fusion.RRF([][]prospect.Hit{one, other}, fusion.RRFOptions{K: k})
	}
}
