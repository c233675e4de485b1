// Command experiments tries settings and changes of SkillDreamer's retrieval on
// tasks with recorded model answers, and says which are better than the
// published numbers, how sure that is, and what remains on tasks that had no
// part in the choice. docs/results.md was written from its tables.
//
//	go run -C internal/experiments . -data DIR -study changes
//
// DIR is SkillsBench in BEIR form with llm_outputs.jsonl and
// distractors.jsonl.gz. -models takes folders of ONNX models besides builtin;
// build with GOEXPERIMENT=simd for those. Vectors are kept on disk, so that a
// second run takes seconds.
//
// Every raw score of every task with every skill is computed once (a table).
// Then a setting is arithmetic on rows of scores, written here without
// skilldreamer's code: a test holds the published method and the preset to what
// skilldreamer itself returns.
//
// Settings are judged by R̄, the mean of recall at 5, 10 and 15. That was fixed
// before anything was tried.
package main
