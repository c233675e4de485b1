package skillqr

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/prospect-go/prospect"
)

// ClusterPriorOptions of a [ClusterPrior]. The zero value has the defaults.
type ClusterPriorOptions struct {
	// Temperature of the softmax, above 0: how large a difference of cosines
	// counts. Default 0.05.
	Temperature float64
}

// ClusterPrior makes a [Prior] of the clusters that the skills of a set cover.
// A skill's score is the cosine of the query with the nearest centroid of a
// cluster that it covers, the generic skill's that with the nearest centroid
// that no skill covers, and the shares are the softmax of the scores:
//
//	p(s) ∝ exp(max_{c covered by s} cos(q, c) / temperature)
//
// Skills without a cluster, such as one written by hand, have no share. The
// clusters are those that came with the set. Errors: [prospect.ErrOption];
// [prospect.ErrIdentity] for the clusters of another corpus than the set's, and
// for another embedder than theirs.
//
// Cost of a query: one embedding in the role of a query and one product with
// each centroid. It says where in the corpus a query lies, which is not yet
// what knowledge it needs: a word problem is near the stories, not near the
// theorem. So weigh it lightly and measure.
func ClusterPrior(set *Set, clusters *Clusters, e prospect.Embedder, opts ClusterPriorOptions) (Prior, error) {
	if set == nil || clusters == nil || e == nil {
		return nil, optionError("ClusterPrior needs a set, clusters and an embedder")
	}
	if hash := clusters.Fingerprint().Hash; set.Corpus.Hash != "" && set.Corpus.Hash != hash {
		return nil, fmt.Errorf("%w: the set is of corpus %s, the clusters of %s", prospect.ErrIdentity, set.Corpus.Hash, hash)
	}
	if by := clusters.Embedder(); by != "" && by != e.Identity() {
		return nil, fmt.Errorf("%w: clusters of %q, the embedder is %q", prospect.ErrIdentity, by, e.Identity())
	}
	return clusterPrior(set, clusters.Centroid, e, opts)
}

// clusterPrior is ClusterPrior with a function for the centroids, which is nil
// for a number that there is none of.
func clusterPrior(set *Set, centroid func(cluster int) []float32, e prospect.Embedder, opts ClusterPriorOptions) (Prior, error) {
	if opts.Temperature == 0 {
		opts.Temperature = 0.05
	}
	if !(opts.Temperature > 0) || math.IsInf(opts.Temperature, 0) {
		return nil, optionError("Temperature is %v, want more than 0", opts.Temperature)
	}
	type owned struct {
		name string
		rows [][]float32
	}
	var skills []owned
	for i, s := range set.All() {
		o := owned{name: s.Name}
		for _, c := range set.Clusters {
			covered := set.CoveredBy(c.Cluster)
			if !slices.Contains(covered, i) && (i < len(set.Skills) || len(covered) > 0) {
				continue
			}
			row := centroid(c.Cluster)
			if row == nil {
				continue
			}
			if len(row) != e.Dim() {
				return nil, fmt.Errorf("%w: centroid %d has %d, the embedder %d", prospect.ErrDimension, c.Cluster, len(row), e.Dim())
			}
			o.rows = append(o.rows, slices.Clone(row))
		}
		if len(o.rows) > 0 {
			skills = append(skills, o)
		}
	}
	if len(skills) == 0 {
		return nil, optionError("no cluster of the set has a centroid")
	}
	return func(ctx context.Context, query string) (map[string]float64, error) {
		vectors, err := embedQueries(ctx, e, []string{query})
		if err != nil {
			return nil, err
		}
		scores := make([]float64, len(skills))
		for i, s := range skills {
			best := math.Inf(-1)
			for _, row := range s.rows {
				var dot float64
				for j, x := range row {
					dot += float64(x) * float64(vectors[0][j])
				}
				best = max(best, dot)
			}
			scores[i] = best
		}
		softmax(scores, opts.Temperature)
		out := make(map[string]float64, len(skills))
		for i, s := range skills {
			out[s.name] = scores[i]
		}
		return out, nil
	}, nil
}

// softmax turns scores into shares that add up to 1, in place; the larger the
// temperature, the more even.
func softmax(scores []float64, temperature float64) {
	top := slices.Max(scores)
	var sum float64
	for i, s := range scores {
		scores[i] = math.Exp((s - top) / temperature)
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}
