package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/bm25"
)

// bm25Area compares lexical search: building an index from texts, and short
// and long queries, over the gallery of SkillsBench and over many short
// documents. A search is of one query at a time, on one goroutine.
func bm25Area(ctx context.Context, o *options, out *output) error {
	var texts []string
	for _, file := range []string{"corpus.jsonl", "distractors.jsonl.gz"} {
		more, err := textsOf(file)
		if err != nil {
			out.note("no gallery: %v", err)
			return nil
		}
		texts = append(texts, more...)
	}
	tasks, err := textsOf("queries.jsonl")
	if err != nil {
		return err
	}
	queries := map[string][]string{"short": shortQueries, "long": tasks}
	if err := lexical(ctx, o, out, "", texts, queries, true); err != nil {
		return err
	}
	pieces := excerpts(texts, 100_000)
	if err := lexical(ctx, o, out, "/100k", pieces, queries, false); err != nil {
		return err
	}
	if !o.million {
		return nil
	}
	alone := *o
	alone.peers = nobody
	return lexical(ctx, &alone, out, "/1m", excerpts(texts, 1_000_000), queries, false)
}

// shortQueries have 3 to 10 words.
var shortQueries = []string{
	"extract tables from a PDF",
	"kubernetes deployment rollback",
	"write unit tests for React components",
	"optimise a slow SQL query",
	"convert CSV files to parquet",
	"review a pull request for security problems",
	"docker compose for postgres and redis",
	"plot time series with matplotlib",
	"parse logs and find anomalies",
	"generate an OpenAPI client in TypeScript",
	"schedule shifts with constraint programming",
	"transcribe audio and add subtitles to a video",
	"fine tune a language model with LoRA",
	"draw a flow chart as SVG",
	"migrate a database schema without downtime",
	"spectral analysis of seismic waveforms",
}

// excerpts makes short documents: 20 to 60 neighbouring words of one of the
// texts, a tenth of them replaced by words of others, so that no two are alike
// and ties are rare.
func excerpts(texts []string, n int) []string {
	words := make([][]string, 0, len(texts))
	for _, text := range texts {
		if w := strings.Fields(text); len(w) > 0 {
			words = append(words, w)
		}
	}
	r := rand.New(rand.NewPCG(4, uint64(n)))
	pieces := make([]string, n)
	var piece []string
	for i := range pieces {
		of := words[i%len(words)]
		from := r.IntN(len(of))
		piece = append(piece[:0], of[from:min(len(of), from+20+r.IntN(41))]...)
		for j := range piece {
			if r.IntN(10) == 0 {
				other := words[r.IntN(len(words))]
				piece[j] = other[r.IntN(len(other))]
			}
		}
		pieces[i] = strings.Join(piece, " ")
	}
	return pieces
}

// lexical runs the cases over one collection.
func lexical(ctx context.Context, o *options, out *output, suffix string, texts []string, queries map[string][]string, withBleve bool) error {
	docs := make([]bm25.Doc, len(texts))
	size := 0
	for i, text := range texts {
		docs[i] = bm25.Doc{ID: strconv.Itoa(i), Text: text}
		size += len(text)
	}
	out.note("\n%d documents, %.1f MB", len(texts), float64(size)/1e6)
	var py *lexicalPython
	if o.wants("bm25s") || o.wants("tantivy") {
		var err error
		if py, err = startLexicalPython(ctx, texts, queries); err != nil {
			out.note("no bm25s and tantivy: %v", err)
		} else {
			defer py.close()
		}
	}

	var ix *bm25.Index
	build := []work{{"prospect", func() (err error) {
		if ix, err = bm25.New(bm25.Options{}); err != nil {
			return err
		}
		return ix.AddBatch(ctx, docs)
	}, nil}}
	if py != nil {
		build = py.add(build, "build", "", "bm25s-numba", "tantivy")
	}
	few := *o
	few.rounds = min(o.rounds, 3) // each takes seconds
	if err := lexicalContest(ctx, &few, out, "build"+suffix, "ms", 1, build); err != nil {
		return err
	}
	var peer *blevePeer
	if withBleve && o.wants("bleve") {
		var err error
		if peer, err = newBlevePeer(out, "build"+suffix, texts); err != nil {
			return err
		}
		defer peer.close()
	}
	for _, name := range []string{"short", "long"} {
		set := queries[name]
		terms := make([][]bm25.QueryTerm, len(set))
		for i, text := range set {
			terms[i] = ix.Analyzer().Query(nil, text, 1)
		}
		all := []work{
			{"prospect", func() error {
				for _, text := range set {
					if _, err := ix.Search(ctx, prospect.Query{Text: text, K: k}); err != nil {
						return err
					}
				}
				return nil
			}, nil},
			{"prospect (terms given)", func() error {
				for i := range set {
					if _, err := ix.SearchTerms(ctx, terms[i], prospect.Query{K: k}); err != nil {
						return err
					}
				}
				return nil
			}, nil},
		}
		if py != nil {
			all = py.add(all, "search", name, "bm25s-numba", "tantivy")
			all = py.add(all, "retrieve", name, "bm25s-numba (terms given)")
		}
		if err := lexicalContest(ctx, o, out, name+suffix, "ms/query", len(set), all); err != nil {
			return err
		}
		if peer != nil {
			if err := peer.search(ctx, out, name+suffix, set); err != nil {
				return err
			}
		}
	}
	return nil
}

// work is a contender by two clocks: remote, where it is not nil, says how
// long it took in another process.
type work struct {
	name   string
	local  func() error
	remote func() (wall, cpu time.Duration, err error)
}

func (w work) run() (wall, cpu time.Duration, err error) {
	if w.remote != nil {
		return w.remote()
	}
	start, cpuStart := time.Now(), cpuTime()
	err = w.local()
	return time.Since(start), cpuTime() - cpuStart, err
}

// lexicalContest is a contest by time, and one by the processors' time, which
// another load on the machine changes less.
func lexicalContest(ctx context.Context, o *options, out *output, name, unit string, units int, all []work) error {
	for _, cpu := range []bool{false, true} {
		var contenders []contender
		for _, w := range all {
			contenders = append(contenders, contender{name: w.name, recall: -1, run: func(int) (time.Duration, error) {
				wall, spent, err := w.run()
				if cpu {
					return max(spent, time.Microsecond), err
				}
				return wall, err
			}})
		}
		shown := unit
		if cpu {
			shown = "cpu " + unit
		}
		if _, err := contest(ctx, out, o, name, shown, units, contenders); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
