package skilldreamer_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that no search leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
