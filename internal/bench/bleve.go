package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2"
)

// A blevePeer is bleve in memory with its defaults and English analysis. It
// takes a minute to build and a fifth of a second to search, so each is done
// once and not in turns.
type blevePeer struct{ index bleve.Index }

func newBlevePeer(out *output, name string, texts []string) (*blevePeer, error) {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = "en"
	start, cpu := time.Now(), cpuTime()
	index, err := bleve.NewMemOnly(mapping)
	if err != nil {
		return nil, err
	}
	const piece = 500
	for lo := 0; lo < len(texts); lo += piece {
		batch := index.NewBatch()
		for i := lo; i < min(lo+piece, len(texts)); i++ {
			if err := batch.Index(strconv.Itoa(i), map[string]any{"text": texts[i]}); err != nil {
				return nil, err
			}
		}
		if err := index.Batch(batch); err != nil {
			return nil, err
		}
	}
	p := &blevePeer{index}
	return p, p.report(out, name, "ms", 1, time.Since(start), cpuTime()-cpu)
}

// search looks for at most ten of the queries.
func (p *blevePeer) search(ctx context.Context, out *output, name string, queries []string) error {
	queries = queries[:min(10, len(queries))]
	start, cpu := time.Now(), cpuTime()
	for _, text := range queries {
		q := bleve.NewMatchQuery(text)
		q.SetField("text")
		if _, err := p.index.SearchInContext(ctx, bleve.NewSearchRequestOptions(q, k, 0, false)); err != nil {
			return fmt.Errorf("bleve: %w", err)
		}
	}
	return p.report(out, name, "ms/query", len(queries), time.Since(start), cpuTime()-cpu)
}

func (p *blevePeer) report(out *output, name, unit string, units int, wall, cpu time.Duration) error {
	ms := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(units) }
	out.note("%s: bleve, once: %.3f %s, cpu %.3f", name, ms(wall), unit, ms(cpu))
	if err := out.figure(name, "bleve", unit, ms(wall)); err != nil {
		return err
	}
	return out.figure(name, "bleve", "cpu "+unit, ms(cpu))
}

func (p *blevePeer) close() { _ = p.index.Close() }
