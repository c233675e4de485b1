package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skillqr"
)

// A rewriterKind says with which instruction queries are rewritten.
type rewriterKind string

const (
	asAsked   rewriterKind = "none"
	byGeneric rewriterKind = "generic"
	byHand    rewriterKind = "hand-written"
	bySet     rewriterKind = "skillqr"
)

// A retrieval says how a rewritten query is searched for.
type retrieval string

const (
	byWords   retrieval = "words"   // BM25 of one text
	byVectors retrieval = "vectors" // the vector of one text
	bySum     retrieval = "sum"     // the weighted sum of the parts' vectors
)

var retrievals = []retrieval{byWords, byVectors, bySum}

// A rewriter searches for queries as they are or rewritten.
type rewriter struct {
	plan     plan
	rewriter *skillqr.Rewriter // nil for queries as they were asked
}

// addRewriter makes a ranker rewrite. Instructions that are chosen beforehand
// are sets with the generic skill alone, which no model is asked to choose.
func (s *study) addRewriter(ctx context.Context, r *ranker, p *progress) error {
	r.rewrite = &rewriter{plan: r.plan}
	if r.plan.rewriter == asAsked {
		return nil
	}
	if s.rewriting == nil {
		s.rewriting = &rewritingRecord{Model: s.model.Identity()}
	}
	set, err := s.skillSet(ctx, r, p)
	if err != nil {
		return err
	}
	o := skillqr.Options{
		Join:        skillqr.JoinWeights{Original: r.plan.original, Expansion: 1},
		Routing:     skillqr.Routing{Votes: r.plan.votes},
		Cache:       skillqr.NewLRU(len(s.coll.queries)), // so that taking the latency asks nothing again
		Temperature: s.opts.temperature, MaxTokens: s.opts.maxTokens, Timeout: s.opts.timeout,
	}
	if r.plan.feedback > 0 {
		lexicon, err := s.wholeLexicon(ctx)
		if err != nil {
			return err
		}
		o.Feedback = &skillqr.Feedback{Find: skillqr.ByText(lexicon), Texts: s.coll.texts, K: r.plan.feedback}
	}
	if r.rewrite.rewriter, err = skillqr.New(set, s.model, o); err != nil {
		return fmt.Errorf("%s: %w", r.plan.name, err)
	}
	return nil
}

// skillSet is the set with which a plan rewrites.
func (s *study) skillSet(ctx context.Context, r *ranker, p *progress) (*skillqr.Set, error) {
	switch r.plan.rewriter {
	case byGeneric:
		return &skillqr.Set{Generic: skillqr.Generic()}, nil
	case byHand:
		text, err := os.ReadFile(s.opts.byHand)
		if err != nil {
			return nil, fmt.Errorf("-hand-written: %w", err)
		}
		hash := sha256.Sum256(text)
		s.rewriting.HandWritten = hex.EncodeToString(hash[:])
		hand := skillqr.Generic()
		hand.Name, hand.Instruction = "hand-written", strings.TrimSpace(string(text))
		set := &skillqr.Set{Generic: hand}
		if err := set.Validate(); err != nil {
			return nil, fmt.Errorf("-hand-written: %s: %w", s.opts.byHand, err)
		}
		return set, nil
	}
	set, err := skillqr.Load(s.opts.set)
	if errors.Is(err, fs.ErrNotExist) {
		set, err = s.mine(ctx, r.index, p)
	}
	if err != nil {
		return nil, fmt.Errorf("-skillqr-set: %w", err)
	}
	s.rewriting.Set, s.rewriting.Skills = set.Hash(), len(set.Skills)
	return set, nil
}

// mine mines a set from the documents of an index and writes it to the file of
// -skillqr-set.
func (s *study) mine(ctx context.Context, ix *index, p *progress) (*skillqr.Set, error) {
	if ix.gallery == nil {
		return nil, fmt.Errorf("there is no %s, and mining one needs vectors", filepath.Base(s.opts.set))
	}
	var ids []string
	var vectors [][]float32
	for id, v := range ix.gallery.Vectors().All() {
		if len(ids) == 0 || ids[len(ids)-1] != id { // the first of a document's vectors stands for it
			ids, vectors = append(ids, id), append(vectors, v)
		}
	}
	corpus, err := skillqr.NewCorpus(ids, vectors, ix.embedder.Identity(), s.coll.texts)
	if err != nil {
		return nil, err
	}
	mined, err := skillqr.Mine(ctx, corpus, nil, skillqr.MineOptions{
		Proposer: s.model, Temperature: s.opts.temperature, MaxTokens: s.opts.maxTokens, Seed: s.opts.seed,
		Progress: func(step skillqr.Step, done, total int) {
			p.show("mining rewriting skills ("+string(step)+")", done, total)
		},
	})
	if err != nil {
		return nil, err
	}
	s.rewriting.Mined = true
	return mined.Set, mined.Set.Save(s.opts.set)
}

// texts are those of documents in prompts: as they stand in the corpus, under
// their titles.
func (c *collection) texts(_ context.Context, ids []string) ([]string, error) {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = c.whole[id]
	}
	return texts, nil
}

// wholeLexicon searches all of the documents, by whatever recipe systems
// search: what a model is shown does not depend on it.
func (s *study) wholeLexicon(ctx context.Context) (*bm25.Snapshot, error) {
	if s.whole != nil {
		return s.whole, nil
	}
	ids := make([]string, len(s.coll.skills))
	for i, d := range s.coll.skills {
		ids[i] = d.ID
	}
	texts, err := s.coll.texts(ctx, ids)
	if err != nil {
		return nil, err
	}
	s.whole, err = newLexicon(ctx, ids, texts)
	return s.whole, err
}

// search rewrites a query and searches for it.
func (r *rewriter) search(ctx context.Context, ix *index, query string, k int) (answer, error) {
	find := r.retriever(ix)
	if r.rewriter == nil {
		return hits(find(ctx, []skillqr.Part{{Text: query, Weight: 1}}, k))
	}
	found, err := r.rewriter.Search(ctx, find, query, skillqr.SearchOptions{K: k, Raw: r.plan.raw})
	if err != nil {
		return answer{}, err
	}
	return answer{ids: metrics.Ranking(found.Hits), rewrite: found.Rewrite, fallback: len(found.Rewrite.Expansions) == 0}, nil
}

func (r *rewriter) retriever(ix *index) skillqr.Retriever {
	switch r.plan.by {
	case byVectors:
		return skillqr.ByVector(prospect.SearcherFunc(ix.nearest), ix.embedder)
	case bySum:
		return skillqr.ByVectorSum(prospect.SearcherFunc(ix.nearest), ix.embedder)
	}
	return skillqr.ByText(prospect.SearcherFunc(ix.matching))
}
