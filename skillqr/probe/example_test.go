package probe_test

import (
	"context"
	"fmt"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/llm"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/skillqr/probe"
)

// Is rewriting worth it for these queries? Two are too few to tell, which the
// verdict's text says too.
func ExampleRun() {
	ix, err := bm25.New(bm25.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ix.AddBatch(context.Background(), []bm25.Doc{
		{ID: "pigeonhole", Text: "Pigeonhole principle: of more objects than boxes, some box holds two."},
		{ID: "bayes", Text: "Bayes' theorem gives the probability of a cause once its effect was seen."},
		{ID: "socks", Text: "Socks are sorted by color and folded in pairs."},
	}); err != nil {
		fmt.Println(err)
		return
	}
	set := &skillqr.Set{
		Skills:  []skillqr.Skill{{Name: "theorems", When: "exercises", Instruction: "Name the theorem."}},
		Generic: skillqr.Generic(),
	}
	model := llm.NewScripted("scripted/1",
		llm.Turn{Match: "Work out in this order", Repeat: true, Text: `{"choice": 1, "second": 0}`},
		llm.Turn{Match: "kind of query (generic)", Repeat: true, Text: `{"expansion": "counting things"}`},
		llm.Turn{Match: "socks", Repeat: true, Text: `{"expansion": "pigeonhole principle: more objects than boxes"}`},
		llm.Turn{Match: "test", Repeat: true, Text: `{"expansion": "bayes theorem: probability of a cause"}`},
	)
	rewriter, err := skillqr.New(set, model, skillqr.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	queries := []probe.Query{
		{ID: "q1", Text: "How many socks of two colors must I take for a pair?", Grades: map[string]float64{"pigeonhole": 1}},
		{ID: "q2", Text: "The test says yes. Am I ill?", Grades: map[string]float64{"bayes": 1}},
	}
	report, err := probe.Run(context.Background(), rewriter, skillqr.ByText(ix), queries, probe.Options{Measure: new(metrics.RR(10))})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arm := range report.Arms {
		fmt.Printf("%-8s %.2f\n", arm.Name, arm.Mean.Value)
	}
	fmt.Println(report.Verdict.Outcome)
	// Output:
	// raw      0.25
	// generic  0.25
	// mined    1.00
	// helps
}

// An arm of one's own: the mined skills, with the original query's hits fused
// in.
func ExampleMined() {
	var rewriter *skillqr.Rewriter
	var index prospect.Searcher
	guarded := probe.Mined("guarded", rewriter, skillqr.ByText(index), skillqr.SearchOptions{Raw: 1})
	fmt.Println(guarded.Name)
	// Output: guarded
}
