package vecindex_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/vecindex"
)

func Example() {
	ix, err := vecindex.New(3, vecindex.Options{Identity: "my-model"})
	if err != nil {
		log.Fatal(err)
	}
	err = ix.AddBatch(
		[]string{"pdf-forms", "spreadsheets", "slides"},
		[][]float32{{0.9, 0.1, 0}, {0, 1, 0.2}, {0.5, 0.5, 0.7}},
	)
	if err != nil {
		log.Fatal(err)
	}
	hits, err := ix.Search(context.Background(), prospect.Query{Vector: []float32{1, 0.2, 0}, K: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Printf("%s %.3f\n", h.ID, h.Score)
	}
	// Output:
	// pdf-forms 0.996
	// slides 0.591
}

// One pass ranks by α·cos(q, d) + β·cos(s, d), for several s at once.
func ExampleIndex_ScoreBatch() {
	ix, _ := vecindex.New(2, vecindex.Options{})
	_ = ix.AddBatch([]string{"east", "north", "northeast"}, [][]float32{{1, 0}, {0, 1}, {1, 1}})

	const alpha, beta = 2, 1
	query := []float32{1, 0} // unit vectors
	imagined := [][]float32{{0, 1}, {-1, 0}}
	combined := make([][]float32, len(imagined))
	for i, s := range imagined {
		combined[i] = []float32{alpha*query[0] + beta*s[0], alpha*query[1] + beta*s[1]}
	}
	lists, err := ix.ScoreBatch(context.Background(), combined, 2, vecindex.Filter{})
	if err != nil {
		log.Fatal(err)
	}
	for _, hits := range lists {
		fmt.Printf("%s %.3f, %s %.3f\n", hits[0].ID, hits[0].Score, hits[1].ID, hits[1].Score)
	}
	// Output:
	// northeast 2.121, east 2.000
	// east 1.000, northeast 0.707
}

// A change of several kinds becomes visible in one step; a snapshot taken
// before does not see it.
func ExampleIndex_Apply() {
	ix, _ := vecindex.New(2, vecindex.Options{})
	_ = ix.AddBatch([]string{"a", "b"}, [][]float32{{1, 0}, {0, 1}})
	before := ix.Snapshot()
	err := ix.Apply(vecindex.Changes{
		Delete: []string{"a"},
		Update: []vecindex.Doc{{ID: "b", Vector: []float32{1, 1}}},
		Add:    []vecindex.Doc{{ID: "c", Vector: []float32{3, 4}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for id, v := range ix.All() {
		fmt.Printf("%s %.2f\n", id, v)
	}
	fmt.Println(before.Has("a"), ix.Has("a"))
	// Output:
	// b [0.71 0.71]
	// c [0.60 0.80]
	// true false
}

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "skills.vec")

	ix, _ := vecindex.New(2, vecindex.Options{Identity: "my-model"})
	_ = ix.Add("a", []float32{1, 0})
	if err := ix.Save(path); err != nil {
		log.Fatal(err)
	}
	opened, err := vecindex.Open(path, 2, vecindex.Options{Identity: "my-model"})
	fmt.Println(opened.Len(), err)
	_, err = vecindex.Open(path, 2, vecindex.Options{Identity: "another-model"})
	fmt.Println(err != nil)
	// Output:
	// 1 <nil>
	// true
}

// Documents of several vectors count with the best of them, for each vector
// that is asked for.
func ExampleIndex_ScoreSums() {
	ix, _ := vecindex.New(2, vecindex.Options{})
	_ = ix.Apply(vecindex.Changes{Add: []vecindex.Doc{
		{ID: "both", Vector: []float32{1, 0}, More: [][]float32{{0, 1}}}, // in two pieces
		{ID: "between", Vector: []float32{1, 1}},
	}})
	query, imagined := []float32{1, 0}, []float32{0, 1}
	lists, err := ix.ScoreSums(context.Background(), [][]float32{query, imagined},
		[][]vecindex.Term{{{Vector: 0, Weight: 2}, {Vector: 1, Weight: 1}}}, 2, vecindex.Filter{})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range lists[0] {
		fmt.Printf("%s %.3f\n", h.ID, h.Score)
	}
	// Output:
	// both 3.000
	// between 2.121
}

func ExampleIndex_SearchBatch() {
	ix, _ := vecindex.New(2, vecindex.Options{})
	_ = ix.AddBatch([]string{"east", "north", "northeast"}, [][]float32{{1, 0}, {0, 1}, {1, 1}})
	lists, err := ix.SearchBatch(context.Background(), []prospect.Query{
		{Vector: []float32{1, 0}, K: 10},
		{Vector: []float32{0, 1}, K: 10},
	}, vecindex.Filter{MinScore: new(0.5), Without: []string{"north"}})
	if err != nil {
		log.Fatal(err)
	}
	for i, hits := range lists {
		for _, h := range hits {
			fmt.Printf("%d: %s %.2f\n", i, h.ID, h.Score)
		}
	}
	// Output:
	// 0: east 1.00
	// 0: northeast 0.71
	// 1: northeast 0.71
}
