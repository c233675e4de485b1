package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prospect-go/prospect/metrics"
)

// arms are the ways in which agents were given skills, in the order in which
// they are shown: none at all, those that the task's author bundled, skills
// that a model imagined, and skills that were retrieved.
var arms = []string{"none", "curated", "pseudo", "retrieved"}

// An attempt is a line of a file of outcomes: one agent at one task.
type attempt struct {
	Task     string   `json:"task"`
	Arm      string   `json:"arm"`
	Trial    *int     `json:"trial"`  // tells attempts of one arm at one task apart; without, each line is one
	Reward   *float64 `json:"reward"` // of the verifier, from 0 to 1; null where there was none
	Provided []string `json:"provided"`
	Loaded   []string `json:"loaded"`
}

// outcomes are the attempts of a file.
type outcomes struct {
	file inputFile
	arms []armOutcome
	// pairs are arms against others, in pass rate and load rate.
	pairs []armPair
	// ignored are names of fields that say nothing here. A file may hold more
	// than rates need; a name that is spelt wrong is found among them.
	ignored []string
}

// readOutcomes reads and evaluates a file of outcomes.
func readOutcomes(path string, opts metrics.Resampling) (*outcomes, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("-outcomes: %w", err)
	}
	type key struct {
		task, arm string
		trial     int
	}
	seen := map[key]bool{}
	ignored := map[string]bool{}
	byArm := map[string]map[string][]attempt{} // by arm and task
	err = eachLine(data, func(line []byte) error {
		a, err := readAttempt(line, ignored)
		if err != nil {
			return err
		}
		if a.Trial != nil {
			k := key{a.Task, a.Arm, *a.Trial}
			if seen[k] {
				return fmt.Errorf("task %q has an outcome of arm %q, trial %d, already", a.Task, a.Arm, *a.Trial)
			}
			seen[k] = true
		}
		if byArm[a.Arm] == nil {
			byArm[a.Arm] = map[string][]attempt{}
		}
		byArm[a.Arm][a.Task] = append(byArm[a.Arm][a.Task], a)
		return nil
	})
	if err == nil && len(byArm) == 0 {
		err = errors.New("there are no outcomes")
	}
	if err != nil {
		return nil, fmt.Errorf("-outcomes: %s: %w", path, err)
	}
	out := &outcomes{ignored: sortedKeys(ignored)}
	if out.file, err = hashFile(path, filepath.Base(path)); err != nil {
		return nil, err
	}
	for _, name := range arms {
		if byArm[name] == nil {
			continue
		}
		arm, err := newArmOutcome(name, byArm[name], opts)
		if err != nil {
			return nil, fmt.Errorf("-outcomes: arm %q: %w", name, err)
		}
		out.arms = append(out.arms, arm)
	}
	return out, out.compare(opts)
}

// readAttempt reads a line and adds the names of fields that it does not know
// to ignored.
func readAttempt(line []byte, ignored map[string]bool) (a attempt, err error) {
	if err := json.Unmarshal(line, &a); err != nil {
		return a, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return a, err
	}
	for name := range fields {
		if !slices.Contains([]string{"task", "arm", "trial", "reward", "provided", "loaded"}, strings.ToLower(name)) {
			ignored[name] = true
		}
	}
	switch {
	case a.Task == "":
		return a, errors.New("task is missing")
	case !slices.Contains(arms, a.Arm):
		return a, fmt.Errorf("there is no arm %q, only %s", a.Arm, strings.Join(arms, ", "))
	}
	return a, nil
}
