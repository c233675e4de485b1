package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"encoding/json/jsontext"
	"math"
	"strings"

	"github.com/prospect-go/prospect"
)

// wireRequest and wireResponse are the forms in which requests and answers
// stand in files.
type wireRequest struct {
	System      string          `json:"system,omitempty"`
	Prompt      string          `json:"prompt"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	SchemaName  string          `json:"schema_name,omitempty"`
	MaxTokens   int             `json:"max_tokens,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
}

type wireResponse struct {
	Text      string          `json:"text"`
	Truncated bool            `json:"truncated,omitempty"`
	Usage     *prospect.Usage `json:"usage,omitempty"`
}

func toWire(resp prospect.LLMResponse) *wireResponse {
	w := &wireResponse{Text: resp.Text, Truncated: resp.Truncated}
	if resp.Usage != (prospect.Usage{}) {
		w.Usage = &resp.Usage
	}
	return w
}

func (w *wireResponse) response() prospect.LLMResponse {
	resp := prospect.LLMResponse{Text: w.Text, Truncated: w.Truncated}
	if w.Usage != nil {
		resp.Usage = *w.Usage
	}
	return resp
}

// tidy brings a request into the form that it has after a way through a file:
// valid UTF-8 and a compact schema. A request that is tidy stays as it is.
func tidy(req prospect.LLMRequest) prospect.LLMRequest {
	req.System = strings.ToValidUTF8(req.System, "\uFFFD")
	req.Prompt = strings.ToValidUTF8(req.Prompt, "\uFFFD")
	req.SchemaName = strings.ToValidUTF8(req.SchemaName, "\uFFFD")
	req.Schema = compact(req.Schema)
	return req
}

// compact is a schema without spaces and with each character written in one
// way, or nil where there is none. What is not JSON cannot stand in a file of
// JSON as it is and becomes a string.
func compact(schema json.RawMessage) json.RawMessage {
	v := jsontext.Value(bytes.TrimSpace(schema))
	if len(v) == 0 || string(v) == "null" {
		return nil
	}
	v = v.Clone() // Format works in place
	if v.Format(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil {
		return json.RawMessage(v)
	}
	text, err := marshal(strings.ToValidUTF8(string(schema), "\uFFFD"))
	if err != nil {
		panic(err) // a string is always JSON
	}
	return text
}

// requestKey is the first half of a SHA-256, in hexadecimal, over every part of
// a request: a name of this scheme, the salt, the system text, the prompt, the
// compact schema, its name, MaxTokens as 8 bytes and, if it is set, the
// temperature as the 8 bytes of its float64. Each part has its length before
// it, so that no two requests look alike; numbers and lengths are 8 bytes,
// little-endian. The salt keeps keys of different models apart; keys of
// recordings have none.
func requestKey(salt string, req prospect.LLMRequest) string {
	h := sha256.New()
	part := func(b []byte) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	number := func(v uint64) []byte { return binary.LittleEndian.AppendUint64(nil, v) }
	part([]byte("prospect llm request 1"))
	part([]byte(salt))
	part([]byte(req.System))
	part([]byte(req.Prompt))
	part(compact(req.Schema))
	part([]byte(req.SchemaName))
	part(number(uint64(req.MaxTokens)))
	if req.Temperature != nil {
		// Adding 0 makes one of the two zeros.
		part(number(math.Float64bits(*req.Temperature + 0)))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// marshal is JSON on one line, with <, > and & as they are: people read it.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
