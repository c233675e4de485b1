package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/prospect-go/prospect"
)

// An Entry is one line of a [Recording]: a request and its answer. As JSON it
// has the form of such a line, so that a program may collect the requests that
// a file lacks, and write the lines that answer them.
type Entry struct {
	// Key of the request: 32 hexadecimal digits. In a line without a request
	// it stands for one.
	Key string
	// Request as it is recorded, free of secrets; zero in a line that has
	// only the key ([RecordingOptions.KeysOnly]).
	Request prospect.LLMRequest
	// Response is the answer; nil in a line that only asks.
	Response *prospect.LLMResponse
	// Label says, for people, what the request was for: that of its context
	// ([WithLabel]).
	Label string
	// By says who answered, where that is not who the header of the file
	// names.
	By string
}

type wireEntry struct {
	Key      string          `json:"key,omitempty"`
	Label    string          `json:"label,omitempty"`
	By       string          `json:"by,omitempty"`
	Request  *wireRequest    `json:"request,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
}

// MarshalJSON writes the entry as a line of a recording, without its end. A
// temperature that is not a finite number is an error.
func (e Entry) MarshalJSON() ([]byte, error) {
	w := wireEntry{Key: e.Key, Label: e.Label, By: e.By}
	if !isZero(e.Request) {
		req := tidy(e.Request)
		w.Request = &wireRequest{req.System, req.Prompt, req.Schema, req.SchemaName, req.MaxTokens, req.Temperature}
	}
	if e.Response != nil {
		var err error
		if w.Response, err = marshal(toWire(*e.Response)); err != nil {
			return nil, err
		}
	}
	return marshal(w)
}

// UnmarshalJSON reads a line. A missing key is computed from the request; a
// name that the format does not know is an error, for it may be a slip of the
// pen.
func (e *Entry) UnmarshalJSON(line []byte) error {
	var w wireEntry
	if err := strict(line, &w); err != nil {
		return err
	}
	*e = Entry{Key: w.Key, Label: w.Label, By: w.By}
	if w.Request != nil {
		r := w.Request
		e.Request = tidy(prospect.LLMRequest{System: r.System, Prompt: r.Prompt, Schema: r.Schema, SchemaName: r.SchemaName, MaxTokens: r.MaxTokens, Temperature: r.Temperature})
		if e.Key == "" {
			e.Key = requestKey("", e.Request)
		}
	}
	if e.Key == "" {
		return errors.New("neither a key nor a request")
	}
	if len(w.Response) == 0 || string(w.Response) == "null" {
		return nil
	}
	var answer wireResponse
	if w.Response[0] == '"' { // the text alone
		if err := json.Unmarshal(w.Response, &answer.Text); err != nil {
			return err
		}
	} else if err := strict(w.Response, &answer); err != nil {
		return fmt.Errorf("response: %w", err)
	}
	e.Response = new(answer.response())
	return nil
}

// strict decodes one JSON value with no unknown names.
func strict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("breaks off")
		}
		return err
	}
	if rest, err := io.ReadAll(d.Buffered()); err != nil || len(bytes.TrimSpace(rest)) > 0 {
		return errors.New("more than one JSON value")
	}
	return nil
}

func isZero(r prospect.LLMRequest) bool {
	return r.System == "" && r.Prompt == "" && len(r.Schema) == 0 && r.SchemaName == "" && r.MaxTokens == 0 && r.Temperature == nil
}
