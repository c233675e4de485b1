package skillqr_test

import (
	"context"
	"fmt"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/skillqr"
)

// Two documents and the exercise that needs one of them.
var (
	pages = map[string]string{
		"pigeonhole": "The pigeonhole principle: if more objects than boxes are put into the boxes, some box holds at least two objects.",
		"drawers":    "How to keep socks in drawers: sort them by color and fold them in pairs.",
	}
	exercise = "How many socks must I take from a drawer with socks of three colors to be sure of a pair?"
)

// theorist is a model that knows the answers to this exercise.
func theorist() prospect.LLM {
	return llm.NewScripted("theorist/1",
		llm.Turn{Match: "Work out in this order", Repeat: true, Text: `{"genre": "exercise", "knowledge": "a theorem", "reasoning": "it can be solved by counting", "choice": 1, "second": 0}`},
		llm.Turn{Match: "Write an expansion", Repeat: true, Text: `{"expansion": "pigeonhole principle: more objects than boxes, some box holds at least two objects"}`},
	)
}

// A set may be mined, or written by hand as this one.
func theorems() *skillqr.Set {
	return &skillqr.Set{
		Skills: []skillqr.Skill{{
			Name:        "theorems",
			When:        "exercises that a theorem solves",
			Instruction: "Name the theorem that solves it and state it.",
		}},
		Generic: skillqr.Generic(),
	}
}

func pageIndex() *bm25.Index {
	ix, err := bm25.New(bm25.Options{})
	if err != nil {
		panic(err)
	}
	for _, id := range []string{"drawers", "pigeonhole"} {
		if err := ix.Add(context.Background(), id, pages[id]); err != nil {
			panic(err)
		}
	}
	return ix
}

func ExampleRewriter_Rewrite() {
	ix := pageIndex()
	rewriter, err := skillqr.New(theorems(), theorist(), skillqr.Options{
		Feedback: &skillqr.Feedback{
			Find: skillqr.ByText(ix),
			Texts: func(_ context.Context, ids []string) ([]string, error) {
				var texts []string
				for _, id := range ids {
					texts = append(texts, pages[id])
				}
				return texts, nil
			},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	rewrite, err := rewriter.Rewrite(context.Background(), exercise)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("skill:    ", rewrite.Skill)
	fmt.Println("because:  ", rewrite.Trace.Route.Reasoning)
	fmt.Println("shown:    ", rewrite.Trace.Feedback)
	fmt.Println("expansion:", rewrite.Expansion())
	fmt.Println("calls:    ", len(rewrite.Trace.Calls))
	// Output:
	// skill:     theorems
	// because:   it can be solved by counting
	// shown:     [drawers]
	// expansion: pigeonhole principle: more objects than boxes, some box holds at least two objects
	// calls:     2
}

// BM25 takes weighted terms: here a word of the query counts twice as much as
// one of the expansion.
func ExampleRetriever_bm25() {
	ix := pageIndex()
	byTerms := func(ctx context.Context, parts []skillqr.Part, k int) ([]prospect.Hit, error) {
		var terms []bm25.QueryTerm
		for _, part := range parts {
			terms = ix.Analyzer().Query(terms, part.Text, part.Weight)
		}
		return ix.SearchTerms(ctx, terms, prospect.Query{K: k})
	}
	rewriter, err := skillqr.New(theorems(), theorist(), skillqr.Options{Join: skillqr.JoinWeights{Original: 2, Expansion: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := rewriter.Search(context.Background(), byTerms, exercise, skillqr.SearchOptions{K: 1, Compare: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("before:", found.Raw[0].ID)
	fmt.Println("after: ", found.Hits[0].ID)
	// Output:
	// before: drawers
	// after:  pigeonhole
}

// A budget that is spent is no error: the query stays as it is, and the trace
// tells why.
func ExampleTrace_Err() {
	budget, err := llm.NewBudget(llm.Limits{Calls: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	rewriter, err := skillqr.New(theorems(), budget.Wrap(theorist()), skillqr.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rewrite, err := rewriter.Rewrite(context.Background(), "socks")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rewrite.Final)
	for _, f := range rewrite.Trace.Fallbacks {
		fmt.Println(f.Stage, f.Reason)
	}
	// Output:
	// socks
	// rewrite rewrite-failed
	// rewrite not-rewritten
}
