package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
)

// An area is a part of the library and its peers.
type area struct {
	name string
	run  func(ctx context.Context, o *options, out *output) error
}

var areas = []area{
	{"vecindex", vecindexArea},
	{"bm25", bm25Area},
	{"kmeans", kmeansArea},
}

// options come from the command line; an area reads what concerns it.
type options struct {
	sizes  sizes
	rounds int
	hnsw   int
	// million adds a case of so many documents.
	million bool
	// clusters are the collections that area kmeans clusters.
	clusters sizes
	peers    *regexp.Regexp
}

// wants says whether a peer is to run.
func (o *options) wants(peer string) bool { return o.peers.MatchString(peer) }

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	o := &options{sizes: defaultSizes, clusters: sizes{{400_000, 384}}}
	only := flag.String("only", "", "run this area alone")
	jsonFile := flag.String("json", "", "also write the figures to this file, a JSON object a line")
	flag.Var(&o.sizes, "sizes", "vecindex: collections as ROWSxDIM, separated by commas; 1000000x384 takes 10 GB with its peers")
	flag.IntVar(&o.rounds, "rounds", 11, "how often each contender runs")
	flag.IntVar(&o.hnsw, "hnsw", 10_000, "vecindex: build coder/hnsw for at most this many rows (100,000 take many minutes)")
	flag.BoolVar(&o.million, "million", false, "bm25: also search a million short documents, without peers")
	flag.Var(&o.clusters, "clusters", "kmeans: collections as ROWSxDIM, separated by commas, DIM at most 512")
	peers := flag.String("peers", "", "run only the peers whose names match this regular expression")
	flag.Parse()
	if o.peers, err = regexp.Compile(*peers); err != nil {
		return err
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := &output{text: os.Stdout}
	if *jsonFile != "" {
		f, err := os.Create(*jsonFile)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out.lines = json.NewEncoder(f)
	}
	found := false
	for _, a := range areas {
		if *only != "" && *only != a.name {
			continue
		}
		found = true
		out.area = a.name
		fmt.Fprintf(out.text, "# %s (%s/%s, %d threads)\n", a.name, runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
		if err := a.run(ctx, o, out); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	if !found {
		return fmt.Errorf("no area %q", *only)
	}
	return nil
}

// output is where figures go.
type output struct {
	area  string
	text  io.Writer
	lines *json.Encoder // nil without -json
}

// A line is a figure in the file of -json.
type line struct {
	Area  string  `json:"area"`
	Case  string  `json:"case"`
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

func (o *output) figure(caseName, name, unit string, value float64) error {
	if o.lines == nil {
		return nil
	}
	return o.lines.Encode(line{o.area, caseName, name, unit, value})
}

// note prints what is not a figure, such as why a peer is missing.
func (o *output) note(format string, args ...any) { fmt.Fprintf(o.text, format+"\n", args...) }
