package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A contender does the i-th piece of a case's work. All do the same for the
// same i.
type contender struct {
	name string
	// run returns how long it took, by its own clock.
	run func(i int) (time.Duration, error)
	// recall, where it is not negative, is the share of the right hits that it
	// finds.
	recall float64
	// rest is how long the next contender waits, because threads of this one may
	// go on looking for work.
	rest time.Duration
}

// timed is a run by this process's clock.
func timed(f func(i int) error) func(int) (time.Duration, error) {
	return func(i int) (time.Duration, error) {
		start := time.Now()
		err := f(i)
		return time.Since(start), err
	}
}

// fill is the time that a contender gets in a round at least: a fast one runs
// several times.
const fill = 10 * time.Millisecond

// contest lets contenders take turns and reports the time for one of the units
// that a run does, such as the milliseconds a query. It returns the shortest
// time of the first.
func contest(ctx context.Context, out *output, o *options, name, unit string, units int, all []contender) (float64, error) {
	all = slices.DeleteFunc(all, func(c contender) bool {
		return !strings.HasPrefix(c.name, "prospect") && !o.wants(c.name)
	})
	perRun := make([][]float64, len(all)) // milliseconds a unit, by contender and round
	for i, c := range all {               // once for nothing: caches, pools, goroutines
		if _, err := c.run(0); err != nil {
			return 0, fmt.Errorf("%s: %w", all[i].name, err)
		}
	}
	rest := all[len(all)-1].rest
	for round := range o.rounds {
		for turn := range all {
			time.Sleep(rest)
			runtime.GC() // what one contender leaves is not for the next one's time
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			who := (turn + round) % len(all)
			rest = all[who].rest
			var spent time.Duration
			runs := 0
			for spent < fill {
				d, err := all[who].run(round + runs)
				if err != nil {
					return 0, fmt.Errorf("%s: %w", all[who].name, err)
				}
				spent += d
				runs++
			}
			ms := spent.Seconds() * 1e3 / float64(runs*units)
			perRun[who] = append(perRun[who], ms)
		}
	}
	fmt.Fprintf(out.text, "\n## %s\n\n", name)
	w := tabwriter.NewWriter(out.text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tmin %s\tmedian\tmin ratio\tmedian ratio\trecall\t\n", unit)
	for i, c := range all {
		ratios := make([]float64, o.rounds)
		for r := range ratios {
			ratios[r] = perRun[i][r] / perRun[0][r]
		}
		least, middle := slices.Min(perRun[i]), median(perRun[i])
		recall := ""
		if c.recall >= 0 {
			recall = fmt.Sprintf("%.3f", c.recall)
		}
		fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%.2f\t%.2f\t%s\t\n", c.name,
			least, middle, least/slices.Min(perRun[0]), median(ratios), recall)
		if err := out.figure(name, c.name, unit, middle); err != nil {
			return 0, err
		}
		if err := out.figure(name, c.name, unit+" (min)", least); err != nil {
			return 0, err
		}
		if c.recall >= 0 {
			if err := out.figure(name, c.name, "recall@10", c.recall); err != nil {
				return 0, err
			}
		}
	}
	return slices.Min(perRun[0]), w.Flush()
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
