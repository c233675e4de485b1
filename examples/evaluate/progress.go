package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress tells how far the work is. It keeps silent for a moment, since much
// of it is done by then; after that it rewrites one line on a terminal and
// writes a line now and then elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	begin    time.Time
	last     time.Time
	width    int // of the line that is shown
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

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// show is called after each piece of the work.
func (p *progress) show(what string, done, total int) {
	now := p.now()
	pause := plainPause
	if p.terminal {
		pause = terminalPause
	}
	if now.Sub(p.begin) < patience || now.Sub(p.last) < pause {
		return
	}
	p.last = now
	line := fmt.Sprintf("%s: %d of %d", clean(what), done, total)
	if !p.terminal {
		fmt.Fprintln(p.w, line)
		return
	}
	fmt.Fprintf(p.w, "\r%-*s", p.width, line)
	p.width = len([]rune(line))
}

// done clears the line on a terminal.
func (p *progress) done() {
	if p.terminal && p.width > 0 {
		fmt.Fprintf(p.w, "\r%*s\r", p.width, "")
		p.width = 0
	}
}
