package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// A table holds every raw score that a setting may use, of all tasks with all
// skills of one collection, so that trying a setting is only arithmetic.
type table struct {
	model string
	col   *collection
	place map[string]int // skill id: column
	tasks []taskScores
	// hub is each skill's cosine with the gallery's mean vector.
	hub []float64
}

// taskScores are rows of one column a skill; those of capabilities are in the
// order of the recorded answer.
type taskScores struct {
	query   []float64 // r^q: cosine with the task
	words   []float64 // BM25 of the task
	anchors []float64 // r^a: BM25 of the anchors

	pseudo     [][]float64 // r^p: cosine with each imagined skill
	short      [][]float64 // the same without its body
	capability [][]float64 // cosine with each capability's text
	joined     [][]float64 // cosine with the capability and its imagined skill as one text
	sum        [][]float64 // cosine with the sum of both vectors

	pseudoWords     [][]float64 // r^w: BM25 of each imagined skill
	shortWords      [][]float64 // the same without its body
	capabilityWords [][]float64 // BM25 of each capability's text
	joinedWords     [][]float64 // BM25 of both, the body included
}

// recipes make the texts of skills.
type recipes struct{ dense, lexical skilldreamer.Recipe }

func newTable(ctx context.Context, col *collection, vectors *vectorFile, r recipes) (*table, error) {
	t := &table{col: col, place: map[string]int{}}
	lex, err := bm25.New(bm25.Options{})
	if err != nil {
		return nil, err
	}
	var ids []string
	var docs []bm25.Doc
	var texts []string
	var owner []int // the column of each text
	for i, s := range col.skills {
		t.place[s.ID] = i
		ids = append(ids, s.ID)
		docs = append(docs, bm25.Doc{ID: s.ID, Text: r.lexical.Text(s)})
		for _, text := range r.dense.Texts(s) {
			texts, owner = append(texts, text), append(owner, i)
		}
	}
	if err := lex.AddBatch(ctx, docs); err != nil {
		return nil, err
	}
	gallery, err := vectors.embed(ctx, prospect.RoleDocument, texts)
	if err != nil {
		return nil, err
	}
	cosines := func(v []float32) []float64 { // the highest of each skill's vectors
		row := make([]float64, len(ids))
		for i := range row {
			row[i] = -1
		}
		for i, g := range gallery {
			row[owner[i]] = max(row[owner[i]], dot(v, g))
		}
		return row
	}
	words := func(text string) ([]float64, error) { return lex.Scores(ctx, text, ids) }
	t.hub = cosines(meanVector(gallery))
	for _, task := range col.tasks {
		for id := range task.relevant {
			if _, ok := t.place[id]; !ok {
				return nil, fmt.Errorf("task %s: the skill %q that it needs is not in the gallery", task.id, id)
			}
		}
		s, err := newTaskScores(ctx, task, vectors, r.dense, cosines, words)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", task.id, err)
		}
		t.tasks = append(t.tasks, s)
	}
	return t, nil
}

func newTaskScores(ctx context.Context, task task, vectors *vectorFile, dense skilldreamer.Recipe,
	cosines func([]float32) []float64, words func(string) ([]float64, error)) (s taskScores, err error) {
	q, err := vectors.embed(ctx, prospect.RoleQuery, []string{task.text})
	if err != nil {
		return s, err
	}
	s.query = cosines(q[0])
	if s.words, err = words(task.text); err != nil {
		return s, err
	}
	if s.anchors, err = words(strings.Join(task.imagined.Anchors, " ")); err != nil {
		return s, err
	}
	for j, c := range task.imagined.Capabilities {
		if c.Skill == nil {
			return s, fmt.Errorf("capability %d has no imagined skill", j)
		}
		p := &skill.Skill{Name: c.Skill.Name, Description: c.Skill.Description, Body: c.Skill.Body}
		short, whole := skilldreamer.Recipe{}.Text(p), skilldreamer.Recipe{Body: -1}.Text(p)
		v, err := vectors.embed(ctx, prospect.RoleDocument, []string{dense.Text(p), short, c.Text, c.Text + "\n" + dense.Text(p)})
		if err != nil {
			return s, err
		}
		s.pseudo = append(s.pseudo, cosines(v[0]))
		s.short = append(s.short, cosines(v[1]))
		s.capability = append(s.capability, cosines(v[2]))
		s.joined = append(s.joined, cosines(v[3]))
		s.sum = append(s.sum, cosines(unitSum(v[0], v[2])))
		for _, w := range []struct {
			rows *[][]float64
			text string
		}{
			{&s.pseudoWords, whole}, {&s.shortWords, short}, {&s.capabilityWords, c.Text}, {&s.joinedWords, c.Text + "\n" + whole},
		} {
			row, err := words(w.text)
			if err != nil {
				return s, err
			}
			*w.rows = append(*w.rows, row)
		}
	}
	return s, nil
}

// ids are those of columns.
func (t *table) ids(columns []int) []string {
	out := make([]string, len(columns))
	for i, at := range columns {
		out[i] = t.col.skills[at].ID
	}
	return out
}

func dot(a, b []float32) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// unitSum is (a + b) / ‖a + b‖.
func unitSum(a, b []float32) []float32 {
	sum := make([]float32, len(a))
	for i := range a {
		sum[i] = a[i] + b[i]
	}
	length := math.Sqrt(dot(sum, sum))
	for i := range sum {
		sum[i] = float32(float64(sum[i]) / length)
	}
	return sum
}

func meanVector(vectors [][]float32) []float32 {
	sum := make([]float64, len(vectors[0]))
	for _, v := range vectors {
		for i, x := range v {
			sum[i] += float64(x)
		}
	}
	out := make([]float32, len(sum))
	for i, x := range sum {
		out[i] = float32(x / float64(len(vectors)))
	}
	return out
}
