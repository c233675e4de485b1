package skilldreamer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/answer"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/skill"
)

// A stage is one kind of question to the model.
type stage struct {
	name       string
	capability int // the index it is about, or -1
	prompt     *fence.Template
	schema     json.RawMessage
}

// ask renders a prompt, asks the model, at most twice, and records the calls.
// It is false where the caller has to fall back, which is noted.
func ask[T any](ctx context.Context, t *thinking, s stage, data PromptData, validate func(*T) error) (v T, ok bool) {
	o := t.d.opts
	text, err := render(s.prompt, data)
	if err != nil {
		t.fail(s, fmt.Errorf("prompt: %w", err))
		return v, false
	}
	req := prospect.LLMRequest{
		System: t.d.prompts.system, Prompt: text, Schema: bytes.Clone(s.schema), SchemaName: strings.ReplaceAll(s.name, "-", "_"),
		MaxTokens: o.MaxTokens, Temperature: o.Temperature,
	}
	files := &skillFiles{LLM: t.d.model, raw: map[string]string{}}
	v, attempts, err := answer.Ask(ctx, files, req, validate)
	t.record(s, files, attempts)
	switch {
	case err == nil:
		return v, true
	case ctx.Err() != nil: // noted once, by Imagine
		t.mu.Lock()
		t.im.Partial = true
		t.mu.Unlock()
	default:
		t.fail(s, err)
	}
	return v, false
}

// fail notes that a stage got no answer that can be used.
func (t *thinking) fail(s stage, err error) {
	t.add(Note{Kind: ModelFailed, Capability: s.capability, Text: fmt.Sprintf("%s: %v", s.name, err), Err: err})
}

func (t *thinking) record(s stage, files *skillFiles, attempts []answer.Attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, a := range attempts {
		c := Call{
			Stage: s.name, Capability: s.capability, Attempt: i + 1,
			System: t.d.prompts.system, Prompt: a.Prompt, Answer: files.original(a.Answer),
			Truncated: a.Truncated, Usage: a.Usage, Duration: a.Duration,
		}
		if a.Err != nil {
			c.Error = a.Err.Error()
		}
		t.im.Calls = append(t.im.Calls, c)
	}
}

// skillFiles is a model whose answers, where they are a SKILL.md and not the
// JSON that was asked for, become that JSON. Asked for a skill, models like to
// write the file.
type skillFiles struct {
	prospect.LLM
	raw map[string]string // JSON made here: what the model wrote
}

func (m *skillFiles) Generate(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
	resp, err := m.LLM.Generate(ctx, req)
	if err == nil && req.SchemaName == "imagine" {
		if made, ok := jsonOfSkillFile(resp.Text); ok {
			m.raw[made] = resp.Text
			resp.Text = made
		}
	}
	return resp, err
}

func (m *skillFiles) original(text string) string {
	if raw, ok := m.raw[text]; ok {
		return raw
	}
	return text
}

// frontMatter finds the head of a SKILL.md within a longer answer.
var frontMatter = regexp.MustCompile(`(?m)^---[ \t]*\r?\n(?:[^\n]*\n){0,3}?(?:name|description):`)

func jsonOfSkillFile(text string) (string, bool) {
	at := frontMatter.FindStringIndex(text)
	if at == nil {
		return "", false
	}
	file := text[at[0]:]
	// A fence that was opened before the front matter ends with the file.
	if before := text[:at[0]]; strings.Count(before, "```")%2 == 1 {
		if end := strings.LastIndex(file, "\n```"); end >= 0 {
			file = file[:end+1]
		}
	}
	s, _, err := skill.Parse([]byte(file), skill.ParseOptions{})
	if err != nil {
		return "", false
	}
	made, err := json.Marshal(ImaginedSkill{Name: s.Name, Description: s.Description, Body: s.Body})
	return string(made), err == nil
}
