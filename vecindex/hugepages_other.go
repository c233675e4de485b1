//go:build !linux

package vecindex

// hugePages does nothing where there is no such advice to give.
func hugePages[T any]([]T) {}
