// Package realmodel runs the library's methods with a real language model, as
// its test:
//
//	make test-llm                                  # in the root of the repository
//	python3 serve.py -- go test -count=1 -v .      # the same
//	PROSPECT_LLM_URL=http://localhost:11434/v1 PROSPECT_LLM_MODEL=qwen3:4b go test -count=1 -v .
//
// Without a model in the environment the test is skipped. serve.py starts one:
// small open weights that llama.cpp serves on the loopback interface.
//
// The test asks for what has to hold with any model, however bad: each answer
// is used or replaced by what the documentation promises, nothing hangs, limits
// hold, the trace tells what happened, and what a task says changes nothing in
// the form of the prompts. It also counts how often the model keeps to the form
// that was asked for, with JSON Schemas and without, and logs the counts. How
// good the skills are that a model of this size imagines is not looked at.
package realmodel
