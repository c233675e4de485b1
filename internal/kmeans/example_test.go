package kmeans_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/prospect-go/prospect/internal/kmeans"
)

func ExampleCluster() {
	ctx := context.Background()
	vectors := [][]float32{{9, 1}, {8, 0}, {1, 7}, {0, 5}, {9, 2}, {-1, 6}}
	_, rows, err := kmeans.Gather(slices.All(vectors), len(vectors))
	if err != nil {
		panic(err)
	}
	c, err := kmeans.Cluster(ctx, rows, kmeans.Options{K: 2})
	if err != nil {
		panic(err)
	}
	for i := range c.K() {
		fmt.Println("cluster", i, "has the rows", c.Members(i))
	}
	fmt.Printf("mean cosine %.3f\n", c.MeanCosine)

	// A row that comes later.
	late, err := kmeans.Assign(ctx, kmeans.Matrix{Dim: 2, Data: []float32{0.6, 0.8}}, c.Centroids)
	if err != nil {
		panic(err)
	}
	fmt.Printf("a new row joins %d, whose cosine is %.3f\n", late.Of[0], late.Similarity[0])
	// Output:
	// cluster 0 has the rows [0 1 4]
	// cluster 1 has the rows [2 3 5]
	// mean cosine 0.994
	// a new row joins 1, whose cosine is 0.795
}
