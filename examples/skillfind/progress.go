package main

import (
	"fmt"
	"io"
	"time"
)

// progress tells how far the embedding is. It keeps silent for a moment, since
// most galleries are embedded by then; after that it rewrites one line on a
// terminal and writes a line now and then elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	begin    time.Time
	last     time.Time
	shown    bool
	now      func() time.Time
}

const (
	patience      = 500 * time.Millisecond // before the first line
	terminalPause = 100 * time.Millisecond // between lines on a terminal
	plainPause    = 5 * time.Second        // between lines elsewhere
)

func newProgress(w io.Writer) *progress {
	return &progress{w: w, terminal: isTerminal(w), begin: time.Now(), now: time.Now}
}

// show is called after each batch.
func (p *progress) show(done, total int) {
	now := p.now()
	pause := plainPause
	if p.terminal {
		pause = terminalPause
	}
	if done == total || now.Sub(p.begin) < patience || p.shown && now.Sub(p.last) < pause {
		return
	}
	p.last, p.shown = now, true
	line := fmt.Sprintf("embedding skills: %d of %d (%d %%)", done, total, 100*done/total)
	if p.terminal {
		fmt.Fprintf(p.w, "\r%s", line)
	} else {
		fmt.Fprintln(p.w, line)
	}
}

// done clears the line on a terminal.
func (p *progress) done() {
	if p.terminal && p.shown {
		fmt.Fprintf(p.w, "\r%60s\r", "")
	}
}
