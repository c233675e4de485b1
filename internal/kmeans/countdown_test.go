package kmeans

import (
	"context"
	"sync"
)

// A countdown is a context that is done once it was asked so often.
type countdown struct {
	context.Context
	mu   sync.Mutex
	left int
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}
