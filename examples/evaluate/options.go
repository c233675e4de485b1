package main

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are the flags, checked.
type options struct {
	data        string
	distractors string
	strict      bool
	qrels       string
	embedder    string // "builtin", a folder, or "none"
	outputs     string // recorded answers of a model
	llm         string
	model       string
	temperature *float64 // nil: left to the model
	maxTokens   int      // 0: left to the model
	timeout     time.Duration
	save        string // where what -llm imagined is written
	recording   string // of the model's answers by request
	set         string // of rewriting skills
	byHand      string // file with an instruction for rewriting
	systems     string
	baseline    string
	skillText   string
	ks          []int // ascending
	seed        uint64
	resamples   int
	json        string
	runs        string
	report      string
	cache       string
	focus       string
	outcomes    string
	list        bool
	apiKey      string // from the environment, never from a flag

	// What systems and baseline come to, with -data.
	plans   []plan
	versus  int      // the baseline's place among the plans; −1 for none
	leftOut []string // notes on systems of a group that cannot run
}

const usage = `Evaluate says how well systems find what queries need, with intervals.

  evaluate -data DIR [-distractors FILE] [-llm-outputs FILE] [-report FILE.html]
  evaluate -outcomes FILE
  evaluate -list

`

// none, as the value of -embedder, leaves all systems with vectors out.
const none = "none"

// parseOptions reads the flags. After -h, which prints them to the output, the
// error is flag.ErrHelp; any other error is one of usage.
func parseOptions(args []string, std streams) (options, error) {
	o := options{ks: []int{5, 10, 15}, apiKey: os.Getenv("OPENAI_API_KEY")}
	f := flag.NewFlagSet("evaluate", flag.ContinueOnError)
	f.SetOutput(discard{})
	f.StringVar(&o.data, "data", "", "`DIR` in BEIR form: corpus.jsonl, queries.jsonl, qrels/NAME.tsv (README.md has more)")
	f.StringVar(&o.distractors, "distractors", "", "`FILE` with more documents, which no query needs: JSONL, gzipped or not")
	f.BoolVar(&o.strict, "strict", false, "drop distractors with metadata.same_name_as, for they may in truth be relevant")
	f.StringVar(&o.qrels, "qrels", "test", "`NAME` of the judgements: qrels/NAME.tsv, or qrels/NAME.tsv.gz")
	f.StringVar(&o.embedder, "embedder", "builtin", "\"builtin\", a `DIR` with a sentence-transformers model in ONNX form, or \"none\"")
	f.StringVar(&o.outputs, "llm-outputs", "", "`FILE` with recorded answers of a model: capabilities, pseudo skills, anchors")
	f.StringVar(&o.llm, "llm", "", "base `URL` of an OpenAI-compatible service that is asked instead, such as\nhttp://localhost:11434/v1; the key, if it wants one, is taken from OPENAI_API_KEY")
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
	f.DurationVar(&o.timeout, "timeout", 5*time.Minute, "how long the model may think about a query; what it has by then is used")
	f.StringVar(&o.save, "llm-save", "", "`FILE` to which what the model imagined is written, for -llm-outputs of a later run")
	f.StringVar(&o.recording, "llm-recording", "", "`FILE` with a model's answers by request: with -llm those that it lacks are asked for\nand added, without it they fail")
	f.StringVar(&o.set, "skillqr-set", "", "`FILE` with rewriting skills (.yaml or .json); one that is not there is mined from the\ncorpus with the model, and written")
	f.StringVar(&o.byHand, "hand-written", "", "`FILE` with the text of an instruction for rewriting queries")
	f.StringVar(&o.systems, "systems", "", "`LIST` of systems and groups, separated by commas; -list shows them\n(default: the systems of the group \"main\" that can run)")
	f.StringVar(&o.baseline, "baseline", "", "`NAME` of the system that the others are compared with\n(default: dense, the plain query; where that does not run, bm25)")
	f.StringVar(&o.skillText, "skill-text", "", "`WHAT` of a skill is indexed: \"name+description\" or \"full\"\n(default: the library's recipes, one for vectors and one for words)")
	f.Func("k", "`LIST` of cutoffs (default 5,10,15)", func(s string) (err error) {
		o.ks, err = parseKs(s)
		return err
	})
	f.Uint64Var(&o.seed, "seed", 1, "of the bootstrap and of the randomisation test")
	f.IntVar(&o.resamples, "resamples", 10_000, "how often each of them draws")
	f.StringVar(&o.json, "json", "", "`FILE` for every figure and the settings that gave it")
	f.StringVar(&o.runs, "runs", "", "`DIR` for TREC runs, one file a system")
	f.StringVar(&o.report, "report", "", "`FILE.html` for a report with plots, in one file")
	f.StringVar(&o.focus, "focus", "", "`NAME` of the system whose wins and losses the report shows\n(default: skilldreamer, or the last system where it does not run)")
	f.StringVar(&o.cache, "cache", "", "`DIR` in which vectors are kept between runs, or \"off\"\n(default: a folder of the user's cache folder)")
	f.StringVar(&o.outcomes, "outcomes", "", "`FILE` with outcomes of agents, JSONL: pass rates and load rates by arm")
	f.BoolVar(&o.list, "list", false, "print the systems, their parameters and the groups")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(std.out, usage)
			f.SetOutput(std.out)
			f.PrintDefaults()
		}
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("%q is not a flag", f.Arg(0))
	}
	if err := o.check(); err != nil || o.list || o.data == "" {
		return o, err
	}
	return o, o.chooseSystems()
}

func (o *options) check() error {
	switch {
	case o.list:
		return nil
	case o.data == "" && o.outcomes == "":
		return errors.New("-data is missing: name a folder in BEIR form (or give -outcomes, a file with outcomes of agents)")
	case o.data == "" && (o.runs != "" || o.systems != "" || o.distractors != "" || o.outputs != "" || o.llm != ""):
		return errors.New("-data is missing: -runs, -systems, -distractors, -llm-outputs and -llm need a folder in BEIR form")
	case o.strict && o.distractors == "":
		return errors.New("-strict needs -distractors, some of which it drops")
	case o.qrels == "" || strings.ContainsAny(o.qrels, `/\`):
		return fmt.Errorf("-qrels %q is not a name of judgements; qrels/NAME.tsv is read", o.qrels)
	case o.embedder == "":
		return errors.New(`-embedder is empty, want "builtin", a folder or "none"`)
	case o.skillText != "" && o.skillText != nameAndDescription && o.skillText != fullText:
		return fmt.Errorf("-skill-text is %q, want %q or %q", o.skillText, nameAndDescription, fullText)
	case o.resamples < 1:
		return fmt.Errorf("-resamples is %d, want at least 1", o.resamples)
	}
	return o.checkModel()
}

// checkModel checks where imagined skills come from.
func (o *options) checkModel() error {
	switch {
	case o.llm != "" && o.model == "":
		return errors.New("-llm needs -model, the name of a model that the service has")
	case o.llm == "" && o.model != "":
		return errors.New("-model needs -llm, the base URL of the service that has it")
	case o.save != "" && (!o.hasModel() || o.outputs != ""):
		return errors.New("-llm-save needs -llm or -llm-recording, and no -llm-outputs: it keeps what the model imagines")
	case o.maxTokens < 0:
		return fmt.Errorf("-max-tokens is %d, want 0 or more", o.maxTokens)
	case o.timeout <= 0:
		return fmt.Errorf("-timeout is %v, want more than nothing", o.timeout)
	case o.llm == "":
		return nil
	}
	u, err := url.Parse(o.llm)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("-llm is not a URL such as http://localhost:11434/v1")
	}
	if u.User != nil {
		return errors.New("-llm must not hold a user or a password; the key is taken from OPENAI_API_KEY")
	}
	return nil
}

// hasModel says that there is a model to ask, if only for recorded answers.
func (o options) hasModel() bool { return o.llm != "" || o.recording != "" }

// maxK bounds cutoffs: no person reads further, and lists of all systems are
// as deep as the largest.
const maxK = 1000

// parseKs reads cutoffs and puts them in order.
func parseKs(s string) ([]int, error) {
	var ks []int
	for part := range strings.SplitSeq(s, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(part))
		switch {
		case err != nil || k < 1 || k > maxK:
			return nil, fmt.Errorf("%q is not a cutoff from 1 to %d", part, maxK)
		case slices.Contains(ks, k):
			return nil, fmt.Errorf("%d comes twice", k)
		}
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks, nil
}

// discard takes the messages of package flag, which the caller prints itself.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
