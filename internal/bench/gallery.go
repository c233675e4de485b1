package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/builtin"
)

// galleryFolder has the skills of SkillsBench with its distractors, beside the
// checkout.
var galleryFolder = filepath.Join("..", "..", "..", "shared", "data", "skillsbench")

// galleryVectors are the embeddings of its skills and queries by the built-in
// model.
func galleryVectors(ctx context.Context) (skills, queries [][]float32, err error) {
	var texts, asked []string
	for _, file := range []string{"corpus.jsonl", "distractors.jsonl.gz"} {
		more, err := textsOf(file)
		if err != nil {
			return nil, nil, err
		}
		texts = append(texts, more...)
	}
	if asked, err = textsOf("queries.jsonl"); err != nil {
		return nil, nil, err
	}
	e, err := builtin.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if skills, err = e.Embed(ctx, prospect.RoleDocument, texts); err != nil {
		return nil, nil, err
	}
	queries, err = e.Embed(ctx, prospect.RoleQuery, asked)
	return skills, queries, err
}

// textsOf reads the texts of a JSONL file, gzipped or not.
func textsOf(file string) (texts []string, err error) {
	data, err := os.ReadFile(filepath.Join(galleryFolder, file))
	if err != nil {
		return nil, err
	}
	var r io.Reader = bytes.NewReader(data)
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, err
		}
	}
	for d := json.NewDecoder(r); ; {
		var doc struct {
			Text string `json:"text"`
		}
		if err := d.Decode(&doc); err == io.EOF {
			return texts, nil
		} else if err != nil {
			return nil, err
		}
		texts = append(texts, doc.Text)
	}
}
