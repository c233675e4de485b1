package skillqr

import "time"

// An Event tells a hook what became of one query.
type Event struct {
	// Time of the event.
	Time time.Time
	// Rewrite is shared with the caller: do not change it.
	Rewrite *Rewrite
	// Overlap is [Found].Overlap, −1 where it is not known.
	Overlap float64
	// Kept is [Found].Kept.
	Kept string
}

func (rw *Rewriter) tell(e Event) {
	if rw.opts.Hook != nil {
		e.Time = time.Now()
		rw.opts.Hook(e)
	}
}
