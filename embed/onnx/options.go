package onnx

import (
	"fmt"

	"github.com/prospect-go/prospect"
)

// Options say how to open a model. The zero value takes everything from the
// model's folder.
type Options struct {
	// File is the ONNX file, a slash-separated path within the folder.
	// Default: model.onnx, else onnx/model.onnx.
	File string
	// Output names the graph's output to use. Default: sentence_embedding,
	// else token_embeddings, else last_hidden_state, else the first.
	Output string
	// MaxTokens bounds a text, special tokens included. Default: the least of
	// what the folder's configuration files say, else 512. A larger value than
	// that is taken as given, and fails in models with a table of positions.
	MaxTokens int
	// BatchSize bounds the texts that are run at once. Long texts are run in
	// smaller batches, so that a batch has 4,096 tokens at most. Default: 32.
	BatchSize int
	// QueryPrompt and DocumentPrompt are put before every text of their role.
	// Default (nil): the folder's prompts of that name ("query", and
	// "document" or "passage"), else none. new("") asks for none.
	QueryPrompt, DocumentPrompt *string
}

// Validate reports negative sizes.
func (o Options) Validate() error {
	if o.MaxTokens < 0 || o.BatchSize < 0 {
		return fmt.Errorf("%w: MaxTokens %d, BatchSize %d", prospect.ErrOption, o.MaxTokens, o.BatchSize)
	}
	return nil
}

const (
	defaultMaxTokens = 512
	defaultBatchSize = 32
	// batchTokens bounds the tokens of a batch, padding included, and with it
	// the memory of a transformer's layers and of attention (batch·heads·n²).
	batchTokens = 4096
)
