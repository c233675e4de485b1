//go:build race

package vecindex

// poolsForget: under the race detector a sync.Pool drops what it is given at
// random.
const poolsForget = true
