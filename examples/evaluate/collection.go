package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skill"
)

// A collection is what systems are tried on.
type collection struct {
	name    string
	skills  []*skill.Skill // the corpus, then the distractors
	byID    map[string]*skill.Skill
	whole   map[string]string // texts as they stand, by id; nil where nothing rewrites
	queries []metrics.Doc     // those with a relevant document, in the order of their file
	qrels   metrics.Qrels[string, string]
	known   map[string]bool // ids of all queries, judged or not

	counts counts
	files  []inputFile
}

// counts say what a collection is made of, and what was left out of it.
type counts struct {
	Documents    int `json:"documents"`   // in the gallery
	Skills       int `json:"skills"`      // of them SKILL.md files
	Corpus       int `json:"corpus"`      // of them from the corpus
	Distractors  int `json:"distractors"` // of them distractors
	DroppedNames int `json:"dropped"`     // distractors that -strict dropped
	Queries      int `json:"queries"`     // that are evaluated
	NotJudged    int `json:"not_judged"`  // queries without judgements, not run
	NoRelevant   int `json:"no_relevant"` // judged queries without a relevant document, not run
	AbsentGold   int `json:"absent_gold"` // relevant documents that the corpus lacks: no system can find them
	Empty        int `json:"empty"`       // documents without a text to embed: no system can find them
}

// readCollection reads the folder and the distractors that the options name.
// Whole texts are kept for prompts alone.
func readCollection(o options, whole bool) (*collection, error) {
	dir, err := filepath.Abs(o.data)
	if err != nil {
		return nil, fmt.Errorf("-data: %w", err)
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("-data: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("-data: %s is not a folder", o.data)
	}
	c := &collection{name: filepath.Base(dir), byID: map[string]*skill.Skill{}, known: map[string]bool{}}
	if whole {
		c.whole = map[string]string{}
	}
	beir := metrics.BEIR{FS: os.DirFS(dir)}
	if err := c.readJudgements(beir, o.data, o.qrels); err != nil {
		return nil, err
	}
	for d, err := range beir.Corpus() {
		if err != nil {
			return nil, fmt.Errorf("-data %s: %w", o.data, err)
		}
		if err := c.add(d); err != nil {
			return nil, fmt.Errorf("-data: the corpus: %w", err)
		}
	}
	c.counts.Corpus = len(c.skills)
	for _, grades := range c.qrels {
		for id, grade := range grades {
			if grade > 0 && c.byID[id] == nil {
				c.counts.AbsentGold++
			}
		}
	}
	if o.distractors != "" {
		if err := c.readDistractors(o.distractors, o.strict); err != nil {
			return nil, err
		}
	}
	c.counts.Documents = len(c.skills)
	if len(c.skills) == 0 {
		return nil, fmt.Errorf("-data: the corpus of %s is empty", o.data)
	}
	c.files, err = inputFiles(dir, o)
	return c, err
}

// readJudgements reads queries and judgements and keeps the queries that can
// be evaluated.
func (c *collection) readJudgements(beir metrics.BEIR, dir, name string) error {
	queries, err := beir.Queries()
	if err != nil {
		return fmt.Errorf("-data %s: %w", dir, err)
	}
	c.qrels, err = beir.Qrels(name)
	if errors.Is(err, fs.ErrNotExist) {
		names, _ := beir.QrelsNames()
		return fmt.Errorf("-qrels: there are no judgements %q, only %q", name, names)
	} else if err != nil {
		return fmt.Errorf("-qrels: %w", err)
	}
	relevant := 0
	for _, q := range queries {
		c.known[q.ID] = true
		grades, judged := c.qrels[q.ID]
		switch {
		case !judged:
			c.counts.NotJudged++
		case !slices.ContainsFunc(values(grades), func(g float64) bool { return g > 0 }):
			c.counts.NoRelevant++
		default:
			relevant++
			c.queries = append(c.queries, q)
		}
	}
	for _, id := range sortedKeys(c.qrels) {
		if !c.known[id] {
			return fmt.Errorf("-qrels: %s judges the query %q, which the queries lack", qrelsFile(beir.FS, name), id)
		}
	}
	if relevant == 0 {
		return fmt.Errorf("-qrels: no query has a relevant document in %s", qrelsFile(beir.FS, name))
	}
	c.counts.Queries = relevant
	return nil
}

func (c *collection) readDistractors(path string, strict bool) error {
	folder, file := filepath.Split(path)
	if folder == "" {
		folder = "."
	}
	for d, err := range (metrics.BEIR{FS: os.DirFS(folder)}).Docs(file) {
		if err != nil {
			return fmt.Errorf("-distractors: %w", err)
		}
		if strict && sharesName(d) {
			c.counts.DroppedNames++
			continue
		}
		if err := c.add(d); err != nil {
			return fmt.Errorf("-distractors: %s: %w", file, err)
		}
		c.counts.Distractors++
	}
	return nil
}

// add takes a document into the gallery.
func (c *collection) add(d metrics.Doc) error {
	if c.byID[d.ID] != nil {
		return fmt.Errorf("the id %q comes twice", d.ID)
	}
	s, isSkill := toSkill(d)
	if isSkill {
		c.counts.Skills++
	}
	c.byID[d.ID] = s
	if c.whole != nil {
		c.whole[d.ID] = d.Text
		if d.Title != "" {
			c.whole[d.ID] = d.Title + "\n\n" + d.Text
		}
	}
	c.skills = append(c.skills, s)
	return nil
}

// relevant is how many documents a query needs.
func (c *collection) relevant(query string) (n int) {
	for _, grade := range c.qrels[query] {
		if grade > 0 {
			n++
		}
	}
	return n
}

// graded says that grades tell more than relevant or not.
func (c *collection) graded() bool {
	for _, grades := range c.qrels {
		for _, g := range grades {
			if g > 0 && g != 1 {
				return true
			}
		}
	}
	return false
}
