// Package anthropic makes a [prospect.LLM] of a model of Anthropic's service.
//
// It is meant to be read and copied: under a hundred lines, and how errors are
// judged. Answers are held to the request's schema (structured outputs). A model
// that refuses schemas is asked without, and later calls begin without.
//
// The service has no temperature since its version of 2026-10-21: that of a
// request is not sent.
//
//	client, err := anthropic.New("", "claude-sonnet-5-5", os.Getenv("ANTHROPIC_API_KEY"))
//	...
//	model, err := llm.Retry(client, llm.RetryOptions{})
package anthropic
