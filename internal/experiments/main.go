package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/prospect-go/prospect/skilldreamer"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "experiments:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, w io.Writer) error {
	f := flag.NewFlagSet("experiments", flag.ContinueOnError)
	data := f.String("data", "", "folder of SkillsBench in BEIR form, with llm_outputs.jsonl and distractors.jsonl.gz")
	demo := f.String("demo", "", "folder of the demo: its tasks and skills; with -data, among the skills of both")
	gallery := f.String("gallery", "large", "of -data: large, strict (no distractors of a corpus skill's name) or small (no distractors)")
	models := f.String("models", "builtin/600", "embedding models, separated by commas: builtin or a folder of an ONNX model, each with how many characters of a skill's body are embedded after a slash (-1: all)")
	piece := f.Int("piece", 0, "embed the rest of the body too, in pieces of so many characters")
	lexical := f.Int("lexical", 0, "characters of the body in the BM25 index (-1: all)")
	cache := f.String("cache", filepath.Join(os.TempDir(), "prospect-vectors"), "folder that keeps vectors between runs")
	study := f.String("study", "gains", "gains, ablations, changes, around, choice or losses")
	show := f.Int("show", 10, "choice: how many of the best settings to list")
	if err := f.Parse(args); err != nil {
		return err
	}
	report, ok := map[string]func([]*table) error{
		"gains":     func(t []*table) error { return reportEach(w, t, gains()) },
		"ablations": func(t []*table) error { return reportEach(w, t, ablations()) },
		"changes":   func(t []*table) error { return reportSideBySide(w, t, changes()) },
		"around":    func(t []*table) error { return reportSideBySide(w, t, around()) },
		"choice":    func(t []*table) error { return reportChoice(w, t, tried(), *show) },
		"losses":    func(t []*table) error { return reportLosses(w, t[0]) },
	}[*study]
	if !ok { // before the minutes that embedding takes
		return fmt.Errorf("no study %q", *study)
	}
	col, err := read(*data, *demo, *gallery)
	if err != nil {
		return err
	}
	var tables []*table
	for _, m := range strings.Split(*models, ",") {
		model, body := m, skilldreamer.DefaultDense().Body
		if at := strings.LastIndexByte(m, '/'); at >= 0 {
			if n, err := strconv.Atoi(m[at+1:]); err == nil {
				model, body = m[:at], n
			}
		}
		r := recipes{skilldreamer.Recipe{Body: body, Piece: *piece}, skilldreamer.Recipe{Body: *lexical}}
		t, err := openTable(ctx, model, *cache, col, r)
		if err != nil {
			return fmt.Errorf("%s: %w", model, err)
		}
		t.model = fmt.Sprintf("%s/%d", filepath.Base(model), body)
		tables = append(tables, t)
	}
	return report(tables)
}

func openTable(ctx context.Context, model, cache string, col *collection, r recipes) (_ *table, err error) {
	e, err := openModel(ctx, model)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	v, err := openVectors(e, cache)
	if err != nil {
		return nil, err
	}
	return newTable(ctx, col, v, r)
}
