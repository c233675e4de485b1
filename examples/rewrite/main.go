// Rewrite finds documents for questions that are not worded as the documents
// are. A language model reads samples of a collection once and writes a few
// rewriting skills for it (mine); then it chooses a skill for each question and
// adds the words that a fitting document is likely to have (ask).
//
//	rewrite                                  on the bundled documents, with recorded answers
//	rewrite mine -docs DIR -llm URL -model NAME
//	rewrite refresh -docs DIR -llm URL -model NAME
//	rewrite ask -docs DIR -llm URL -model NAME "QUESTION" ...
//
// Documents and vectors stay in this process, which embeds with the model that
// ships inside the library. Only with -llm is anything sent anywhere: samples of
// the documents and the questions, to the service that the flag names.
//
// # Reading order
//
//   - options.go: the commands and their flags.
//   - documents.go, library.go: from files to two indexes, of words and of
//     vectors.
//   - model.go: a service, a file of recorded answers, or both.
//   - mine.go, refresh.go, ask.go, demo.go: what is done with the library.
//   - report.go, text.go: the result for a person.
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
	fmt.Fprintln(s.err, "rewrite: "+clean(fmt.Sprintf(format, args...)))
}

// run is the program without the process around it.
func run(ctx context.Context, args []string, std streams) int {
	o, err := parseOptions(args, std)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		std.say("%v", err)
		std.say("run it with -h to see the commands and flags")
		return exitUsage
	}
	out := bufio.NewWriter(std.out)
	err = o.do(ctx, o, newReport(out, std, o.explain), std)
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
