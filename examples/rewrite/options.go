package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// options are a command and its flags, checked.
type options struct {
	do command

	docs     string
	embedder string

	llm, model     string
	apiKey         string // from the environment, never from a flag
	record, replay string
	missing        string
	maxTokens      int

	skills    string
	again     bool
	groups    int
	maxSkills int

	questions []string
	k         int
	by        string
	explain   bool
}

const usage = `Rewrite finds documents for questions that are worded unlike the documents.

  rewrite                          the bundled documents and questions, with recorded answers
  rewrite mine -docs DIR ...       write rewriting skills for a collection, once
  rewrite refresh -docs DIR ...    bring them up to date where documents have changed
  rewrite ask -docs DIR ... "QUESTION" ...

The model of these is -llm URL -model NAME, or -replay FILE.

`

// parseOptions reads command and flags. After -h, which prints them to the
// output, the error is flag.ErrHelp; any other error is one of usage.
func parseOptions(args []string, std streams) (options, error) {
	o := options{apiKey: os.Getenv("OPENAI_API_KEY")}
	name := "demo"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	if o.do = commands[name]; o.do == nil {
		return o, fmt.Errorf("%q is no command: want mine, refresh or ask", name)
	}
	f := o.flags(name)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(std.out, usage)
			if name != "demo" {
				fmt.Fprintf(std.out, "Flags of %s:\n\n", name)
			}
			f.SetOutput(std.out)
			f.PrintDefaults()
		}
		return o, err
	}
	o.questions = f.Args()
	return o, o.check(name)
}

// A command does what the options say.
type command func(context.Context, options, *report, streams) error

var commands = map[string]command{"demo": demo, "mine": mine, "refresh": refresh, "ask": ask}

func (o *options) flags(command string) *flag.FlagSet {
	f := flag.NewFlagSet("rewrite "+command, flag.ContinueOnError)
	f.SetOutput(discard{})
	if command == "demo" || command == "ask" {
		f.BoolVar(&o.explain, "explain", false, "also print what the model was asked about the questions, and its answers")
	}
	if command == "demo" {
		return f
	}
	f.StringVar(&o.docs, "docs", "", "`PATH` of the documents: a folder with files .md and .txt, or a file corpus.jsonl(.gz)\nof objects with _id, title and text, as BEIR has them")
	f.StringVar(&o.embedder, "embedder", "builtin", "\"builtin\", or a `DIR` with a sentence-transformers model in ONNX form")
	f.StringVar(&o.skills, "skills", "skills.yaml", "`FILE` (.yaml or .json) with the skills: mine writes it, you may edit it,\nask and refresh read it")
	f.StringVar(&o.llm, "llm", "", "base `URL` of an OpenAI-compatible service, such as http://localhost:11434/v1;\nthe key, if it wants one, is taken from OPENAI_API_KEY")
	f.StringVar(&o.model, "model", "", "`NAME` of the service's model")
	f.StringVar(&o.record, "record", "", "with -llm: `FILE` in which answers are kept; what is there is not asked again,\nso that a run that was interrupted goes on where it stopped")
	f.StringVar(&o.replay, "replay", "", "instead of -llm: `FILE` of recorded answers, of -record or of your own making")
	f.StringVar(&o.missing, "missing", "", "with -replay: `FILE` to write the requests to that have no recorded answer")
	f.IntVar(&o.maxTokens, "max-tokens", 0, "`NUMBER` of tokens that an answer may have: small models may not find an end by\nthemselves; the same with -replay (default: the service's limit)")
	if command == "ask" {
		f.IntVar(&o.k, "k", 5, "how many documents to find")
		f.StringVar(&o.by, "by", "both", "search by \"words\" (BM25), \"vectors\" (of the embedder) or \"both\"")
		return f
	}
	f.IntVar(&o.maxSkills, "max-skills", 5, "`NUMBER` of skills at most, beside the generic one")
	if command == "mine" {
		f.BoolVar(&o.again, "again", false, "mine anew where -skills is there already, and lose what was edited in it")
		f.IntVar(&o.groups, "groups", 0, "`NUMBER` of groups that the documents are divided into (default: their square root)")
	}
	return f
}

func (o *options) check(command string) error {
	switch command {
	case "demo":
		if len(o.questions) > 0 {
			return fmt.Errorf("%q is no command; questions of your own go to ask", o.questions[0])
		}
		return nil
	case "mine", "refresh":
		if len(o.questions) > 0 {
			return fmt.Errorf("%q is no flag; %s takes no questions", o.questions[0], command)
		}
		switch {
		case o.groups < 0:
			return fmt.Errorf("-groups is %d, want 1 or more", o.groups)
		case o.maxSkills < 1:
			return fmt.Errorf("-max-skills is %d, want 1 or more", o.maxSkills)
		}
	case "ask":
		switch {
		case len(o.questions) == 0:
			return errors.New("a question is missing: ask ... \"QUESTION\"")
		case slices.ContainsFunc(o.questions, func(q string) bool { return strings.TrimSpace(q) == "" }):
			return errors.New("a question is blank")
		case o.k < 1:
			return fmt.Errorf("-k is %d, want 1 or more", o.k)
		case !slices.Contains([]string{"words", "vectors", "both"}, o.by):
			return fmt.Errorf("-by is %q, want words, vectors or both", o.by)
		}
	}
	switch ext := strings.ToLower(filepath.Ext(o.skills)); {
	case o.docs == "":
		return errors.New("-docs is missing: name a folder with documents, or a file corpus.jsonl")
	case o.embedder == "":
		return errors.New("-embedder is empty, want \"builtin\" or a folder")
	case !slices.Contains([]string{".yaml", ".yml", ".json"}, ext):
		return fmt.Errorf("-skills is %q, want a name that ends in .yaml or .json", o.skills)
	}
	return o.checkModel()
}

func (o *options) checkModel() error {
	switch {
	case o.maxTokens < 0:
		return fmt.Errorf("-max-tokens is %d, want 0 or more", o.maxTokens)
	case o.llm == "" && o.replay == "":
		return errors.New("a model is missing: -llm URL -model NAME, or -replay FILE")
	case o.llm != "" && o.replay != "":
		return errors.New("-llm and -replay exclude each other; to keep answers of the service, use -record")
	case o.llm != "" && o.model == "":
		return errors.New("-llm needs -model, the name of a model that the service has")
	case o.llm == "" && o.model != "":
		return errors.New("-model needs -llm, the base URL of the service that has it")
	case o.llm == "" && o.record != "":
		return errors.New("-record needs -llm, the service whose answers are to be kept")
	case o.replay == "" && o.missing != "":
		return errors.New("-missing needs -replay, the file that lacks answers")
	}
	if o.llm == "" {
		return nil
	}
	u, err := url.Parse(o.llm)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("-llm is not a URL such as http://localhost:11434/v1")
	case u.User != nil || u.RawQuery != "":
		return errors.New("-llm must not hold a user, a password or a query; the key is taken from OPENAI_API_KEY")
	}
	return nil
}

// clusterFile is where the groups of documents are kept: beside the skills.
func (o *options) clusterFile() string {
	return strings.TrimSuffix(o.skills, filepath.Ext(o.skills)) + ".clusters"
}

// discard takes the messages of package flag, which the caller prints itself.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
