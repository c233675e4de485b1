package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/skillqr"
)

// refresh brings the skills of a file up to date with the documents as they
// are now. It asks the model only about groups that are new or have changed,
// and leaves alone what a person wrote.
func refresh(ctx context.Context, o options, r *report, std streams) (err error) {
	set, err := loadSkills(o.skills)
	if err != nil {
		return err
	}
	clusters, err := skillqr.OpenClusters(o.clusterFile())
	if err != nil {
		return fmt.Errorf("the groups of documents that belong to %s cannot be read: %w", o.skills, err)
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
	corpus, err := skillqr.CorpusOf(l.vectors, l.texts)
	if err != nil {
		return err
	}
	fresh, err := skillqr.Refresh(ctx, corpus, set, clusters, skillqr.RefreshOptions{MineOptions: mineOptions(o, model, r)})
	r.clear()
	if errors.Is(err, prospect.ErrIdentity) {
		return fmt.Errorf("%s was mined with another embedder: mine anew (%w)", o.skills, err)
	}
	if err != nil {
		return missingAnswers(err, o)
	}
	r.mined("refresh", &fresh.Mining, std)
	r.changes(fresh.Changes)
	if !fresh.Changes.Any() {
		return nil
	}
	r.skills(fresh.Set)
	if err := fresh.Set.Save(o.skills); err != nil {
		return err
	}
	return fresh.Clusters.Save(o.clusterFile())
}
