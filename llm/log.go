package llm

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prospect-go/prospect"
)

// LogOptions say what [Log] tells.
type LogOptions struct {
	// Level of calls with an answer; those without are one step above it.
	// Default [slog.LevelInfo], and so [slog.LevelWarn].
	Level slog.Level
	// Texts adds the system text, the prompt and the answer, which may be
	// private. Default: their lengths alone.
	Texts bool
}

// Log returns m with a record to l of every call when it has ended: model,
// label of the context, name of the schema, duration, tokens, lengths in bytes,
// truncation and error. To a nil logger nothing is logged.
//
// An error of this package is logged without the texts of requests, unless
// [LogOptions.Texts] is set; what a client puts into its errors is logged as it
// is.
func Log(m prospect.LLM, l *slog.Logger, o LogOptions) prospect.LLM {
	if l == nil {
		return m
	}
	return &logged{m, l, o}
}

type logged struct {
	prospect.LLM
	logger *slog.Logger
	opts   LogOptions
}

func (m *logged) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	begin := time.Now()
	resp, err := m.LLM.Generate(ctx, req)
	level := m.opts.Level
	if err != nil {
		level += slog.LevelWarn - slog.LevelInfo
	}
	if !m.logger.Enabled(ctx, level) {
		return resp, err
	}
	attrs := []slog.Attr{slog.String("model", m.Identity()), slog.Duration("duration", time.Since(begin))}
	if label := Label(ctx); label != "" {
		attrs = append(attrs, slog.String("label", label))
	}
	if req.SchemaName != "" {
		attrs = append(attrs, slog.String("schema", req.SchemaName))
	}
	attrs = append(attrs,
		slog.Int("input_tokens", resp.Usage.InputTokens), slog.Int("output_tokens", resp.Usage.OutputTokens),
		slog.Int("prompt_bytes", len(req.System)+len(req.Prompt)), slog.Int("answer_bytes", len(resp.Text)),
	)
	if resp.Truncated {
		attrs = append(attrs, slog.Bool("truncated", true))
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", m.errorText(err)))
	}
	if m.opts.Texts {
		attrs = append(attrs, slog.String("system", req.System), slog.String("prompt", req.Prompt), slog.String("answer", resp.Text))
	}
	m.logger.LogAttrs(ctx, level, "model call", attrs...)
	return resp, err
}

// errorText leaves out the texts of requests.
func (m *logged) errorText(err error) string {
	if missing, ok := errors.AsType[*NoRecordError](err); ok && !m.opts.Texts {
		return ErrNoRecord.Error() + " in " + missing.Path + ": key " + missing.Asked.Key
	}
	if errors.Is(err, ErrNoAnswer) && !m.opts.Texts {
		return ErrNoAnswer.Error()
	}
	return err.Error()
}
