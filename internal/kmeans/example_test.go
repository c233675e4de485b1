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
		fmt.Printf("%d rows, mean cosine %.3f; nearest to the centroid %d\n", c.Sizes[i], c.Cohesion[i], c.Nearest(i, 2))
	}

	// A row that comes later.
	late, err := kmeans.Assign(ctx, kmeans.Matrix{Dim: 2, Data: []float32{0.6, 0.8}}, c.Centroids)
	if err != nil {
		panic(err)
	}
	fmt.Printf("a new row joins %d, whose cosine is %.3f\n", late.Of[0], late.Similarity[0])
	// Output:
	// 3 rows, mean cosine 0.996; nearest to the centroid [0 4]
	// 3 rows, mean cosine 0.992; nearest to the centroid [3 2]
	// a new row joins 1, whose cosine is 0.795
}
