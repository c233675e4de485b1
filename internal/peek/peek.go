// Package peek lets the benchmarks of this module see memory that packages keep
// to themselves, so that what is compared is read from the same place.
package peek

// VectorBlocks returns the unit vectors of a *vecindex.Index as they lie in
// memory, pieces of whole vectors in order. Package vecindex sets it. They are
// to be read, not written, and only while the index does not change.
var VectorBlocks func(index any) [][]float32
