package main

import (
	"fmt"
	"slices"

	"github.com/prospect-go/prospect/metrics"
)

// An armOutcome is how one arm did. Rates are means over tasks; where a task
// has several trials, its own rate is the mean over them.
type armOutcome struct {
	name             string
	tasks            []string // in order
	attempts         int
	missing, invalid int // rewards, which count as 0
	pass, load       []float64
	provides         bool // some attempt was given a skill; without, a load rate says nothing
	passRate         rate
	loadRate         rate
	provided, loaded float64 // mean numbers of different skills
}

type rate struct {
	mean     float64
	interval metrics.Interval
}

// An armPair is a paired difference over the tasks that both arms have.
type armPair struct {
	arm, against, rate string
	metrics.Comparison
	holm float64
}

func newArmOutcome(name string, byTask map[string][]attempt, opts metrics.Resampling) (armOutcome, error) {
	arm := armOutcome{name: name, tasks: sortedKeys(byTask)}
	for _, task := range arm.tasks {
		var trials []int
		rewards := map[int]float64{}
		var loads []metrics.TaskLoads[string]
		for i, a := range byTask[task] {
			trials = append(trials, i)
			if a.Reward != nil {
				rewards[i] = *a.Reward
			}
			loads = append(loads, metrics.TaskLoads[string]{Provided: a.Provided, Loaded: a.Loaded})
			arm.provides = arm.provides || len(a.Provided) > 0
			arm.provided += distinct(a.Provided)
			arm.loaded += distinct(a.Loaded)
			arm.attempts++
		}
		passes, err := metrics.PassRate(trials, rewards)
		if err != nil {
			return arm, err
		}
		load, err := metrics.LoadRate(loads)
		if err != nil {
			return arm, err
		}
		arm.missing += passes.Missing
		arm.invalid += passes.Invalid
		arm.pass, arm.load = append(arm.pass, passes.Rate), append(arm.load, load)
	}
	arm.provided /= float64(arm.attempts)
	arm.loaded /= float64(arm.attempts)
	var err error
	if arm.passRate, err = rateOf(arm.pass, opts); err != nil {
		return arm, err
	}
	arm.loadRate, err = rateOf(arm.load, opts)
	return arm, err
}

// distinct is how many different skills there are: one that an agent loaded
// again is no further one.
func distinct(skills []string) float64 {
	return float64(len(slices.Compact(slices.Sorted(slices.Values(skills)))))
}

func rateOf(values []float64, opts metrics.Resampling) (r rate, err error) {
	for _, v := range values {
		r.mean += v / float64(len(values))
	}
	r.interval, err = metrics.MeanInterval(values, opts)
	return r, err
}

// compare takes the paired differences: of pass rates, every arm against none
// and the retrieved skills against the others; of load rates, the retrieved
// skills against the other arms that provide some. P-values are corrected over
// each of the two.
func (o *outcomes) compare(opts metrics.Resampling) error {
	for _, kind := range []string{"pass rate", "load rate"} {
		begin := len(o.pairs)
		for i, b := range o.arms {
			for _, a := range o.arms[i+1:] {
				if kind == "load rate" && !(a.provides && b.provides) || b.name != "none" && a.name != "retrieved" {
					continue
				}
				x, y := paired(a, b, kind)
				if len(x) == 0 {
					continue
				}
				c, err := metrics.Compare(x, y, opts)
				if err != nil {
					return fmt.Errorf("%s of %s against %s: %w", kind, a.name, b.name, err)
				}
				o.pairs = append(o.pairs, armPair{arm: a.name, against: b.name, rate: kind, Comparison: c})
			}
		}
		var ps []float64
		for _, p := range o.pairs[begin:] {
			ps = append(ps, p.P)
		}
		for i, p := range metrics.Holm(ps) {
			o.pairs[begin+i].holm = p
		}
	}
	return nil
}

// paired are the rates of two arms for the tasks that both have.
func paired(a, b armOutcome, kind string) (x, y []float64) {
	for i, task := range a.tasks {
		j, ok := slices.BinarySearch(b.tasks, task)
		if !ok {
			continue
		}
		if kind == "load rate" {
			x, y = append(x, a.load[i]), append(y, b.load[j])
		} else {
			x, y = append(x, a.pass[i]), append(y, b.pass[j])
		}
	}
	return x, y
}
