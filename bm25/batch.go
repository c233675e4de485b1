package bm25

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// counted are documents after analysis: per document and field the distinct
// terms and how often it has each.
type counted struct {
	docs    []countedDoc
	lengths []uint32 // of each field of each document
	workers []*counter
}

type countedDoc struct {
	worker   int
	from, to int // entries of the worker, field by field
}

// A counter is what one goroutine found. Its terms have numbers of its own.
type counter struct {
	terms   *dict
	entries []entry
	tf      []uint32 // by term, of the current document; 0 between documents
	seen    []uint32 // terms of the current document, in order of appearance
	length  uint64
}

type entry struct {
	term  uint32
	tf    uint16
	field uint16
}

// count analyzes the texts of docs and more, one after the other, over the
// cores.
func count(ctx context.Context, s *settings, docs, more []Doc) (*counted, error) {
	n := len(docs) + len(more)
	c := &counted{docs: make([]countedDoc, n), lengths: make([]uint32, n*len(s.fields))}
	procs := min(runtime.GOMAXPROCS(0), (n+7)/8)
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for worker := range procs {
		w := &counter{terms: newDict(0)}
		c.workers = append(c.workers, w)
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				d := &c.docs[i]
				d.worker = worker
				d.from = len(w.entries)
				var doc *Doc
				if i < len(docs) {
					doc = &docs[i]
				} else {
					doc = &more[i-len(docs)]
				}
				for f := range s.fields {
					text := doc.Text
					if f > 0 {
						text = doc.Fields[s.fields[f].name]
					}
					c.lengths[i*len(s.fields)+f] = w.count(s.analyzer, text, f)
				}
				d.to = len(w.entries)
			}
		})
	}
	return c, group.Wait()
}

// count appends the entries of a field and returns its length in terms.
func (w *counter) count(a *Analyzer, text string, field int) uint32 {
	w.length = 0
	a.each(text, w.see)
	for _, term := range w.seen {
		w.entries = append(w.entries, entry{term, uint16(min(w.tf[term], maxTF)), uint16(field)})
		w.tf[term] = 0
	}
	w.seen = w.seen[:0]
	return uint32(min(w.length, 1<<32-1))
}

func (w *counter) see(term []byte) {
	n := w.terms.numberBytes(term)
	if int(n) == len(w.tf) {
		w.tf = append(w.tf, 0)
	}
	if w.tf[n] == 0 {
		w.seen = append(w.seen, n)
	}
	w.tf[n]++
	w.length++
}
