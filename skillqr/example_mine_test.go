package skillqr_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/vecindex"
)

// librarian is a model that knows the answers about the few documents below.
func librarian() prospect.LLM {
	return llm.NewScripted("librarian/1",
		llm.Turn{Match: "Say what most of them share", Repeat: true, Text: `{"domain": "mathematics", "content": "statements of theorems", "terms": ["states that", "if and only if"]}`},
		llm.Turn{Match: "smallest set of rewriting skills", Text: `{"skills": [{"name": "theorems", "when": "Exercises that a theorem solves.",
			"instruction": "Name the theorem that solves the exercise and state it in general form.", "groups": [1]}]}`},
		llm.Turn{Match: "A skill covers the group if", Repeat: true, Text: `{"reason": "they are theorems", "covered_by": [1], "missing": "", "action": "none", "skill": 0}`},
	)
}

var theoremTexts = map[string]string{
	"pythagoras": "The Pythagorean theorem states that the square of the hypotenuse is the sum of the squares of the legs.",
	"thales":     "Thales's theorem states that an angle in a semicircle is a right angle.",
	"euler":      "Euler's theorem states that a connected graph has an Eulerian circuit if and only if every degree is even.",
}

func theoremTextsOf(_ context.Context, ids []string) ([]string, error) {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = theoremTexts[id]
	}
	return texts, nil
}

// theoremIndex stands for an index that there is already.
func theoremIndex() *vecindex.Index {
	ix, err := vecindex.New(3, vecindex.Options{Identity: "by hand"})
	if err != nil {
		log.Fatal(err)
	}
	if err := ix.AddBatch([]string{"pythagoras", "thales", "euler"}, [][]float32{{1, 0.2, 0}, {0.9, 0.4, 0}, {0, 0.3, 1}}); err != nil {
		log.Fatal(err)
	}
	return ix
}

// Mine a set from the vectors of an index, save it for review, and use what
// the person left of it.
func ExampleMine() {
	ctx := context.Background()
	corpus, err := skillqr.CorpusOf(theoremIndex(), theoremTextsOf)
	if err != nil {
		log.Fatal(err)
	}
	mined, err := skillqr.Mine(ctx, corpus, nil, skillqr.MineOptions{Proposer: librarian()})
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "skills")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "skills.yaml")
	if err := mined.Set.Save(path); err != nil {
		log.Fatal(err)
	}

	set, err := skillqr.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range set.Skills {
		fmt.Printf("%s: %s\n", s.Name, s.When)
	}
	fmt.Printf("%d calls, %.0f %% of the documents covered\n", mined.Calls, 100*set.Coverage())
	// Output:
	// theorems: Exercises that a theorem solves.
	// 5 calls, 100 % of the documents covered
}

// Mining that is cut off, by a crash or, as here, by a budget, is started
// again with the same cache: what was answered is not asked again.
func ExampleMine_resume() {
	ctx := context.Background()
	corpus, err := skillqr.CorpusOf(theoremIndex(), theoremTextsOf)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "answers")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cache, err := llm.OpenCache(dir, llm.CacheOptions{})
	if err != nil {
		log.Fatal(err)
	}
	budget, err := llm.NewBudget(llm.Limits{Calls: 2})
	if err != nil {
		log.Fatal(err)
	}
	_, err = skillqr.Mine(ctx, corpus, nil, skillqr.MineOptions{Proposer: cache.Wrap(budget.Wrap(librarian()))})
	fmt.Println("first: out of budget:", errors.Is(err, llm.ErrBudget))

	var meter llm.Meter
	mined, err := skillqr.Mine(ctx, corpus, nil, skillqr.MineOptions{Proposer: cache.Wrap(meter.Wrap(librarian()))})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("second: %d skill, %d of its %d calls not from the cache\n", len(mined.Set.Skills), meter.Total().Calls, mined.Calls)
	// Output:
	// first: out of budget: true
	// second: 1 skill, 3 of its 5 calls not from the cache
}

// The index changed: only what is new is asked about.
func ExampleRefresh() {
	ctx := context.Background()
	ix := theoremIndex()
	corpus, err := skillqr.CorpusOf(ix, theoremTextsOf)
	if err != nil {
		log.Fatal(err)
	}
	mined, err := skillqr.Mine(ctx, corpus, nil, skillqr.MineOptions{Proposer: librarian()})
	if err != nil {
		log.Fatal(err)
	}
	if err := ix.Delete("thales"); err != nil {
		log.Fatal(err)
	}
	if corpus, err = skillqr.CorpusOf(ix, theoremTextsOf); err != nil {
		log.Fatal(err)
	}
	fresh, err := skillqr.Refresh(ctx, corpus, mined.Set, mined.Clusters, skillqr.RefreshOptions{
		MineOptions: skillqr.MineOptions{Proposer: librarian()},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fresh.Changes)
	fmt.Printf("%d calls; rewrites in caches stay good: %v\n", fresh.Calls, fresh.Set.Hash() == mined.Set.Hash())
	// Output:
	// documents: 0 added, 1 removed, 0 altered; 0 strays
	// 0 calls; rewrites in caches stay good: true
}
