package main

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/examples/openai"
	"github.com/prospect-go/prospect/llm"
)

// openModel opens what the flags name: a service, whose calls are repeated
// where a failure may go away and whose answers are kept with -record; or a
// file of answers. The caller calls done at the end.
func openModel(o options) (_ prospect.LLM, done func() error, err error) {
	done = func() error { return nil }
	if o.llm == "" {
		return replayed(o)
	}
	client, err := openai.New(o.llm, o.model, o.apiKey)
	if err != nil {
		return nil, nil, err
	}
	model, err := llm.Retry(client, llm.RetryOptions{})
	if err != nil || o.record == "" {
		return model, done, err
	}
	recording, err := llm.OpenRecording(o.record, model, llm.RecordingOptions{Mode: llm.RecordMissing, By: o.model})
	if err != nil {
		return nil, nil, err
	}
	return recording, recording.Close, nil
}

// replayed is a file of answers. What it lacks goes to -missing.
func replayed(o options) (_ prospect.LLM, done func() error, err error) {
	opts := llm.RecordingOptions{}
	done = func() error { return nil }
	if o.missing != "" {
		f, err := os.Create(o.missing)
		if err != nil {
			return nil, nil, err
		}
		w := json.NewEncoder(f)
		w.SetEscapeHTML(false)
		var failed error
		opts.Missing = func(e llm.Entry) { failed = errors.Join(failed, w.Encode(e)) }
		done = func() error { return errors.Join(failed, f.Close()) }
	}
	recording, err := llm.OpenRecording(o.replay, nil, opts)
	if err != nil {
		return nil, nil, errors.Join(err, done())
	}
	return recording, done, nil
}
