package bm25_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

func Example() {
	ctx := context.Background()
	index, err := bm25.New(bm25.Options{})
	if err != nil {
		panic(err)
	}
	err = index.AddBatch(ctx, []bm25.Doc{
		{ID: "pdf-forms", Text: "Fill in the form fields of PDFs and flatten them"},
		{ID: "pdf-tables", Text: "Extract tables from a PDF into spreadsheets"},
		{ID: "git-bisect", Text: "Find the commit that broke a test with git bisect"},
	})
	if err != nil {
		panic(err)
	}
	hits, err := index.Search(ctx, prospect.Query{Text: "extracting a table from PDFs", K: 3})
	if err != nil {
		panic(err)
	}
	for _, h := range hits {
		fmt.Printf("%s %.3f\n", h.ID, h.Score)
	}
	// Output:
	// pdf-tables 1.630
	// pdf-forms 0.209
}

func ExampleSnapshot_Explain() {
	index, _ := bm25.New(bm25.Options{})
	_ = index.AddBatch(context.Background(), []bm25.Doc{
		{ID: "a", Text: "red apples, green apples"}, {ID: "b", Text: "green pears"},
	})
	e, err := index.Explain("green apples", "a")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s %.4f: %d terms, mean %.1f\n", e.ID, e.Score, e.Length, e.AvgLength)
	for _, t := range e.Terms {
		fmt.Printf("%-5s tf %d df %d idf %.4f: %.4f\n", t.Term, t.TF, t.DF, t.IDF, t.Score)
	}
	// Output:
	// a 0.4690: 4 terms, mean 3.0
	// appl  tf 2 df 1 idf 0.6931: 0.3961
	// green tf 1 df 2 idf 0.1823: 0.0729
}

// A query of two texts, the second of which counts half.
func ExampleSnapshot_SearchTerms() {
	ctx := context.Background()
	index, _ := bm25.New(bm25.Options{})
	_ = index.AddBatch(ctx, []bm25.Doc{
		{ID: "charts", Text: "draw charts of data"}, {ID: "maps", Text: "draw maps of places"},
	})
	a := index.Analyzer()
	terms := a.Query(a.Query(nil, "draw the population", 1), "a map of each place", 0.5)
	hits, err := index.SearchTerms(ctx, terms, prospect.Query{K: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(hits[0].ID)
	// Output: maps
}

func ExampleNewAnalyzer() {
	a := bm25.NewAnalyzer("lower-fields/1", func(dst []string, text string) []string {
		return append(dst, strings.Fields(strings.ToLower(text))...)
	})
	fmt.Println(a.Terms("To BE"))
	// Output: [to be]
}

// A word in the name counts five times as much as one in the text.
func ExampleField() {
	ctx := context.Background()
	index, err := bm25.New(bm25.Options{Fields: []bm25.Field{{Name: "name", Weight: 5}}})
	if err != nil {
		panic(err)
	}
	err = index.AddBatch(ctx, []bm25.Doc{
		{ID: "a", Text: "Draw charts. Charts of data, charts of places.", Fields: map[string]string{"name": "plots"}},
		{ID: "b", Text: "Draw from tables.", Fields: map[string]string{"name": "charts"}},
	})
	if err != nil {
		panic(err)
	}
	e, err := index.Explain("a chart", "b")
	if err != nil {
		panic(err)
	}
	for _, f := range e.Terms[0].Fields {
		fmt.Printf("%s: %s %d times\n", f.Field, e.Terms[0].Term, f.TF)
	}
	hits, err := index.Search(ctx, prospect.Query{Text: "a chart", K: 2})
	if err != nil {
		panic(err)
	}
	fmt.Println(hits[0].ID, hits[1].ID)
	// Output:
	// name: chart 1 times
	// b a
}
