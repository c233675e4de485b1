package onnx_test

import (
	"context"
	"fmt"
	"log"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/onnx"
)

// A folder that was fetched from a model hub, or written by an exporter.
func ExampleOpen() {
	ctx := context.Background()
	e, err := onnx.Open(ctx, "models/e5-small-v2", onnx.Options{
		QueryPrompt:    new("query: "),
		DocumentPrompt: new("passage: "),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	vectors, err := e.Embed(ctx, prospect.RoleQuery, []string{"merge two PDF files"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(vectors[0]) == e.Dim())
}

// Tokens says beforehand what would be cut. The model here is one of the
// tests' own, with 64 positions.
func ExampleEmbedder_Tokens() {
	e, err := onnx.OpenFS(context.Background(), files(pooledGraph(rows)), onnx.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	n, cut := e.Tokens(prospect.RoleDocument, "Find the right skill.")
	fmt.Println(n, cut, e.MaxTokens()) // [CLS] find the right skill . [SEP]
	// Output: 7 false 64
}
