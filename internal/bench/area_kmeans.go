package main

import (
	"context"
	"fmt"
	"math"
	"text/tabwriter"
	"time"

	"github.com/prospect-go/prospect/internal/kmeans"
)

// kmeansArea compares clustering, by time and by inertia, of embeddings of
// excerpts from real texts into √n clusters. All see all rows.
func kmeansArea(ctx context.Context, o *options, out *output) error {
	for _, s := range o.clusters {
		start := time.Now()
		c, err := excerptVectors(ctx, s)
		if err != nil {
			out.note("no texts: %v", err)
			return nil
		}
		out.note("\n%s: embedded in %.1f s", s, time.Since(start).Seconds())
		rows := kmeans.Matrix{Dim: c.dim, Data: c.block}
		k := int(math.Round(math.Sqrt(float64(s.rows))))
		if err := clusterContest(ctx, o, out, fmt.Sprintf("%s/k=%d", s, k), rows, k); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// grouped is a clustering, and what it took.
type grouped struct {
	wall, cpu  time.Duration
	iterations int // of what the contender calls so
	centroids  kmeans.Matrix
}

// A grouper clusters the rows of a case.
type grouper struct {
	name string
	run  func(seed uint64) (grouped, error)
}

func clusterContest(ctx context.Context, o *options, out *output, name string, rows kmeans.Matrix, k int) error {
	all := []grouper{
		prospectGrouper(ctx, "prospect", rows, kmeans.Options{K: k}),
		prospectGrouper(ctx, "prospect (25 iterations)", rows, kmeans.Options{K: k, MaxIterations: 25, Tolerance: math.SmallestNonzeroFloat64}),
	}
	if o.wants("faiss") || o.wants("sklearn") {
		if py, err := startClusterPython(ctx, rows, k); err != nil {
			out.note("no faiss and scikit-learn: %v", err)
		} else {
			defer py.close()
			for _, peer := range py.peers {
				if o.wants(peer) {
					all = append(all, grouper{peer, func(seed uint64) (grouped, error) { return py.run(peer, seed) }})
				}
			}
		}
	}
	// Runs take long enough to need none for nothing.
	rounds := min(o.rounds, 3)
	totals := make([]total, len(all))
	for round := range rounds {
		for turn := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			who := (turn + round) % len(all)
			g, err := all[who].run(uint64(round + 1))
			if err != nil {
				return fmt.Errorf("%s: %w", all[who].name, err)
			}
			found, err := kmeans.Assign(ctx, rows, g.centroids)
			if err != nil {
				return fmt.Errorf("%s: %w", all[who].name, err)
			}
			totals[who].add(g, found, rounds)
			out.note("%s, round %d: %.1f s", all[who].name, round+1, g.wall.Seconds())
		}
	}
	return showGroups(out, name, all, totals)
}

// total is the rounds of a contender: of times the shortest, of the rest the
// mean.
type total struct {
	seconds, cpu                float64
	inertia, cosine, iterations float64
	empty                       float64
}

func (t *total) add(g grouped, found *kmeans.Clusters, rounds int) {
	if t.seconds == 0 {
		t.seconds, t.cpu = math.Inf(1), math.Inf(1)
	}
	t.seconds = min(t.seconds, g.wall.Seconds())
	t.cpu = min(t.cpu, g.cpu.Seconds())
	share := 1 / float64(rounds)
	t.inertia += share * found.Inertia
	t.cosine += share * found.MeanCosine
	t.iterations += share * float64(g.iterations)
	for _, size := range found.Sizes {
		if size == 0 {
			t.empty += share
		}
	}
}

func showGroups(out *output, name string, all []grouper, totals []total) error {
	out.note("\n## %s\n", name)
	w := tabwriter.NewWriter(out.text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tmin s\tratio\tmin cpu s\tcpu ratio\titerations\tmean cosine\tinertia\tratio\tempty\t\n")
	first := totals[0]
	for i, t := range totals {
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%.4f\t%.0f\t%.4f\t%.1f\t\n", all[i].name,
			t.seconds, t.seconds/first.seconds, t.cpu, t.cpu/max(first.cpu, 1e-9), t.iterations,
			t.cosine, t.inertia, t.inertia/first.inertia, t.empty)
		for _, f := range []struct {
			unit  string
			value float64
		}{
			{"s (min)", t.seconds}, {"cpu s (min)", t.cpu}, {"iterations", t.iterations},
			{"mean cosine", t.cosine}, {"inertia", t.inertia}, {"inertia ratio", t.inertia / first.inertia},
			{"empty clusters", t.empty},
		} {
			if err := out.figure(name, all[i].name, f.unit, f.value); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

func prospectGrouper(ctx context.Context, name string, rows kmeans.Matrix, opts kmeans.Options) grouper {
	return grouper{name, func(seed uint64) (grouped, error) {
		opts.Seed = seed
		start, spent := time.Now(), cpuTime()
		c, err := kmeans.Cluster(ctx, rows, opts)
		if err != nil {
			return grouped{}, err
		}
		return grouped{time.Since(start), cpuTime() - spent, c.Iterations, c.Centroids}, nil
	}}
}
