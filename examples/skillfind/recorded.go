package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prospect-go/prospect/skilldreamer"
)

// A task is what skills are looked for.
type task struct {
	ID     string   `json:"id"` // empty for a task of the user's own
	Text   string   `json:"text"`
	Needed []string `json:"relevant"` // names of the skills that it needs, if known
}

// A bundle holds tasks and, for some of them, what a model answered.
type bundle struct {
	tasks   []task
	answers map[string]*skilldreamer.Imagined // by task id
}

// showcase are the tasks to run where none is asked for: a task by whose words
// some of its skills cannot be found, and one where a skill stays hidden even
// from the method.
var showcase = []string{"orders-page-crawls", "tenants-day-in-court"}

// recordedModel is the identity under which recorded answers appear.
const recordedModel = "recorded answers"

// readBundle reads tasks.jsonl and llm_outputs.jsonl of a folder.
func readBundle(dir string) (bundle, error) {
	set := bundle{answers: map[string]*skilldreamer.Imagined{}}
	err := readLines(filepath.Join(dir, "tasks.jsonl"), func(t *task) error {
		switch {
		case t.ID == "" || strings.TrimSpace(t.Text) == "":
			return errors.New("a task needs an id and a text")
		case set.byID(t.ID) != nil:
			return fmt.Errorf("the id %q is taken", t.ID)
		}
		set.tasks = append(set.tasks, *t)
		return nil
	})
	if err != nil {
		return bundle{}, err
	}
	type record struct {
		Task string `json:"query_id"`
		skilldreamer.Imagined
	}
	err = readLines(filepath.Join(dir, "llm_outputs.jsonl"), func(r *record) error {
		switch {
		case set.byID(r.Task) == nil:
			return fmt.Errorf("tasks.jsonl has no task %q", r.Task)
		case set.answers[r.Task] != nil:
			return fmt.Errorf("there is an answer to %q already", r.Task)
		}
		r.Model = recordedModel
		set.answers[r.Task] = &r.Imagined
		return nil
	})
	if err != nil {
		return bundle{}, err
	}
	if len(set.tasks) == 0 {
		return bundle{}, fmt.Errorf("%s: there are no tasks", filepath.Join(dir, "tasks.jsonl"))
	}
	return set, nil
}

// readLines decodes each line of a file that is not blank and hands it to
// take. Errors name the file and the line.
func readLines[T any](path string, take func(*T) error) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("-tasks: %w: the folder must hold tasks.jsonl and llm_outputs.jsonl", err)
	}
	if err != nil {
		return fmt.Errorf("-tasks: %w", err)
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v := new(T)
		err := json.Unmarshal(line, v)
		if err == nil {
			err = take(v)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", path, n, err)
		}
	}
	return nil
}

func (b bundle) byID(id string) *task {
	for i := range b.tasks {
		if b.tasks[i].ID == id {
			return &b.tasks[i]
		}
	}
	return nil
}

// byText finds a task of the bundle by its words.
func (b bundle) byText(text string) *task {
	want := strings.Join(strings.Fields(text), " ")
	for i := range b.tasks {
		if strings.Join(strings.Fields(b.tasks[i].Text), " ") == want {
			return &b.tasks[i]
		}
	}
	return nil
}

// maxTask bounds, in bytes, a task that is read from a file.
const maxTask = 1 << 20

// chooseTasks finds out what -task means, and which ids of the bundle are not
// among it.
func chooseTasks(flag string, set bundle, stdin io.Reader) (chosen []task, others []string, err error) {
	switch {
	case flag == "all" && len(set.tasks) > 0:
		return set.tasks, nil, nil
	case flag == "":
		for _, id := range showcase {
			if t := set.byID(id); t != nil {
				chosen = append(chosen, *t)
			}
		}
		if len(chosen) == 0 {
			chosen = set.tasks[:min(2, len(set.tasks))]
		}
	default:
		text, err := taskText(flag, stdin)
		if err != nil {
			return nil, nil, err
		}
		t := set.byID(text)
		if t == nil {
			t = set.byText(text)
		}
		if t == nil {
			t = &task{Text: text}
		}
		chosen = []task{*t}
	}
	for _, t := range set.tasks {
		if !slices.ContainsFunc(chosen, func(c task) bool { return c.ID == t.ID }) {
			others = append(others, t.ID)
		}
	}
	return chosen, others, nil
}

// taskText reads the task from where the flag says.
func taskText(flag string, stdin io.Reader) (string, error) {
	text := flag
	var from io.Reader
	if path, ok := strings.CutPrefix(flag, "@"); ok {
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("-task: %w", err)
		}
		defer f.Close()
		from = f
	} else if flag == "-" {
		from = stdin
	}
	if from != nil {
		data, err := io.ReadAll(io.LimitReader(from, maxTask+1))
		if err != nil {
			return "", fmt.Errorf("-task %s: %w", flag, err)
		}
		if len(data) > maxTask {
			return "", fmt.Errorf("-task %s: the text is longer than 1 MiB", flag)
		}
		text = string(data)
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if text == "" {
		return "", fmt.Errorf("-task %s: the text is empty", flag)
	}
	return text, nil
}
