// Package answer takes a structured value out of what a language model wrote.
//
// A model that is asked for JSON gives, often enough, something else: its
// reasoning first, a Markdown fence, chat around the value, single quotes,
// trailing commas, an answer that breaks off, a list where an object was
// asked. [Decode] reads such text into a Go value and checks it; [Ask] calls a
// model, decodes, and on failure asks once more with the error.
//
// # How a text is read
//
//	text ── scan ──► candidate values, reasoning left out
//	candidate ── parse: strict JSON if it is, else with repairs ──► tree
//	tree ── coerce by the Go type: 3 for "3", one item for a list ──► JSON
//	JSON ── encoding/json ──► T ── validate ──► the answer, or the next candidate
//
// Of several values that validate, one that is whole is taken before one that
// breaks off, then one of the kind that was asked for (list or object), then
// the last: models draft first and conclude last. Where no JSON is found,
// Markdown headings and bulleted lists are read.
//
// # Hooks
//
// A type with an UnmarshalJSON method is handed its value as it was (repaired,
// not coerced): that is the place to accept, say, a bare string where an
// object was asked. [Unmarshal] helps to write one.
//
// # Bounds
//
// The text is untrusted. It is never executed or followed; texts over
// [MaxBytes] are refused, nesting deeper than [MaxDepth] is not read, the time
// is linear in the length of the text, and no input panics.
package answer
