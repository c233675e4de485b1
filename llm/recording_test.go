package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

// echo answers with the prompt and counts its calls.
func echo() *broken {
	m := &broken{}
	m.generate = func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
		return prospect.LLMResponse{Text: "to " + req.Prompt, Usage: prospect.Usage{InputTokens: 3, OutputTokens: 4}}, ctx.Err()
	}
	return m
}

func recordingPath(t *testing.T) string { return filepath.Join(t.TempDir(), "rec.jsonl") }

func open(t *testing.T, path string, m prospect.LLM, o llm.RecordingOptions) *llm.Recording {
	t.Helper()
	r, err := llm.OpenRecording(path, m, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// record asks m the prompts, in order, into a file.
func record(t *testing.T, path string, m prospect.LLM, o llm.RecordingOptions, prompts ...string) {
	t.Helper()
	r, err := llm.OpenRecording(path, m, o)
	require.NoError(t, err)
	for _, p := range prompts {
		_, err := ask(t, r, p)
		require.NoError(t, err)
	}
	require.NoError(t, r.Close())
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

const header = `{"format":"prospect llm recording","version":1,"model":"m"}` + "\n"

func TestARecordingReplaysWhatWasRecorded(t *testing.T) {
	path := recordingPath(t)
	m := echo()
	r := open(t, path, m, llm.RecordingOptions{Mode: llm.RecordAll, By: "a test"})
	req := prospect.LLMRequest{
		System: "S", Prompt: "P <&> \u2028 é", Schema: json.RawMessage(` {"b": "<",  "a":[1.0]} `), SchemaName: "n", MaxTokens: 9, Temperature: new(0.0),
	}
	want := prospect.LLMResponse{Text: "to " + req.Prompt, Usage: prospect.Usage{InputTokens: 3, OutputTokens: 4}}
	got, err := r.Generate(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Empty(t, r.Unused(), "what was recorded was given")
	require.NoError(t, r.Close())
	require.Equal(t, `{"format":"prospect llm recording","version":1,"model":"broken","by":"a test"}
{"key":"`+keyOf(t, req)+`","request":{"system":"S","prompt":"P <&> \u2028 é","schema":{"b":"<","a":[1.0]},"schema_name":"n","max_tokens":9,"temperature":0},"response":{"text":"to P <&> \u2028 é","usage":{"input_tokens":3,"output_tokens":4}}}
`, read(t, path))

	r = open(t, path, nil, llm.RecordingOptions{})
	require.Equal(t, "broken", r.Identity())
	for range 3 {
		got, err = r.Generate(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.EqualValues(t, 1, m.calls.Load())
	require.Empty(t, r.Unused())
}

// keyOf is the key under which a request is looked for.
func keyOf(t *testing.T, req prospect.LLMRequest) string {
	t.Helper()
	r := open(t, write(t, recordingPath(t), header), nil, llm.RecordingOptions{})
	_, err := r.Generate(t.Context(), req)
	missing, ok := errors.AsType[*llm.NoRecordError](err)
	require.True(t, ok, "%v", err)
	require.Len(t, missing.Asked.Key, 32)
	return missing.Asked.Key
}

func TestEveryPartOfARequestCounts(t *testing.T) {
	schema := json.RawMessage(`{}`)
	seen := map[string]string{}
	for name, req := range map[string]prospect.LLMRequest{
		"prompt": {Prompt: "p"}, "other": {Prompt: "q"}, "system": {System: "p"}, "both": {System: "p", Prompt: "p"},
		"schema": {Prompt: "p", Schema: schema}, "empty list": {Prompt: "p", Schema: json.RawMessage(`[]`)}, "name": {Prompt: "p", SchemaName: "n"},
		"tokens": {Prompt: "p", MaxTokens: 1}, "cold": {Prompt: "p", Temperature: new(0.0)}, "warm": {Prompt: "p", Temperature: new(1.0)},
		"order": {Prompt: "p", Schema: json.RawMessage(`{"a":1,"b":2}`)}, "other order": {Prompt: "p", Schema: json.RawMessage(`{"b":2,"a":1}`)},
		"no JSON": {Prompt: "p", Schema: json.RawMessage(`{`)}, "a string": {Prompt: "p", Schema: json.RawMessage(`"["`)},
	} {
		key := keyOf(t, req)
		require.Empty(t, seen[key], name)
		seen[key] = name
	}
	same := keyOf(t, prospect.LLMRequest{Prompt: "p", Schema: json.RawMessage(`{"a":"<é"}`)})
	require.Equal(t, same, keyOf(t, prospect.LLMRequest{Prompt: "p", Schema: json.RawMessage("{ \"a\" : \"\\u003c\\u00e9\" }\n")}))
	require.Equal(t, keyOf(t, prospect.LLMRequest{Temperature: new(0.0)}), keyOf(t, prospect.LLMRequest{Temperature: new(math.Copysign(0, -1))}))
	require.Equal(t, keyOf(t, prospect.LLMRequest{Prompt: "p"}), keyOf(t, prospect.LLMRequest{Prompt: "p", Schema: json.RawMessage("null")}))
}

// A schema that is no JSON and texts that are not UTF-8 are recorded too.
func TestOddRequestsComeBack(t *testing.T) {
	path := recordingPath(t)
	m := prospect.NewLLM("m", func(_ context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
		return prospect.LLMResponse{Text: "bad \xff byte"}, nil
	})
	odd := []prospect.LLMRequest{{Prompt: "a\xffb"}, {Prompt: "p", Schema: json.RawMessage("{\xff")}, {}}
	r := open(t, path, m, llm.RecordingOptions{Mode: llm.RecordAll})
	var want []prospect.LLMResponse
	for _, req := range odd {
		resp, err := r.Generate(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, "bad \uFFFD byte", resp.Text, "what the file can hold")
		want = append(want, resp)
	}
	require.NoError(t, r.Close())
	r = open(t, path, nil, llm.RecordingOptions{})
	for i, req := range odd {
		resp, err := r.Generate(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, want[i], resp)
	}
	_, err := r.Generate(t.Context(), prospect.LLMRequest{Prompt: "p", Schema: json.RawMessage("{\ufffd")})
	require.NoError(t, err, "the same once it is in a file")
}

func TestRepeatedRequestsReplayInOrder(t *testing.T) {
	path := recordingPath(t)
	record(t, path, llm.NewScripted("m", llm.Turn{Text: "1"}, llm.Turn{Text: "2"}, llm.Turn{Text: "other"}, llm.Turn{Text: "3"}),
		llm.RecordingOptions{Mode: llm.RecordAll}, "p", "p", "q", "p")
	r := open(t, path, nil, llm.RecordingOptions{})
	for _, want := range []string{"1", "2"} {
		got, err := ask(t, r, "p")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.Len(t, r.Unused(), 2)
	for _, want := range []string{"3", "3", "3"} {
		got, err := ask(t, r, "p")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.Len(t, r.Unused(), 1)
	require.Equal(t, "q", r.Unused()[0].Request.Prompt)
}

// Close sorts the lines and keeps the order of many that ask the same.
func TestManyAnswersToOneRequestStayInOrder(t *testing.T) {
	path := recordingPath(t)
	var turns []llm.Turn
	var prompts []string
	for i := range 100 {
		turns = append(turns, llm.Turn{Text: fmt.Sprint(i)})
		prompts = append(prompts, fmt.Sprint(i%2))
	}
	record(t, path, llm.NewScripted("m", turns...), llm.RecordingOptions{Mode: llm.RecordAll}, prompts...)
	r := open(t, path, nil, llm.RecordingOptions{})
	for i, p := range prompts {
		got, err := ask(t, r, p)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), got)
	}
}

func TestRecordMissingAsksOnlyWhatIsMissing(t *testing.T) {
	path := recordingPath(t)
	o := llm.RecordingOptions{Mode: llm.RecordMissing, By: "first"}
	record(t, path, echo(), o, "b", "a", "b")
	require.Equal(t, 3, strings.Count(read(t, path), "\n"), "the header and two requests")
	before := read(t, path)

	m := echo()
	record(t, path, m, o, "a", "b")
	require.Zero(t, m.calls.Load())
	require.Equal(t, before, read(t, path), "a file that has all is left alone")

	o.By = "second"
	record(t, path, m, o, "c", "aa", "a")
	require.EqualValues(t, 2, m.calls.Load())
	text := read(t, path)
	require.True(t, strings.HasPrefix(text, `{"format":"prospect llm recording","version":1,"model":"broken","by":"first"}`))
	var prompts []string
	for line := range strings.Lines(text) {
		var e llm.Entry
		if json.Unmarshal([]byte(line), &e) == nil {
			prompts = append(prompts, e.Request.Prompt+" "+e.By)
		}
	}
	require.Equal(t, []string{"a ", "aa second", "b ", "c second"}, prompts)
}

// Calls at the same time with the same missing request make one call.
func TestRecordMissingAsksOnceAtATime(t *testing.T) {
	path := recordingPath(t)
	m := echo()
	r := open(t, path, m, llm.RecordingOptions{Mode: llm.RecordMissing})
	var wg sync.WaitGroup
	for range 50 {
		for _, p := range []string{"a", "b"} {
			wg.Go(func() {
				got, err := r.Generate(t.Context(), prospect.LLMRequest{Prompt: p})
				if err != nil || got.Text != "to "+p {
					t.Errorf("%q, %v", got.Text, err)
				}
			})
		}
	}
	wg.Wait()
	require.EqualValues(t, 2, m.calls.Load())
}

// Two recordings of the same work are the same file, whatever the timing.
func TestRecordingsAreInAStableOrder(t *testing.T) {
	once := func() string {
		path := recordingPath(t)
		r := open(t, path, echo(), llm.RecordingOptions{Mode: llm.RecordAll})
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				_, err := r.Generate(t.Context(), prospect.LLMRequest{Prompt: fmt.Sprint(i), SchemaName: fmt.Sprint(i % 3)})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		require.NoError(t, r.Close())
		return read(t, path)
	}
	first := once()
	require.Equal(t, 41, strings.Count(first, "\n"))
	for range 5 {
		require.Equal(t, first, once())
	}
}

func TestErrorsAreNotRecorded(t *testing.T) {
	path := recordingPath(t)
	refused := errors.New("refused")
	m := llm.NewScripted("m", llm.Turn{Err: refused}, llm.Turn{Text: "then"})
	r := open(t, path, m, llm.RecordingOptions{Mode: llm.RecordMissing})
	_, err := ask(t, r, "p")
	require.Equal(t, refused, err)
	require.Equal(t, header, read(t, path))
	got, err := ask(t, r, "p")
	require.NoError(t, err)
	require.Equal(t, "then", got)
}

// A run that is killed leaves its answers, and perhaps half a line.
func TestAnInterruptedRecordingGoesOn(t *testing.T) {
	path := recordingPath(t)
	r, err := llm.OpenRecording(path, echo(), llm.RecordingOptions{Mode: llm.RecordAll})
	require.NoError(t, err)
	for _, p := range []string{"one", "two"} {
		_, err := ask(t, r, p)
		require.NoError(t, err)
	}
	whole := read(t, path) // never closed
	require.Equal(t, 3, strings.Count(whole, "\n"))
	require.NoError(t, r.Close())

	begin := strings.Index(whole, "two")
	for cut := range len(whole) {
		path := write(t, recordingPath(t), whole[:cut])
		m := echo()
		record(t, path, m, llm.RecordingOptions{Mode: llm.RecordMissing}, "one", "two")
		switch calls := m.calls.Load(); {
		case cut == len(whole)-1:
			require.Zero(t, calls, "only the newline is missing")
		case cut > begin:
			require.EqualValues(t, 1, calls, "cut at %d", cut)
		default:
			require.Positive(t, calls, "cut at %d", cut)
		}
		replayed := open(t, path, nil, llm.RecordingOptions{})
		for _, p := range []string{"one", "two"} {
			got, err := ask(t, replayed, p)
			require.NoError(t, err)
			require.Equal(t, "to "+p, got)
		}
		require.Equal(t, whole, read(t, path), "cut at %d", cut)
	}
}

func TestReplayLeavesTheFileAlone(t *testing.T) {
	torn := header + `{"request":{"prompt":"p"},"response":"yes"}` + "\n" + `{"requ`
	path := write(t, recordingPath(t), torn)
	require.NoError(t, os.Chmod(path, 0o444))
	r := open(t, path, nil, llm.RecordingOptions{})
	got, err := ask(t, r, "p")
	require.NoError(t, err)
	require.Equal(t, "yes", got)
	require.NoError(t, r.Close())
	_, err = ask(t, r, "p")
	require.NoError(t, err, "there is nothing to close")
	require.Equal(t, torn, read(t, path))
}

func TestFilesThatAreNoRecordings(t *testing.T) {
	m := prospect.NewLLM("m", func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) {
		return prospect.LLMResponse{}, nil
	})
	for name, c := range map[string]struct {
		text string
		want error
		says string
	}{
		"other text":        {"dear diary\n", prospect.ErrFormat, "line 1 is not the header"},
		"other JSON":        {`{"a":1}` + "\n", prospect.ErrFormat, `format is ""`},
		"one unended line":  {"dear diary", prospect.ErrFormat, "line 1"},
		"newer":             {`{"format":"prospect llm recording","version":2,"model":"m","more":1}` + "\n", prospect.ErrVersion, "2"},
		"no version":        {`{"format":"prospect llm recording","model":"m"}` + "\n", prospect.ErrFormat, "version is 0"},
		"no model":          {`{"format":"prospect llm recording","version":1}` + "\n", prospect.ErrFormat, "identity is missing"},
		"odd header":        {`{"format":"prospect llm recording","version":1,"model":"m","bye":""}` + "\n", prospect.ErrFormat, `"bye"`},
		"bad line":          {header + "\n\n{]\n", prospect.ErrCorrupt, "line 4"},
		"a slip of the pen": {header + `{"request":{"prompt":"p"},"respose":"yes"}` + "\n", prospect.ErrCorrupt, `line 2: json: unknown field "respose"`},
		"odd request":       {header + `{"request":{"promt":"p"}}` + "\n", prospect.ErrCorrupt, `"promt"`},
		"odd response":      {header + `{"request":{"prompt":"p"},"response":{"texts":"yes"}}` + "\n", prospect.ErrCorrupt, `"texts"`},
		"a number":          {header + `{"request":{"prompt":"p"},"response":1}` + "\n", prospect.ErrCorrupt, "response"},
		"asks nothing":      {header + `{"response":"yes"}` + "\n", prospect.ErrCorrupt, "neither a key nor a request"},
		"two in a line":     {header + `{"key":"k"}{"key":"l"}` + "\n", prospect.ErrCorrupt, "line 2"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, recordingPath(t), c.text)
			for _, mode := range []llm.Mode{llm.Replay, llm.RecordMissing} {
				_, err := llm.OpenRecording(path, m, llm.RecordingOptions{Mode: mode})
				require.ErrorIs(t, err, c.want)
				require.ErrorContains(t, err, c.says)
				require.ErrorContains(t, err, path)
				require.Equal(t, c.text, read(t, path))
			}
			_, err := llm.OpenRecording(path, m, llm.RecordingOptions{Mode: llm.RecordAll})
			if c.want == prospect.ErrFormat {
				require.ErrorIs(t, err, c.want)
				require.Equal(t, c.text, read(t, path), "not ours")
			} else {
				require.NoError(t, err)
				require.Equal(t, c.text, read(t, path), "not before there is an answer")
				record(t, path, m, llm.RecordingOptions{Mode: llm.RecordAll}, "p")
				require.Regexp(t, "^"+regexp.QuoteMeta(header)+`{"key":.*}\n$`, read(t, path))
			}
		})
	}
	for _, empty := range []string{"", `{"format":"prospect`} {
		_, err := llm.OpenRecording(write(t, recordingPath(t), empty), nil, llm.RecordingOptions{})
		require.ErrorIs(t, err, prospect.ErrCorrupt)
	}
	_, err := llm.OpenRecording(recordingPath(t), nil, llm.RecordingOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestRecordingOptionsAreChecked(t *testing.T) {
	path := recordingPath(t)
	_, err := llm.OpenRecording(path, nil, llm.RecordingOptions{Mode: llm.RecordAll})
	require.ErrorIs(t, err, prospect.ErrOption)
	_, err = llm.OpenRecording(path, echo(), llm.RecordingOptions{Mode: 3})
	require.ErrorIs(t, err, prospect.ErrOption)
	require.NoFileExists(t, path)

	write(t, path, header)
	_, err = llm.OpenRecording(path, echo(), llm.RecordingOptions{Mode: llm.RecordMissing})
	require.ErrorIs(t, err, prospect.ErrIdentity)
	require.ErrorContains(t, err, `recorded from "m", the model at hand is "broken"`)
}

func TestARequestThatCannotBeWritten(t *testing.T) {
	path := recordingPath(t)
	r := open(t, path, echo(), llm.RecordingOptions{Mode: llm.RecordAll})
	_, err := r.Generate(t.Context(), prospect.LLMRequest{Prompt: "p", Temperature: new(math.NaN())})
	require.ErrorContains(t, err, path)
	_, err = ask(t, r, "q")
	require.NoError(t, err, "the file is still whole")
}

func TestAClosedRecordingTakesNoMore(t *testing.T) {
	r := open(t, recordingPath(t), echo(), llm.RecordingOptions{Mode: llm.RecordMissing})
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())
	_, err := ask(t, r, "p")
	require.ErrorIs(t, err, prospect.ErrClosed)
}

func TestRecordingsConform(t *testing.T) {
	path := recordingPath(t)
	for _, mode := range []llm.Mode{llm.RecordAll, llm.RecordMissing, llm.Replay} {
		r := open(t, path, echo(), llm.RecordingOptions{Mode: mode})
		require.NoError(t, llm.TestLLM(t.Context(), r), mode)
		require.NoError(t, r.Close())
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, llm.TestLLM(t.Context(), open(t, path, echo(), llm.RecordingOptions{Mode: llm.RecordMissing})))
}

// Keys stand in files that are kept: they must not change.
func TestKeysStayTheSame(t *testing.T) {
	require.Equal(t, "12ba97b522eded1e99f37540b5750f5e", keyOf(t, prospect.LLMRequest{
		System: "s", Prompt: "p é", Schema: json.RawMessage(`{"type": "object", "x": "<"}`), SchemaName: "n", MaxTokens: 900, Temperature: new(0.7),
	}))
}

func TestLabelsAndKeysAlone(t *testing.T) {
	path := recordingPath(t)
	r := open(t, path, echo(), llm.RecordingOptions{Mode: llm.RecordAll, KeysOnly: true})
	for _, label := range []string{"second", "first"} {
		_, err := r.Generate(llm.WithLabel(t.Context(), label), prospect.LLMRequest{Prompt: label})
		require.NoError(t, err)
	}
	require.NoError(t, r.Close())
	key := func(p string) string { return keyOf(t, prospect.LLMRequest{Prompt: p}) }
	usage := `"usage":{"input_tokens":3,"output_tokens":4}`
	require.Equal(t, `{"format":"prospect llm recording","version":1,"model":"broken"}
{"key":"`+key("first")+`","label":"first","response":{"text":"to first",`+usage+`}}
{"key":"`+key("second")+`","label":"second","response":{"text":"to second",`+usage+`}}
`, read(t, path))
	got, err := ask(t, open(t, path, nil, llm.RecordingOptions{}), "first")
	require.NoError(t, err)
	require.Equal(t, "to first", got)
}
