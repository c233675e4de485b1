// Evaluate says how well systems find the skills (or other documents) that
// queries need: plain retrieval, SkillDreamer, SkillDreamer without one or the
// other of its parts, and rewritten queries, with confidence intervals.
//
//	evaluate -data DIR [-distractors FILE] [-llm-outputs FILE] [-report FILE.html]
//	evaluate -outcomes FILE
//
// Everything runs in this process. Only with -llm is anything sent anywhere:
// the texts of queries, and with rewriting systems the beginnings of documents,
// to the service that the flag names.
//
// # Reading order
//
//   - options.go: the flags.
//   - collection.go, documents.go, inputs.go: the data. imagined.go: what a
//     model thought about the queries, recorded or asked for. model.go: the
//     model.
//   - systems.go, plan.go, choice.go: what -systems means.
//   - embedder.go, index.go, rank.go, rewriting.go, study.go: running the
//     systems.
//   - figures.go: how good they are. latency.go, clock.go: how fast.
//   - outcomes.go, arms.go: what agents made of the skills.
//   - table.go: for a terminal. document.go, settings.go, files.go: for
//     programs and for trec_eval.
//   - report.go and report_….go, with axis.go and chart_….go, which work out
//     the drawings, report.html.tmpl and report.css: for a browser.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/prospect-go/prospect"
)

// Exit codes.
const (
	exitOK = iota
	exitFailure
	exitUsage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// streams are what the program writes to.
type streams struct {
	out io.Writer
	err io.Writer
}

// say writes one line to the error stream.
func (s streams) say(format string, args ...any) {
	fmt.Fprintln(s.err, "evaluate: "+clean(fmt.Sprintf(format, args...)))
}

// run is the program without the process around it.
func run(ctx context.Context, args []string, std streams) int {
	opts, err := parseOptions(args, std)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		std.say("%v", err)
		std.say("run it with -h to see the flags")
		return exitUsage
	}
	out := bufio.NewWriter(std.out)
	err = evaluate(ctx, opts, out, std)
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = fmt.Errorf("write the result: %w", flushed)
	}
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		std.say("interrupted")
		return exitFailure
	case err != nil:
		std.say("%v", err)
		return exitFailure
	}
	return exitOK
}

// evaluate does what the options ask for.
func evaluate(ctx context.Context, opts options, out io.Writer, std streams) error {
	if opts.list {
		listSystems(out)
		return nil
	}
	doc := document{Settings: baseSettings(), Systems: []systemRecord{}}
	var agents *outcomes
	if opts.outcomes != "" {
		var err error
		if agents, err = readOutcomes(opts.outcomes, opts.resampling()); err != nil {
			return err
		}
	}
	var s *study
	if opts.data != "" {
		var err error
		if s, err = evaluateSystems(ctx, opts, std); err != nil {
			return err
		}
		doc = newDocument(s)
		printTables(out, s)
	}
	if agents != nil {
		if s != nil {
			fmt.Fprintln(out)
		}
		agents.print(out)
		doc.Settings.Outcomes, doc.Outcomes = &agents.file, agents.record()
		if doc.Settings.Statistics == nil {
			doc.Settings.Statistics = opts.statistics()
		}
	}
	return writeFiles(opts, s, agents, doc)
}

// writeFiles writes the files that the options name. One that cannot be
// written keeps none of the others from it.
func writeFiles(opts options, s *study, agents *outcomes, doc document) error {
	var errs []error
	if opts.json != "" {
		if err := writeFile(opts.json, doc.write); err != nil {
			errs = append(errs, fmt.Errorf("-json: %w", err))
		}
	}
	if opts.report != "" {
		if err := writeFile(opts.report, func(w io.Writer) error { return writeReport(w, s, agents, doc) }); err != nil {
			errs = append(errs, fmt.Errorf("-report: %w", err))
		}
	}
	if opts.runs != "" {
		errs = append(errs, writeRuns(opts.runs, s.results))
	}
	return errors.Join(errs...)
}

// evaluateSystems runs the systems over the collection.
func evaluateSystems(ctx context.Context, opts options, std streams) (*study, error) {
	p := newProgress(std.err)
	defer p.done()
	m, err := openEmbedder(ctx, opts.embedder)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return runStudy(ctx, opts, nil, nil, p)
	}
	defer m.Close()
	cache, err := withCache(m, opts.cache, std)
	if err != nil {
		return nil, err
	}
	if cache == nil {
		return runStudy(ctx, opts, m, m, p)
	}
	s, err := runStudy(ctx, opts, m, cache, p)
	if failed := cache.Close(); failed != nil {
		std.say("vectors could not be kept for the next run: %v", failed)
	}
	return s, err
}

// runStudy runs a study with an embedder and the same with a cache, both nil
// for none.
func runStudy(ctx context.Context, opts options, raw, cached prospect.Embedder, p *progress) (*study, error) {
	s, err := newStudy(opts, raw, cached)
	if err != nil {
		return nil, err
	}
	if err = opts.makeFolders(); err == nil {
		err = s.run(ctx, p)
	}
	return s, errors.Join(err, s.model.close())
}
