package metrics

import (
	"errors"
	"fmt"
	"slices"

	"github.com/prospect-go/prospect"
)

// ErrNoTasks: a rate over no tasks has no value.
var ErrNoTasks = errors.New("metrics: no tasks")

// Passes is the outcome of [PassRate].
type Passes struct {
	// Rate is the mean reward over all tasks, in [0, 1].
	Rate float64
	// Tasks is the number of tasks, Missing how many had no reward, and
	// Invalid how many had one that is NaN, infinite or outside [0, 1]. Both
	// count as 0 in Rate.
	Tasks, Missing, Invalid int
}

// PassRate is the mean verifier reward over the tasks:
//
//	1/|T| · Σ_t reward_t, where a missing or invalid reward is 0
//
// Rewards of other tasks are not looked at. Errors: [ErrNoTasks], and
// [prospect.ErrDuplicateID] within a [*prospect.IDError] for a task that is
// listed twice.
func PassRate[T comparable](tasks []T, rewards map[T]float64) (Passes, error) {
	if len(tasks) == 0 {
		return Passes{}, ErrNoTasks
	}
	p := Passes{Tasks: len(tasks)}
	seen := make(map[T]struct{}, len(tasks))
	for _, t := range tasks {
		if _, dup := seen[t]; dup {
			return Passes{}, &prospect.IDError{ID: fmt.Sprint(t), Err: prospect.ErrDuplicateID}
		}
		seen[t] = struct{}{}
		reward, given := rewards[t]
		switch {
		case !given:
			p.Missing++
		case reward >= 0 && reward <= 1: // false for NaN
			p.Rate += reward
		default:
			p.Invalid++
		}
	}
	p.Rate /= float64(len(tasks))
	return p, nil
}

// A TaskLoads says which skills an agent was given for a task and which it
// loaded.
type TaskLoads[S comparable] struct {
	Provided []S
	Loaded   []S
}

// LoadRate is the share of tasks that loaded at least one skill that was
// provided to them. A task to which none was provided counts as one that
// loaded none. Error: [ErrNoTasks].
func LoadRate[S comparable](tasks []TaskLoads[S]) (float64, error) {
	if len(tasks) == 0 {
		return 0, ErrNoTasks
	}
	loaded := 0
	for _, t := range tasks {
		if slices.ContainsFunc(t.Loaded, func(s S) bool { return slices.Contains(t.Provided, s) }) {
			loaded++
		}
	}
	return float64(loaded) / float64(len(tasks)), nil
}
