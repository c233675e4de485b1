package llm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/prospect-go/prospect"
)

// A Mode says where the answers of a [Recording] come from.
type Mode uint8

const (
	// Replay answers from the file alone. A request that it lacks is an error
	// that wraps [ErrNoRecord].
	Replay Mode = iota
	// RecordMissing answers from the file, asks the model what it lacks, and
	// appends the answers. A request is missing if the file has no answer to
	// it at all.
	RecordMissing
	// RecordAll asks the model everything. With the first answer the file is
	// made anew; a run that gets none leaves it as it was.
	RecordAll
)

// RecordingOptions say how a [Recording] works.
type RecordingOptions struct {
	// Mode is where answers come from. Default [Replay].
	Mode Mode
	// By says, for people, who or what answers. It stands in the header of a
	// new file and, in a file that says otherwise, in every line that is added.
	By string
	// Scrub replaces secrets that only the program knows, such as a customer's
	// name; strings.NewReplacer makes one. It sees every system text, prompt
	// and answer, and must leave what it has made as it is. After it, what has
	// the form of a common key, token or password (scrub_rules.go) goes in any
	// case; a secret of another form stays, so look through a file before you
	// publish it. Requests that differ in secrets alone are one and the same.
	// Default: none.
	Scrub func(string) string
	// KeysOnly leaves requests out of the lines that are added: a smaller
	// file, which cannot show what is nearest to a request that it lacks. A key
	// is made after scrubbing: where Scrub or the library's own rules come to
	// find more in a request, its line no longer answers, while one that has
	// the request is scrubbed anew. Default: requests are recorded.
	KeysOnly bool
	// Missing, where it is not nil, is told once of every request that the
	// file has no answer to, in [Replay]. It is called by one goroutine at a
	// time. json.Marshal of the entry gives a line for the file that lacks only
	// its response.
	Missing func(Entry)
}

// A Recording is a model whose answers are kept in a file, and come from it
// again: for tests and evaluations that need no model, cost nothing and give
// the same each time. In every mode, what Generate returns is what the file
// holds, so that the run that records and the run that replays see the same.
//
// The same request sent several times gets its recorded answers in the order
// in which they were recorded, and then the last one again and again. Calls
// with the same request at the same time take them in the order in which they
// come; where their answers differ, such work is not reproducible.
//
// The model's errors are passed on and not recorded: put [Retry] inside and
// run again with [RecordMissing] to fill the gaps. Each answer is written at
// once, so that a run that was interrupted may go on where it stopped; a line
// that was being written then is dropped. One process at a time should record
// into a file, and any number may replay it. Where several record all the
// same, the answers of each stay, unless one is killed.
//
// The file is lines of JSON: a header and an [Entry] a line. Its format is
// specified in recording_file.go, so that any program can write lines.
//
// It is safe for concurrent use and holds the whole file in memory. Make one
// with [OpenRecording].
type Recording struct {
	path string
	m    prospect.LLM
	opts RecordingOptions

	flights flights

	missingMu sync.Mutex      // held while Missing is called
	told      map[string]bool // the keys that it was told of; guarded by missingMu

	profileOnce sync.Once // in Replay: makes profile, at the first request without an answer
	profile     profile

	mu     sync.Mutex        // guards all below
	text   *recordingText    // its header does not change; in Replay, nothing does
	tracks map[string]*track // by key
	file   *os.File          // where answers are appended; nil in Replay, and before the first in RecordAll
	failed error             // of writing: the file may end with half a line
	closed bool
	dirty  bool // there is a line that may not be in its place
}

// A track is the answers to one request.
type track struct {
	entries []int // their places in text.entries
	next    int   // how many were given
}

// OpenRecording opens the file at path. In the modes that record, a file that
// does not exist is made, readable for the user alone, since it may hold
// prompts; one that exists keeps its mode. There m must not be nil and must
// have the identity that the file names, as it stands there
// ([prospect.ErrIdentity] otherwise). In [Replay], m is not asked and may be nil.
//
// Errors of the file: [prospect.ErrFormat] for one that is no recording, which
// is left as it is, [prospect.ErrVersion], and [prospect.ErrCorrupt], with the
// number of the line, for a line that cannot be read.
func OpenRecording(path string, m prospect.LLM, o RecordingOptions) (*Recording, error) {
	r := &Recording{path: path, m: m, opts: o, tracks: make(map[string]*track), told: make(map[string]bool)}
	if o.Mode > RecordAll {
		return nil, fmt.Errorf("%w: Mode is %d, which is none", prospect.ErrOption, o.Mode)
	}
	if o.Mode != Replay && m == nil {
		return nil, fmt.Errorf("%w: a model is needed to record", prospect.ErrOption)
	}
	text, err := loadRecording(path)
	switch {
	case o.Mode == Replay && err == nil:
		r.text = text
	case o.Mode == Replay:
		return nil, err
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNoHeader):
		r.text = r.empty()
		err = r.create()
	case o.Mode == RecordAll && (err == nil || !errors.Is(err, prospect.ErrFormat)):
		r.text, err = r.empty(), nil // whatever is in it, it is a recording
	case err == nil:
		err = r.resume(text)
	}
	if err != nil {
		return nil, err
	}
	for i, e := range r.text.entries {
		e = r.scrubbed(e)
		r.text.entries[i] = e
		r.index(i, e)
	}
	return r, nil
}

// scrubbed is an entry of a file as it would be recorded now. A key that is its
// request's follows the request.
func (r *Recording) scrubbed(e Entry) Entry {
	if e.Key == requestKey("", e.Request) {
		e.Request = r.scrub().request(e.Request)
		e.Key = requestKey("", e.Request)
	}
	return e
}

// empty is a new file's text.
func (r *Recording) empty() *recordingText {
	return &recordingText{ended: true, header: recordingHeader{
		Format: recordingFormat, Version: recordingVersion,
		Model: r.scrub().text(r.m.Identity()), By: r.opts.By,
	}}
}

// create makes the file, with a header alone.
func (r *Recording) create() error {
	if err := r.text.save(r.path); err != nil {
		return err
	}
	info, err := os.Stat(r.path)
	if err != nil {
		return err
	}
	r.text.good = int(info.Size())
	r.file, err = r.text.appendTo(r.path)
	return err
}

// resume goes on with a file that has answers.
func (r *Recording) resume(text *recordingText) (err error) {
	if have := r.scrub().text(r.m.Identity()); have != text.header.Model {
		return fmt.Errorf("%s: %w: recorded from %q, the model at hand is %q", r.path, prospect.ErrIdentity, text.header.Model, have)
	}
	r.text = text
	r.file, err = text.appendTo(r.path)
	return err
}

func (r *Recording) scrub() scrubber { return r.opts.Scrub }

// index adds an entry to the track of its key, if it has an answer.
func (r *Recording) index(i int, e Entry) {
	if e.Response == nil {
		return
	}
	t := r.tracks[e.Key]
	if t == nil {
		t = &track{}
		r.tracks[e.Key] = t
	}
	t.entries = append(t.entries, i)
}

// Identity is that of the recorded model, as the file has it.
func (r *Recording) Identity() string { return r.text.header.Model }

// Generate answers as the mode says. After Close, what would have to be recorded
// is [prospect.ErrClosed].
func (r *Recording) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	if err := ctx.Err(); err != nil {
		return prospect.LLMResponse{}, err
	}
	e := Entry{Label: r.scrub().text(Label(ctx)), Request: r.scrub().request(req)}
	e.Key = requestKey("", e.Request)
	if r.opts.Mode == RecordAll {
		return r.record(ctx, req, e)
	}
	if resp, ok := r.replay(e.Key); ok {
		return resp, nil
	}
	if r.opts.Mode == Replay {
		return prospect.LLMResponse{}, r.missing(e)
	}
	resp, _, err := r.flights.do(ctx, e.Key, func() (prospect.LLMResponse, error) {
		if resp, ok := r.replay(e.Key); ok { // recorded meanwhile
			return resp, nil
		}
		return r.record(ctx, req, e)
	})
	return resp, err
}

// replay gives the next answer to the request with the key.
func (r *Recording) replay(key string) (prospect.LLMResponse, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tracks[key]
	if t == nil {
		return prospect.LLMResponse{}, false
	}
	i := t.entries[min(t.next, len(t.entries)-1)]
	t.next++
	return *r.text.entries[i].Response, true
}

// record asks the model and appends its answer.
func (r *Recording) record(ctx context.Context, req prospect.LLMRequest, e Entry) (prospect.LLMResponse, error) {
	if err := r.writable(); err != nil {
		return prospect.LLMResponse{}, err
	}
	resp, err := r.m.Generate(ctx, req)
	if err != nil {
		return resp, err
	}
	resp = r.scrub().response(resp)
	e.Response = &resp
	if r.opts.By != r.text.header.By {
		e.By = r.opts.By
	}
	if r.opts.KeysOnly {
		e.Request = prospect.LLMRequest{}
	}
	b, err := line(e)
	if err != nil {
		return prospect.LLMResponse{}, fmt.Errorf("record into %s: %w", r.path, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.writableLocked(); err != nil {
		return prospect.LLMResponse{}, err
	}
	if r.file == nil {
		if r.failed = r.create(); r.failed != nil {
			return prospect.LLMResponse{}, r.failed
		}
	}
	if _, err := r.file.Write(b); err != nil {
		r.failed = fmt.Errorf("record into %s: %w", r.path, err)
		return prospect.LLMResponse{}, r.failed
	}
	r.dirty = true
	r.text.entries = append(r.text.entries, e)
	r.text.lines = append(r.text.lines, 0)
	r.index(len(r.text.entries)-1, e)
	r.tracks[e.Key].next++
	return resp, nil
}

func (r *Recording) writable() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writableLocked()
}

func (r *Recording) writableLocked() error {
	if r.closed {
		return fmt.Errorf("record into %s: %w", r.path, prospect.ErrClosed)
	}
	return r.failed
}

// Unused returns the entries with an answer that was not given since the file
// was opened: what a changed program no longer asks.
func (r *Recording) Unused() []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	given := make(map[int]bool)
	for _, t := range r.tracks {
		for _, i := range t.entries[:min(t.next, len(t.entries))] {
			given[i] = true
		}
	}
	var unused []Entry
	for i, e := range r.text.entries {
		if e.Response != nil && !given[i] {
			unused = append(unused, e)
		}
	}
	return unused
}
