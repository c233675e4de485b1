package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

// mine writes the skills of a collection to a file.
func mine(ctx context.Context, o options, r *report, std streams) (err error) {
	if _, err := os.Stat(o.skills); err == nil && !o.again {
		return fmt.Errorf("%s is there already: ask with it, refresh it where documents have changed, or give -again to mine anew", o.skills)
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
	r.line("\nThe skills are in %s: read them, edit them, and ask.", clean(o.skills))
	return nil
}

// mine has the model write the skills, and saves them.
func (l *library) mine(ctx context.Context, o options, model prospect.LLM, r *report, std streams) (*skillqr.Set, error) {
	corpus, err := skillqr.CorpusOf(l.vectors, l.texts)
	if err != nil {
		return nil, err
	}
	clusters, err := skillqr.OpenClusters(o.clusterFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", o.clusterFile(), err)
	}
	if clusters == nil || o.groups > 0 && clusters.Len() != o.groups {
		if clusters, err = group(ctx, o, corpus, r); err != nil {
			return nil, err
		}
	}
	opts := mineOptions(o, model, r)
	mined, err := skillqr.Mine(ctx, corpus, clusters, opts)
	if errors.Is(err, prospect.ErrIdentity) { // the documents have changed since
		if clusters, err = group(ctx, o, corpus, r); err != nil {
			return nil, err
		}
		mined, err = skillqr.Mine(ctx, corpus, clusters, opts)
	}
	r.clear()
	if err != nil {
		return nil, missingAnswers(err, o)
	}
	r.mined("mining", mined, std)
	return mined.Set, mined.Set.Save(o.skills)
}

func mineOptions(o options, model prospect.LLM, r *report) skillqr.MineOptions {
	opts := skillqr.MineOptions{
		Proposer: model, MaxSkills: o.maxSkills, MaxTokens: o.maxTokens,
		Progress: func(step skillqr.Step, done, total int) { r.progress(doing[step], done, total) },
	}
	if o.missing != "" {
		opts.MaxFailures = math.MaxInt // all that has no answer is to be written down
	}
	return opts
}

// missingAnswers says what to do about a recording that lacks answers.
func missingAnswers(err error, o options) error {
	if !errors.Is(err, llm.ErrNoRecord) {
		return err
	}
	if o.missing != "" {
		return fmt.Errorf("%s lacks answers to what was asked about these documents; the requests are in %s", o.replay, o.missing)
	}
	return fmt.Errorf("%s lacks answers to what was asked about these documents: record them (-llm URL -model NAME -record FILE), or see what was asked (-missing FILE)", o.replay)
}

// group divides the documents into groups, and keeps these beside the skills
// before any model is asked about them: another run, which goes on with
// recorded answers, has the same ones then, on any machine.
func group(ctx context.Context, o options, corpus skillqr.Corpus, r *report) (*skillqr.Clusters, error) {
	clusters, err := skillqr.Cluster(ctx, corpus, skillqr.ClusterOptions{
		K:        o.groups,
		Progress: func(done, total int) { r.progress("grouping the documents", done, total) },
	})
	if err != nil {
		return nil, err
	}
	return clusters, clusters.Save(o.clusterFile())
}

// doing says what a step of mining does.
var doing = map[skillqr.Step]string{
	skillqr.StepLabel:  "labelling groups",
	skillqr.StepDraft:  "drafting skills",
	skillqr.StepJudge:  "judging groups",
	skillqr.StepRevise: "revising skills",
}
