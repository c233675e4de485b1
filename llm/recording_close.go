package llm

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/prospect-go/prospect"
)

// Close ends the recording and, where answers were added, brings the lines of
// the file into a stable order, so that two recordings of the same work differ
// little. Until then every answer is in the file, but in the order in which
// they came. In [Replay] it does nothing. It may be called again.
func (r *Recording) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.opts.Mode == Replay {
		return nil
	}
	r.closed = true
	if r.file == nil { // nothing was added
		return r.failed
	}
	if err := r.file.Close(); err != nil {
		return err
	}
	if !r.dirty {
		return r.failed
	}
	all, err := r.withOthers()
	if err != nil {
		return errors.Join(r.failed, err)
	}
	stableOrder(all)
	return errors.Join(r.failed, (&recordingText{header: r.text.header, entries: all}).save(r.path))
}

// withOthers is what the file is to hold: our entries, and lines that somebody
// else has added meanwhile. These may stand in another file than we have
// written to, which has taken its place.
func (r *Recording) withOthers() ([]Entry, error) {
	all := slices.Clone(r.text.entries)
	now, err := loadRecording(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, prospect.ErrCorrupt):
		return all, nil // removed, or a line of ours is half written
	case err != nil:
		return nil, err
	case now.header.Model != r.text.header.Model:
		return nil, fmt.Errorf("%s: %w: it is now a recording of %q", r.path, prospect.ErrIdentity, now.header.Model)
	}
	ours := make(map[string]int, len(all))
	for _, e := range all {
		b, err := line(e)
		if err != nil {
			return nil, err
		}
		ours[string(b)]++
	}
	for _, e := range now.entries {
		e = r.scrubbed(e)
		b, err := line(e)
		if err != nil {
			return nil, err
		}
		if ours[string(b)]--; ours[string(b)] < 0 {
			all = append(all, e)
		}
	}
	return all, nil
}
