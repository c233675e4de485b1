// Skillfind finds the agent skills that a task needs. It shows side by side
// what plain retrieval finds and what SkillDreamer finds, with the reason for
// each skill.
//
//	skillfind -skills DIR -task TEXT [-llm URL -model NAME]
//	skillfind -skills DIR -tasks DIR
//
// Everything runs in this process with the model that ships inside the
// library. Only with -llm is anything sent anywhere: the task, to the service
// that the flag names. Without it, the answers that were recorded for the
// tasks of -tasks take its place, and any other task gets plain retrieval.
//
// # Reading order
//
//   - options.go, sources.go, recorded.go: what the flags say, and the files
//     behind them.
//   - embedder.go, gallery.go, progress.go: from folders to a gallery that is
//     kept in a file.
//   - search.go: the model, by the client of ../openai, and one task, searched
//     in both ways.
//   - report.go, columns.go, explain.go, text.go: the result for a person.
//   - document.go: the result as JSON.
//   - listing.go: the result as an agent reads it.
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
)

// Exit codes.
const (
	exitOK = iota
	exitFailure
	exitUsage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// streams are what the program reads and writes.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// say writes one line to the error stream.
func (s streams) say(format string, args ...any) {
	fmt.Fprintln(s.err, "skillfind: "+clean(fmt.Sprintf(format, args...)))
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
	err = find(ctx, opts, out, std)
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

// find reads what the options name, searches, and writes the result to out.
func find(ctx context.Context, opts options, out *bufio.Writer, std streams) error {
	var set bundle
	if opts.tasks != "" {
		var err error
		if set, err = readBundle(opts.tasks); err != nil {
			return err
		}
	}
	tasks, others, err := chooseTasks(opts.task, set, std.in)
	if err != nil {
		return err
	}
	embedder, err := openEmbedder(ctx, opts.embedder)
	if err != nil {
		return err
	}
	defer embedder.Close()
	shelf, err := openShelf(ctx, opts, embedder, std)
	if err != nil {
		return err
	}
	s, err := newSearch(shelf.gallery, opts, set)
	if err != nil {
		return err
	}
	if s.model != nil {
		std.say("asking %s", s.model.Identity())
	}

	if opts.json {
		doc := newDocument(shelf, embedder)
		for _, t := range tasks {
			f, err := s.run(ctx, t)
			if err != nil {
				return err
			}
			doc.add(f)
		}
		doc.OtherTasks = others
		return doc.write(out)
	}
	if opts.listing > 0 {
		for _, t := range tasks {
			f, err := s.run(ctx, t)
			if err != nil {
				return err
			}
			if err := writeListing(out, std, f, opts.listing, shelf.gallery.Len()); err != nil {
				return err
			}
		}
		return nil
	}
	r := newReport(out, styleFor(std.out), opts.explain)
	r.header(shelf, embedder)
	for _, t := range tasks {
		f, err := s.run(ctx, t)
		if err != nil {
			return err
		}
		r.finding(f)
		out.Flush() // models take their time; a failure comes back at the end
	}
	r.footer(others)
	return nil
}
