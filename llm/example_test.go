package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

// A recording is made once with a model and replayed without it.
func ExampleRecording() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "answers.jsonl")

	model := llm.NewScripted("model 1", llm.Turn{Text: "blue"})
	recording, err := llm.OpenRecording(path, model, llm.RecordingOptions{Mode: llm.RecordMissing, By: "the author"})
	if err != nil {
		panic(err)
	}
	sky := prospect.LLMRequest{Prompt: "What colour is the sky? My password: correct-horse-1"}
	recording.Generate(context.Background(), sky)
	if err := recording.Close(); err != nil {
		panic(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(text))

	replay, err := llm.OpenRecording(path, nil, llm.RecordingOptions{})
	if err != nil {
		panic(err)
	}
	answer, err := replay.Generate(context.Background(), sky)
	fmt.Println(replay.Identity(), "says", answer.Text, err)
	// Output:
	// {"format":"prospect llm recording","version":1,"model":"model 1","by":"the author"}
	// {"key":"de9b0987bd1fdac1a51265c6a394070c","request":{"prompt":"What colour is the sky? My password: [scrubbed]"},"response":{"text":"blue"}}
	// model 1 says blue <nil>
}

// Requests that a file lacks can be collected, to be answered by a person or
// another program: with its "response" added, such a line belongs in the file.
func ExampleRecordingOptions_missing() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "answers.jsonl")
	header := `{"format":"prospect llm recording","version":1,"model":"a colleague"}` + "\n"
	if err := os.WriteFile(path, []byte(header), 0o644); err != nil {
		panic(err)
	}

	replay, err := llm.OpenRecording(path, nil, llm.RecordingOptions{Missing: func(e llm.Entry) {
		line, err := json.Marshal(e)
		fmt.Println(string(line), err)
	}})
	if err != nil {
		panic(err)
	}
	_, err = replay.Generate(llm.WithLabel(context.Background(), "sky"), prospect.LLMRequest{Prompt: "What colour is the sky?"})
	fmt.Println(errors.Is(err, llm.ErrNoRecord))
	// Output:
	// {"key":"be8834f34799b2b4be99652206b9dc1b","label":"sky","request":{"prompt":"What colour is the sky?"}} <nil>
	// true
}

func ExampleCache() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	cache, err := llm.OpenCache(dir, llm.CacheOptions{})
	if err != nil {
		panic(err)
	}
	var asked, paid llm.Meter
	model := asked.Wrap(cache.Wrap(paid.Wrap(llm.NewScripted("model 1", llm.Turn{Text: "blue"}))))
	for range 3 {
		answer, err := model.Generate(context.Background(), prospect.LLMRequest{Prompt: "What colour is the sky?"})
		fmt.Println(answer.Text, err)
	}
	fmt.Println(asked.Total().Calls, "asked,", paid.Total().Calls, "paid")
	// Output:
	// blue <nil>
	// blue <nil>
	// blue <nil>
	// 3 asked, 1 paid
}
