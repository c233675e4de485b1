package main

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"
)

// options are the flags, checked.
type options struct {
	skills      []folder
	task        string // a text, an id of tasks, "@FILE", "-" or "all"
	tasks       string // folder with tasks.jsonl and llm_outputs.jsonl
	k           int
	explain     bool
	json        bool
	listing     int // characters; 0: no listing
	gallery     string
	embedder    string
	llm         string
	model       string
	temperature *float64 // nil: left to the model
	maxTokens   int      // 0: left to the model
	timeout     time.Duration
	apiKey      string // from the environment, never from a flag
}

const usage = `Skillfind finds the agent skills that a task needs, and says why.

  skillfind -skills DIR -task TEXT [-llm URL -model NAME]
  skillfind -skills DIR -tasks DIR

`

// parseOptions reads the flags. After -h, which prints them to the output, the
// error is flag.ErrHelp; any other error is one of usage.
func parseOptions(args []string, std streams) (options, error) {
	o := options{apiKey: os.Getenv("OPENAI_API_KEY")}
	f := flag.NewFlagSet("skillfind", flag.ContinueOnError)
	f.SetOutput(discard{})
	f.Func("skills", "`DIR` with skills (folders with a SKILL.md), or NAME=DIR; repeat it, or separate by\ncommas, for several, of which the first goes before the others where names are equal", func(s string) error {
		return addFolders(&o.skills, s)
	})
	f.StringVar(&o.task, "task", "", "what is to be done: a `TEXT`, @FILE, - for the standard input, or, with -tasks, the id\nof a task there or \"all\"; without it two of them are run")
	f.StringVar(&o.tasks, "tasks", "", "`DIR` with tasks.jsonl and llm_outputs.jsonl: tasks with recorded answers of a model")
	f.IntVar(&o.k, "k", 5, "how many skills to find")
	f.BoolVar(&o.explain, "explain", false, "print how it came about: prompts, answers, candidate lists, tokens, times")
	f.BoolVar(&o.json, "json", false, "print one JSON document instead (README.md describes it)")
	f.IntVar(&o.listing, "listing", 0, "print only what an agent would be given: the skills found, in at most `N` characters;\nwhat it shortens or leaves out is told on the error stream")
	f.StringVar(&o.gallery, "gallery", "", "`FILE` in which skills and vectors are kept between runs\n(default: one for each choice of folders, in the user's cache folder)")
	f.StringVar(&o.embedder, "embedder", "builtin", "\"builtin\", or a `DIR` with a sentence-transformers model in ONNX form")
	f.StringVar(&o.llm, "llm", "", "base `URL` of an OpenAI-compatible service, such as http://localhost:11434/v1;\nthe key, if it wants one, is taken from OPENAI_API_KEY")
	f.StringVar(&o.model, "model", "", "`NAME` of the service's model")
	f.Func("temperature", "sampling temperature of the model, a `NUMBER` (default: the service's)", func(s string) error {
		t, err := strconv.ParseFloat(s, 64)
		if err != nil || !(t >= 0 && t <= 2) {
			return errors.New("want a number from 0 to 2")
		}
		o.temperature = &t
		return nil
	})
	f.IntVar(&o.maxTokens, "max-tokens", 0, "bound on each answer of the model, in tokens (default: the service's)")
	f.DurationVar(&o.timeout, "timeout", 5*time.Minute, "how long the model may think about a task; what it has by then is used")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(std.out, usage)
			f.SetOutput(std.out)
			f.PrintDefaults()
		}
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q is not a flag; a task of several words needs quotes: -task \"…\"", f.Arg(0))
	}
	return o, o.check()
}

func (o *options) check() error {
	switch {
	case len(o.skills) == 0:
		return errors.New("-skills is missing: name a folder that holds skills")
	case o.task == "" && o.tasks == "":
		return errors.New("-task is missing: say what is to be done (or give -tasks, a folder with recorded tasks)")
	case o.k < 1:
		return fmt.Errorf("-k is %d, want at least 1", o.k)
	case o.maxTokens < 0:
		return fmt.Errorf("-max-tokens is %d, want 0 or more", o.maxTokens)
	case o.listing < 0:
		return fmt.Errorf("-listing is %d, want a number of characters", o.listing)
	case o.listing > 0 && o.json:
		return errors.New("-listing and -json are two forms of output: choose one")
	case o.timeout <= 0:
		return fmt.Errorf("-timeout is %v, want more than nothing", o.timeout)
	case o.llm != "" && o.model == "":
		return errors.New("-llm needs -model, the name of a model that the service has")
	case o.llm == "" && o.model != "":
		return errors.New("-model needs -llm, the base URL of the service that has it")
	case o.embedder == "":
		return errors.New("-embedder is empty, want \"builtin\" or a folder")
	}
	if o.llm != "" {
		u, err := url.Parse(o.llm)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("-llm is not a URL such as http://localhost:11434/v1")
		}
		if u.User != nil || u.RawQuery != "" {
			return errors.New("-llm must not hold a user, a password or a query; the key is taken from OPENAI_API_KEY")
		}
	}
	return nameFolders(o.skills)
}

// discard takes the messages of package flag, which the caller prints itself.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
