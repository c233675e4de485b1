package bm25

import (
	"hash/maphash"
	"sync/atomic"
)

// seed of the hashes of terms. It decides where a term lies in memory and
// nothing that can be seen.
var seed = maphash.MakeSeed()

// A dict numbers terms from 0 in the order in which they first came. It has
// one writer, and readers through views, without locks.
//
// Invariant: a term keeps its number; terms are appended only; a slot once
// set never changes. So a view, which knows a number of terms and the slots
// of its time, finds its terms however far the writer has gone: later terms
// lie beyond its number, and a larger table replaces the slots but leaves the
// old ones to those who have them.
type dict struct {
	terms []string
	slots *slots
}

// slots are an open-addressing hash table with linear probing. A slot is 0
// when free, else the low 32 bits of the hash above the term's number + 1.
type slots struct {
	at   []atomic.Uint64 // a power of two, at most half of them set
	mask uint32
}

func newDict(terms int) *dict {
	size := 64
	for size < 2*terms {
		size *= 2
	}
	return &dict{terms: make([]string, 0, terms), slots: newSlots(size)}
}

func newSlots(size int) *slots {
	return &slots{at: make([]atomic.Uint64, size), mask: uint32(size - 1)}
}

// view is the dict as it is now. Cost: O(1).
func (d *dict) view() dict { return dict{terms: d.terms[:len(d.terms):len(d.terms)], slots: d.slots} }

// find returns the number of a term.
func (d *dict) find(term string) (uint32, bool) {
	return d.probe(uint32(maphash.String(seed, term)), term)
}

// findBytes is find without a string.
func (d *dict) findBytes(term []byte) (uint32, bool) {
	// string(term) in the comparisons alone does not allocate, but a call does.
	hash := uint32(maphash.Bytes(seed, term))
	if d.slots == nil {
		return 0, false
	}
	for i := hash & d.slots.mask; ; i = (i + 1) & d.slots.mask {
		slot := d.slots.at[i].Load()
		if slot == 0 {
			return 0, false
		}
		if n := uint32(slot) - 1; uint32(slot>>32) == hash && int(n) < len(d.terms) && d.terms[n] == string(term) {
			return n, true
		}
	}
}

func (d *dict) probe(hash uint32, term string) (uint32, bool) {
	if d.slots == nil {
		return 0, false
	}
	for i := hash & d.slots.mask; ; i = (i + 1) & d.slots.mask {
		slot := d.slots.at[i].Load()
		if slot == 0 {
			return 0, false
		}
		if n := uint32(slot) - 1; uint32(slot>>32) == hash && int(n) < len(d.terms) && d.terms[n] == term {
			return n, true
		}
	}
}

// number returns the number of a term, a new one where it has none. It is the
// writer's.
func (d *dict) number(term string) uint32 {
	hash := uint32(maphash.String(seed, term))
	if n, ok := d.probe(hash, term); ok {
		return n
	}
	return d.insert(hash, term)
}

// numberBytes is number with a string allocated for new terms alone.
func (d *dict) numberBytes(term []byte) uint32 {
	if n, ok := d.findBytes(term); ok {
		return n
	}
	return d.insert(uint32(maphash.Bytes(seed, term)), string(term))
}

func (d *dict) insert(hash uint32, term string) uint32 {
	n := uint32(len(d.terms))
	if 2*len(d.terms) >= len(d.slots.at) {
		larger := newSlots(2 * len(d.slots.at))
		for i := range d.slots.at {
			if slot := d.slots.at[i].Load(); slot != 0 {
				larger.put(slot)
			}
		}
		d.slots = larger
	}
	d.terms = append(d.terms, term)
	d.slots.put(uint64(hash)<<32 | uint64(n+1))
	return n
}

func (s *slots) put(slot uint64) {
	i := uint32(slot>>32) & s.mask
	for s.at[i].Load() != 0 {
		i = (i + 1) & s.mask
	}
	s.at[i].Store(slot)
}
