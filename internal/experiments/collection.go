package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// A task with its judgements and what a model imagined for it.
type task struct {
	id, text string
	relevant map[string]float64
	imagined *skilldreamer.Imagined
}

// A collection is skills and tasks that need some of them.
type collection struct {
	name   string
	skills []*skill.Skill
	tasks  []task
}

// read reads SkillsBench from a folder in BEIR form with recorded answers, the
// demo's tasks and skills, or, of both, the demo's tasks with the skills of
// both.
func read(data, demo, gallery string) (*collection, error) {
	if data == "" && demo == "" {
		return nil, errors.New("nothing to read: give -data or -demo")
	}
	if data == "" {
		return readDemo(demo)
	}
	c, err := readSkillsBench(data, gallery)
	if err != nil || demo == "" {
		return c, err
	}
	d, err := readDemo(demo)
	if err != nil {
		return nil, err
	}
	d.name += " in the " + c.name
	for _, s := range c.skills {
		s.ID = "skillsbench:" + s.ID // the demo's names may recur
		d.skills = append(d.skills, s)
	}
	return d, nil
}

// readSkillsBench reads the gallery "large", with all distractors, "strict",
// with those that share no name with a skill of the corpus, or "small", with
// none.
func readSkillsBench(dir, gallery string) (*collection, error) {
	beir := metrics.BEIR{FS: os.DirFS(dir)}
	queries, err := beir.Queries()
	if err != nil {
		return nil, err
	}
	qrels, err := beir.Qrels("test")
	if err != nil {
		return nil, err
	}
	imagined, err := readImagined(filepath.Join(dir, "llm_outputs.jsonl"))
	if err != nil {
		return nil, err
	}
	c := &collection{name: gallery + " gallery"}
	for _, q := range queries {
		if len(qrels[q.ID]) == 0 || imagined[q.ID] == nil {
			return nil, fmt.Errorf("task %s has no judgement or no recorded answer", q.ID)
		}
		c.tasks = append(c.tasks, task{q.ID, q.Text, qrels[q.ID], imagined[q.ID]})
	}
	add := func(d metrics.Doc) error {
		s, _, err := skill.Parse([]byte(d.Text), skill.ParseOptions{Folder: d.ID})
		if err != nil {
			return fmt.Errorf("%s: %w", d.ID, err)
		}
		s.ID = d.ID
		c.skills = append(c.skills, s)
		return nil
	}
	for d, err := range beir.Corpus() {
		if err == nil {
			err = add(d)
		}
		if err != nil {
			return nil, err
		}
	}
	switch gallery {
	case "small":
		return c, nil
	case "large", "strict":
	default:
		return nil, fmt.Errorf("no gallery %q", gallery)
	}
	distractors, err := readDistractors(filepath.Join(dir, "distractors.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	for _, d := range distractors {
		var about struct {
			SameName []string `json:"same_name_as"`
		}
		if err := json.Unmarshal(d.Metadata, &about); err != nil {
			return nil, fmt.Errorf("%s: %w", d.ID, err)
		}
		if gallery == "large" || about.SameName == nil {
			if err := add(d); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

func readDistractors(path string) ([]metrics.Doc, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var docs []metrics.Doc
	for d, err := range metrics.ReadBEIRDocs(z, path) {
		if err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// readDemo reads the demo's folder: 48 skills, 10 tasks.
func readDemo(dir string) (*collection, error) {
	loaded, err := skill.LoadDir(context.Background(), filepath.Join(dir, "skills"), skill.LoadOptions{})
	if err != nil {
		return nil, err
	}
	imagined, err := readImagined(filepath.Join(dir, "llm_outputs.jsonl"))
	if err != nil {
		return nil, err
	}
	type line struct {
		ID       string   `json:"id"`
		Text     string   `json:"text"`
		Relevant []string `json:"relevant"`
	}
	lines, err := readLines[line](filepath.Join(dir, "tasks.jsonl"))
	if err != nil {
		return nil, err
	}
	c := &collection{name: "demo"}
	for _, s := range loaded.Skills {
		s.ID = s.Name
		c.skills = append(c.skills, s)
	}
	for _, l := range lines {
		if len(l.Relevant) == 0 || imagined[l.ID] == nil {
			return nil, fmt.Errorf("task %s has no judgement or no recorded answer", l.ID)
		}
		t := task{l.ID, l.Text, map[string]float64{}, imagined[l.ID]}
		for _, name := range l.Relevant {
			t.relevant[name] = 1
		}
		c.tasks = append(c.tasks, t)
	}
	return c, nil
}

func readImagined(path string) (map[string]*skilldreamer.Imagined, error) {
	type recorded struct {
		QueryID string `json:"query_id"`
		skilldreamer.Imagined
	}
	lines, err := readLines[recorded](path)
	if err != nil {
		return nil, err
	}
	out := map[string]*skilldreamer.Imagined{}
	for _, l := range lines {
		out[l.QueryID] = &l.Imagined
	}
	return out, nil
}

// readLines reads a file of JSON values.
func readLines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []T
	for d := json.NewDecoder(bufio.NewReader(f)); ; {
		var v T
		if err := d.Decode(&v); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: record %d: %w", path, len(out)+1, err)
		}
		out = append(out, v)
	}
}
