package builtin

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/prospect-go/prospect/embed/onnx"
)

//go:embed model
var files embed.FS

// Open opens the built-in model. It reads no file and asks no network. Open it
// once and share it: it is safe for concurrent use, and every Open takes the
// time and the memory anew.
func Open(ctx context.Context) (*onnx.Embedder, error) {
	model, err := fs.Sub(files, "model")
	if err == nil {
		var e *onnx.Embedder
		if e, err = onnx.OpenFS(ctx, model, onnx.Options{}); err == nil {
			return e, nil
		}
	}
	return nil, fmt.Errorf("builtin: %w", err)
}
