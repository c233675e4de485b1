package main

import (
	"fmt"
	"os"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/examples/openai"
	"github.com/prospect-go/prospect/llm"
)

// A model is the one that imagines and rewrites: a service, its recorded
// answers, or both.
type model struct {
	prospect.LLM
	recording *llm.Recording // nil without
}

// openModel opens the service of -llm, with calls that may succeed later tried
// again, and the file of -llm-recording before it.
func openModel(o options) (*model, error) {
	m := &model{}
	if o.llm != "" {
		service, err := openai.New(o.llm, o.model, o.apiKey)
		if err != nil {
			return nil, fmt.Errorf("-llm: %w", err)
		}
		if m.LLM, err = llm.Retry(service, llm.RetryOptions{}); err != nil {
			return nil, err
		}
	}
	if o.recording == "" {
		return m, nil
	}
	set := llm.RecordingOptions{By: "examples/evaluate"}
	if m.LLM != nil {
		set.Mode = llm.RecordMissing
	} else if _, err := os.Stat(o.recording); err != nil {
		return nil, fmt.Errorf("-llm-recording: %w", err)
	}
	var err error
	if m.recording, err = llm.OpenRecording(o.recording, m.LLM, set); err != nil {
		return nil, fmt.Errorf("-llm-recording: %w", err)
	}
	m.LLM = m.recording
	return m, nil
}

// close ends the recording.
func (m *model) close() error {
	if m == nil || m.recording == nil {
		return nil
	}
	if err := m.recording.Close(); err != nil {
		return fmt.Errorf("-llm-recording: %w", err)
	}
	return nil
}
