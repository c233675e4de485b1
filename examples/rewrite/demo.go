package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// bundled is where documents, questions and recorded answers are, seen from
// the folder of this program.
const bundled = "testdata"

// demo mines the bundled documents and asks the bundled questions. The answers
// of the model are recorded, and the groups of documents with them: groups
// depend on the last digits of vectors, which differ between kinds of CPU, and
// the recorded answers are to requests about these very groups.
func demo(ctx context.Context, o options, r *report, std streams) (err error) {
	o.docs, o.replay = filepath.Join(bundled, "docs"), filepath.Join(bundled, "answers.jsonl")
	o.embedder, o.by, o.k, o.maxSkills = "builtin", "both", 5, 5
	if _, err := os.Stat(o.docs); err != nil {
		return errors.New("the bundled documents are not here: run it in its own folder, examples/rewrite, or see -h for documents of your own")
	}
	var questions []question
	data, err := os.ReadFile(filepath.Join(bundled, "questions.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &questions); err != nil {
		return fmt.Errorf("questions.json: %w", err)
	}
	dir, err := os.MkdirTemp("", "rewrite")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	o.skills = filepath.Join(dir, "skills.yaml")
	if clusters, err := os.ReadFile(filepath.Join(bundled, "skills.clusters")); err == nil {
		if err := os.WriteFile(o.clusterFile(), clusters, 0o600); err != nil {
			return err
		}
	}

	l, err := openLibrary(ctx, o, r.progress)
	if err != nil {
		return err
	}
	defer l.close()
	model, done, err := openModel(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	r.library(l, model)
	set, err := l.mine(ctx, o, model, r, std)
	if err != nil {
		return err
	}
	r.skills(set)
	if err := l.ask(ctx, o, set, model, questions, r); err != nil {
		return err
	}
	r.total()
	return nil
}
