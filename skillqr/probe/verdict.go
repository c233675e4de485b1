package probe

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/prospect-go/prospect/metrics"
)

// An Outcome is what a [Verdict] comes down to.
type Outcome string

const (
	// Helps: the mined skills gain at least MinGain over the raw queries, the
	// interval of the gain lies above 0, and the latency is within MaxLatency.
	Helps Outcome = "helps"
	// TooSlow: they help, but a rewrite takes longer than MaxLatency.
	TooSlow Outcome = "too slow"
	// TooLittle: the interval of the gain lies below MinGain, or the gain does
	// although it is sure to be one.
	TooLittle Outcome = "too little"
	// Hurts: the interval of the gain lies below 0.
	Hurts Outcome = "hurts"
	// Unclear: the interval holds 0 and gains of MinGain and more.
	Unclear Outcome = "unclear"
)

// A Verdict says whether rewriting with the mined skills is worth its latency.
type Verdict struct {
	Outcome Outcome `json:"outcome"`
	// Worth is whether to rewrite: Outcome is Helps.
	Worth bool `json:"worth"`
	// Text says it in words, with the figures, and what else there is to know.
	Text string `json:"text"`
}

// few is the number of queries below which intervals are not to be trusted.
const few = 20

func judge(r *Report, o Options) (Verdict, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Verdict{}, err
	}
	mined, raw := r.Arm(MinedArm), r.Arm(RawArm)
	gain, err := metrics.Compare(mined.Values, raw.Values, o.Resampling)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Outcome: outcome(gain, mined.Rewriting.Median, o)}
	v.Worth = v.Outcome == Helps
	var say []string
	add := func(format string, args ...any) { say = append(say, fmt.Sprintf(format, args...)) }

	change := fmt.Sprintf("%s goes from %.3f to %.3f (%s)", r.Measure, raw.Mean.Value, mined.Mean.Value, describe(gain))
	cost := "a median of " + seconds(mined.Rewriting.Median) + " a query"
	switch v.Outcome {
	case Helps:
		add("Rewriting with the mined skills helps: %s, for %s.", change, cost)
	case TooSlow:
		add("Rewriting with the mined skills helps, but it is too slow: %s, for %s where %s are allowed. A cache warmed with frequent queries or a gate may bring it within.", change, cost, seconds(o.MaxLatency))
	case TooLittle:
		add("Rewriting is not worth its latency: %s, for %s, where a gain of %.3f is asked for.", change, cost, o.MinGain)
	case Hurts:
		add("Rewriting hurts: %s. Keep the queries as they are, or fuse their hits with the rewritten ones' and probe again.", change)
	case Unclear:
		add("These queries do not show that rewriting is worth its latency: %s, for %s.", change, cost)
		if n := needed(gain); n > 0 {
			add("If the difference is real, about %d queries would show it.", n)
		}
	}
	if gain.N < few {
		add("With %d queries all of this is a hint: judge more.", gain.N)
	}
	if gain.Losses > 0 {
		add("%d of %d queries get better, %d worse.", gain.Wins, gain.N, gain.Losses)
	}
	if mined.Fell > 0 {
		add("In %d queries something fell back.", mined.Fell)
	}
	for _, other := range r.Arms {
		if other.Name == MinedArm || other.Name == RawArm {
			continue
		}
		c, err := metrics.Compare(other.Values, mined.Values, o.Resampling)
		if err != nil {
			return Verdict{}, err
		}
		switch {
		case c.Low > 0:
			add("%q does better than the mined skills: %.3f (%s).", other.Name, other.Mean.Value, describe(c))
		case other.Name == GenericArm && v.Worth && c.High >= 0:
			add("The generic instruction is not shown to be worse: %.3f (%s), and saves the choice of a skill.", other.Mean.Value, describe(c))
		}
	}
	v.Text = strings.Join(say, " ")
	return v, nil
}

func outcome(gain metrics.Comparison, latency time.Duration, o Options) Outcome {
	switch {
	case gain.High < 0:
		return Hurts
	case gain.High < o.MinGain, gain.Low > 0 && gain.Difference < o.MinGain:
		return TooLittle
	case gain.Low <= 0:
		return Unclear
	case o.MaxLatency > 0 && latency > o.MaxLatency:
		return TooSlow
	}
	return Helps
}

// describe gives a difference with its interval and p-value.
func describe(c metrics.Comparison) string {
	return fmt.Sprintf("%+.3f, interval %+.3f to %+.3f, p %.3g", c.Difference, c.Low, c.High, c.P)
}

// needed is about how many queries would bring the interval off 0: its half
// width goes with 1/√n. 0 where there is no difference, or no bound in sight.
func needed(c metrics.Comparison) int {
	half := (c.High - c.Low) / 2
	if math.Abs(c.Difference) < 1e-9 || half <= 0 {
		return 0
	}
	n := math.Ceil(float64(c.N) * (half / c.Difference) * (half / c.Difference))
	if n <= float64(c.N) || n > 1e6 {
		return 0
	}
	return int(n)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
