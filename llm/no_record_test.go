package llm_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

func noRecord(t *testing.T, r *llm.Recording, req prospect.LLMRequest) *llm.NoRecordError {
	t.Helper()
	_, err := r.Generate(t.Context(), req)
	require.ErrorIs(t, err, llm.ErrNoRecord)
	missing, ok := errors.AsType[*llm.NoRecordError](err)
	require.True(t, ok)
	return missing
}

func TestAMissingRecordShowsTheNearest(t *testing.T) {
	path := write(t, recordingPath(t), header+
		`{"request":{"prompt":"Draw a bar chart of the sales."},"response":"1"}
{"request":{"system":"You infer.","prompt":"Read all tables\nfrom the PDF file é.","schema_name":"infer","max_tokens":800,"temperature":0},"response":"2"}
{"key":"0123","response":"3"}
`)
	r := open(t, path, nil, llm.RecordingOptions{})
	asked := prospect.LLMRequest{System: "You infer.", Prompt: "Read all tables\nfrom the PDF file è, then stop.", SchemaName: "infer", MaxTokens: 900}
	missing := noRecord(t, r, asked)
	require.Equal(t, 3, missing.Line)
	require.Equal(t, "2", missing.Nearest.Response.Text)
	require.Equal(t, asked, missing.Asked.Request)
	// é is C3 A9, è is C3 A8: they differ within a code point.
	require.Equal(t, `llm: no record of the request in `+path+`: key `+missing.Asked.Key+
		`, schema "infer", prompt "Read all tables\nfrom the PDF file è, then stop."; the nearest is line 3: `+
		`prompt, line 2: recorded "from the PDF file é.", asked "from the PDF file è, then stop."; `+
		`max_tokens: recorded 800, asked 900; temperature: recorded 0, asked unset`, missing.Error())

	missing = noRecord(t, r, prospect.LLMRequest{System: "s", Prompt: strings.Repeat("long ", 4000), Schema: json.RawMessage(`{"a":1}`), SchemaName: "x"})
	require.Equal(t, 2, missing.Line, "whichever, if nothing is alike")
	require.Less(t, len(missing.Error()), 1500)
	require.ErrorContains(t, missing, `schema, line 1: recorded "", asked "{\"a\":1}"`)
}

// The pieces that are shown hold no half of a code point.
func TestDifferencesInOtherScripts(t *testing.T) {
	for n := range 4 {
		before, after := strings.Repeat("é", 40)+strings.Repeat("x", n), strings.Repeat("x", n)+strings.Repeat("う", 40)
		r := open(t, write(t, recordingPath(t), header+`{"request":{"prompt":"`+before+"あ"+after+`"},"response":"1"}`), nil, llm.RecordingOptions{})
		missing := noRecord(t, r, prospect.LLMRequest{Prompt: before + "い" + after})
		require.Regexp(t, `recorded "é+x*あ?x*う+", asked "é+x*い?x*う+"`, missing.Error())
	}
}

func TestAMissingRecordInAnEmptyFile(t *testing.T) {
	r := open(t, write(t, recordingPath(t), header+`{"key":"0123","response":"3"}`), nil, llm.RecordingOptions{})
	missing := noRecord(t, r, prospect.LLMRequest{Prompt: "p"})
	require.Nil(t, missing.Nearest)
	require.ErrorContains(t, missing, "the file has no request to compare with")
}

// Somebody who has no client answers by hand: the requests are collected, a
// line for each is written by whatever program, and the work is done again
// until nothing is missing.
func TestRecordingsCanBeMadeByHand(t *testing.T) {
	path := write(t, recordingPath(t), header)
	work := func(r *llm.Recording) error { // two calls, the second made of the first one's answer
		first, err := ask(t, r, "one <&>")
		if err != nil {
			return err
		}
		second, err := r.Generate(t.Context(), prospect.LLMRequest{Prompt: "then " + first, Schema: json.RawMessage(`{"x": "<"}`)})
		if err == nil {
			require.Equal(t, "answer", second.Text)
		}
		return err
	}
	for round := range 3 {
		var lines []string
		r, err := llm.OpenRecording(path, nil, llm.RecordingOptions{Missing: func(e llm.Entry) {
			line, err := json.Marshal(e)
			require.NoError(t, err)
			lines = append(lines, string(line))
		}})
		require.NoError(t, err)
		err = work(r)
		if round == 2 {
			require.NoError(t, err)
			require.Empty(t, lines)
			break
		}
		require.ErrorIs(t, err, llm.ErrNoRecord)
		require.ErrorIs(t, work(r), llm.ErrNoRecord)
		require.Len(t, lines, 1, "told of once")

		// A program that knows JSON and nothing of Go.
		var line map[string]any
		require.NoError(t, json.Unmarshal([]byte(lines[0]), &line))
		if round == 1 {
			delete(line, "key") // computed by the reader
		}
		line["response"] = map[string]any{"text": "answer"}
		line["by"] = "hand"
		answered, err := json.Marshal(line)
		require.NoError(t, err)
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.Write(append(answered, '\n'))
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
}

func TestLinesThatOnlyAskAreNoAnswers(t *testing.T) {
	asks := `{"request":{"prompt":"p"}}` + "\n"
	path := write(t, recordingPath(t), header+asks+asks)
	r := open(t, path, nil, llm.RecordingOptions{})
	require.ErrorContains(t, noRecord(t, r, prospect.LLMRequest{Prompt: "p"}), "line 2 asks it and has no response")
	require.Empty(t, r.Unused())

	write(t, path, "\uFEFF"+header+asks+"\r\n  \n"+`{"request":{"prompt":"p"},"response":null,"by":""}`+"\n"+`{"request":{"prompt":"p"},"response":""}`)
	got, err := ask(t, open(t, path, nil, llm.RecordingOptions{}), "p")
	require.NoError(t, err)
	require.Empty(t, got, "an empty answer is one")
}

// The key is what counts: a request may be edited for people to read.
func TestTheKeyOfALineCounts(t *testing.T) {
	key := keyOf(t, prospect.LLMRequest{Prompt: "a customer's name"})
	path := write(t, recordingPath(t), header+`{"key":"`+key+`","request":{"prompt":"(a name)"},"response":"yes"}`)
	got, err := ask(t, open(t, path, nil, llm.RecordingOptions{}), "a customer's name")
	require.NoError(t, err)
	require.Equal(t, "yes", got)
}

func TestMissingIsCalledByOneAtATime(t *testing.T) {
	seen := map[string]int{} // not guarded
	r := open(t, write(t, recordingPath(t), header), nil, llm.RecordingOptions{Missing: func(e llm.Entry) { seen[e.Request.Prompt]++ }})
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() { r.Generate(t.Context(), prospect.LLMRequest{Prompt: string(rune('a' + i%20))}) })
	}
	wg.Wait()
	require.Len(t, seen, 20)
	for _, n := range seen {
		require.Equal(t, 1, n)
	}
}

func TestEntriesMarshal(t *testing.T) {
	e := llm.Entry{
		Key: "k", By: "b", Request: prospect.LLMRequest{System: "s", Prompt: "p", Schema: json.RawMessage(`{"a":1}`), SchemaName: "n", MaxTokens: 1, Temperature: new(0.5)},
		Response: &prospect.LLMResponse{Text: "t", Truncated: true, Usage: prospect.Usage{InputTokens: 1}},
	}
	line, err := json.Marshal(e)
	require.NoError(t, err)
	require.Equal(t, `{"key":"k","by":"b","request":{"system":"s","prompt":"p","schema":{"a":1},"schema_name":"n","max_tokens":1,"temperature":0.5},`+
		`"response":{"text":"t","truncated":true,"usage":{"input_tokens":1,"output_tokens":0}}}`, string(line))
	var back llm.Entry
	require.NoError(t, json.Unmarshal(line, &back))
	require.Equal(t, e, back)
}
