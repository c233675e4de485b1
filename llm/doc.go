// Package llm holds what any client of a language model needs around the
// interface [prospect.LLM], which a program implements with the client it
// already has.
//
// # Around a client
//
// Each of these takes a model and gives a model with the same identity, so
// that they can be put together; all are safe for concurrent use.
//
//   - [Log] tells a *slog.Logger of every call.
//   - [Meter] counts calls and tokens, by label if asked.
//   - [Cache] keeps answers on disk, so that what was paid for is paid once.
//   - [Retry] calls again after errors that may go away, with growing random
//     waits.
//   - [Budget] bounds calls, tokens and time of a piece of work; what is beyond
//     is refused with [ErrBudget].
//   - [Limit] bounds the calls at once.
//
// The order that fits most programs, from the outside:
//
//	Log ► Cache ► Retry ► Meter ► Budget ► Limit ► the client
//
// Then what the cache answers costs nothing, every attempt is counted and
// paid from the budget, and no call holds a place while it waits to be tried
// again. A meter outside the cache counts what is asked rather than what is
// paid for.
//
// # Instead of a client
//
//   - [Recording] keeps a model's answers in a text file and gives them again,
//     for tests and evaluations. It stands where the client would, or around
//     all of the above. Its file can be made and completed by hand.
//   - [Scripted] answers from a script, for tests without a model.
//   - [Faulty] makes a model fail, break off, lie and dawdle, reproducibly, for
//     tests of what a program does then.
//
// [TestLLM] checks that an implementation keeps the promises of the interface.
package llm
