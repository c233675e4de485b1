package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/metrics"
	"github.com/prospect-go/prospect/skilldreamer"
)

// An imagination is what a model thought about each query.
type imagination struct {
	byQuery map[string]*skilldreamer.Imagined
	source  string // "recorded", "model" or "" for none
	model   string // identity, of a model that was asked
	// strangers are recorded answers to queries that the collection lacks: a
	// file may serve several choices of queries.
	strangers int
}

// A record is a line of recorded answers, as in the llm_outputs.jsonl that
// README.md describes.
type record struct {
	Query string `json:"query_id"`
	skilldreamer.Imagined
}

// readImagined reads recorded answers. Queries without one are told by missing.
func readImagined(path string, c *collection) (imagination, error) {
	im := imagination{byQuery: map[string]*skilldreamer.Imagined{}, source: "recorded"}
	data, err := os.ReadFile(path)
	if err != nil {
		return im, fmt.Errorf("-llm-outputs: %w", err)
	}
	err = eachLine(data, func(line []byte) error {
		var r record
		if err := decodeStrict(line, &r); err != nil {
			return err
		}
		switch {
		case r.Query == "":
			return errors.New("query_id is missing")
		case im.byQuery[r.Query] != nil:
			return fmt.Errorf("there is an answer to the query %q already", r.Query)
		case !c.known[r.Query]:
			im.strangers++
		}
		im.byQuery[r.Query] = &r.Imagined
		return nil
	})
	if err != nil {
		return im, fmt.Errorf("-llm-outputs: %s: %w", path, err)
	}
	return im, nil
}

// missing are the queries for which nothing was imagined. Systems fall back to
// what they do without.
func (im imagination) missing(queries []metrics.Doc) []string {
	ids := []string{}
	for _, q := range queries {
		if !im.has(q.ID) {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

func (im imagination) has(query string) bool {
	got := im.byQuery[query]
	return got != nil && len(got.Capabilities) > 0
}

// imagine asks the model about every query, one after the other; a query's
// capabilities are imagined in parallel. What fails is noted in the answers.
func imagine(ctx context.Context, model prospect.LLM, o options, queries []metrics.Doc, p *progress) (imagination, error) {
	im := imagination{byQuery: map[string]*skilldreamer.Imagined{}, source: "model", model: model.Identity()}
	d, err := newThinker(model, o)
	if err != nil {
		return im, err
	}
	for i, q := range queries {
		p.show("asking the model about queries", i, len(queries))
		limited, cancel := context.WithTimeout(ctx, o.timeout)
		got, err := d.Imagine(limited, q.Text)
		cancel()
		if err != nil {
			return im, fmt.Errorf("query %q: %w", q.ID, err)
		}
		im.byQuery[q.ID] = got
	}
	if o.save != "" {
		if err := im.save(o.save, queries); err != nil {
			return im, fmt.Errorf("-llm-save: %w", err)
		}
	}
	return im, nil
}

// newThinker is a Dreamer for Imagine alone, which looks at no gallery.
func newThinker(model prospect.LLM, o options) (*skilldreamer.Dreamer, error) {
	empty, err := skilldreamer.NewGallery(embed.NewHash(8), skilldreamer.GalleryOptions{})
	if err != nil {
		return nil, err
	}
	return skilldreamer.New(empty, model, skilldreamer.Options{Temperature: o.temperature, MaxTokens: o.maxTokens})
}

// save writes the answers in the form of readImagined, without prompts.
func (im imagination) save(path string, queries []metrics.Doc) error {
	return writeFile(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for _, q := range queries {
			got := *im.byQuery[q.ID]
			got.Calls = nil
			if err := enc.Encode(record{q.ID, got}); err != nil {
				return err
			}
		}
		return nil
	})
}

// thinking is how long the model took for a query, 0 where it was not asked.
func (im imagination) thinking(query string) time.Duration {
	if got := im.byQuery[query]; im.source == "model" && got != nil {
		return got.Elapsed
	}
	return 0
}

// eachLine hands each line that is not blank to take. Errors name the line.
func eachLine(data []byte, take func(line []byte) error) error {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := take(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

// decodeStrict decodes one JSON value whose fields are all known: one that is
// spelt wrong would be taken for absent.
func decodeStrict(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON value")
	}
	return nil
}
