//go:build !race

package vecindex

const poolsForget = false
