package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
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

// replayed is a file of answers. What it lacks goes to -missing, with which the
// file need not be there yet.
func replayed(o options) (_ prospect.LLM, done func() error, err error) {
	opts := llm.RecordingOptions{}
	done = func() error { return nil }
	if o.missing != "" {
		if err := beginAnswers(o.replay); err != nil {
			return nil, nil, err
		}
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

// beginAnswers makes a file without answers, to which a person may append some,
// unless there is one.
func beginAnswers(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	nobody := prospect.NewLLM("answers by hand", func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) {
		return prospect.LLMResponse{}, errors.New("nobody is asked")
	})
	file, err := llm.OpenRecording(path, nobody, llm.RecordingOptions{Mode: llm.RecordMissing})
	if err != nil {
		return err
	}
	return file.Close()
}
