// Package llm holds what any client of a language model needs around the
// interface [prospect.LLM], which a program implements with the client it
// already has.
//
//   - [TestLLM] checks that an implementation keeps the promises of the
//     interface.
//   - [Scripted] answers from a script, for tests without a model.
//   - [Faulty] makes a model fail, break off and dawdle, reproducibly, for
//     tests of what a program does then.
package llm
