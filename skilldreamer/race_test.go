//go:build race

package skilldreamer_test

import "github.com/viterin/vek"

// The race detector does not see what assembly reads.
func init() { vek.SetAcceleration(false) }
