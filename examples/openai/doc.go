// Package openai makes a [prospect.LLM] of a model behind an OpenAI-compatible
// chat service: OpenAI's own, Ollama, llama.cpp, vLLM and many others.
//
// It is meant to be read and copied: under a hundred lines, and how errors are judged. Answers
// are held to the request's schema where the service can do it. What a service
// refuses is asked again in a looser way (any JSON object, then free text; the
// newer name of the bound on tokens), and later calls begin with the way that
// worked.
//
//	client, err := openai.New("http://localhost:11434/v1", "qwen3:4b", "")
//	...
//	model, err := llm.Retry(client, llm.RetryOptions{})
package openai
