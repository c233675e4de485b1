package bm25

import (
	"fmt"
	"math"

	"github.com/prospect-go/prospect"
)

// A Variant is a form of the BM25 formula; see the package comment for each.
type Variant string

// The variants. The empty Variant is Lucene.
const (
	Lucene    Variant = "lucene"
	Robertson Variant = "robertson"
	ATIRE     Variant = "atire"
	BM25L     Variant = "bm25l"
	BM25Plus  Variant = "bm25+"
)

func (v Variant) hasDelta() bool { return v == BM25L || v == BM25Plus }

// Options of an [Index]. The zero value has the defaults. Parameters that may
// well be 0 are pointers: Options{B: new(0.0)} switches length normalisation
// off, Options{} leaves it at 0.75.
type Options struct {
	// Variant of the formula. Default [Lucene].
	Variant Variant
	// K1 says how soon more occurrences of a term stop adding to the score;
	// 0 counts presence alone. Finite, at least 0. Default 1.2.
	K1 *float64
	// B is how much long documents are held back, from 0 to 1. Default 0.75.
	B *float64
	// Delta is the δ of [BM25L] (default 0.5) and [BM25Plus] (default 1),
	// finite, at least 0. The other variants have none.
	Delta *float64
	// Fields are the parts of documents beside their Text. Default: none.
	Fields []Field
	// Analyzer makes terms of texts. Default: [Standard] with its defaults.
	Analyzer *Analyzer
	// MaxQueryTerms, where it is positive, bounds the distinct terms of a
	// query that are scored: the rarest are kept, among equally rare ones
	// those that sort first. Default 0: all of them.
	MaxQueryTerms int
	// MaxImpacts bounds the postings whose part of the score a snapshot keeps
	// in memory once their terms were searched for twice, with 8 bytes each, 12
	// with fields; a term counts as 32 postings more. Default 4,194,304 (32
	// MiB); none where it is negative.
	MaxImpacts int
	// MaxDead is the share of rows, from 0 to 1, that may belong to deleted
	// or updated documents before a change compacts the index. Default 0.25;
	// 1 leaves it to Compact. Indexes with fewer than 1,024 dead rows are left
	// alone.
	MaxDead float64
}

// Validate reports values out of range ([prospect.ErrOption]).
func (o Options) Validate() error {
	switch o.Variant {
	case "", Lucene, Robertson, ATIRE, BM25L, BM25Plus:
	default:
		return fmt.Errorf("%w: bm25: unknown variant %q", prospect.ErrOption, o.Variant)
	}
	for _, p := range []struct {
		name  string
		value *float64
		max   float64
	}{{"K1", o.K1, math.MaxFloat32}, {"B", o.B, 1}, {"Delta", o.Delta, math.MaxFloat32}} {
		if p.value != nil && !(*p.value >= 0 && *p.value <= p.max) {
			return fmt.Errorf("%w: bm25: %s is %v, want 0 to %v", prospect.ErrOption, p.name, *p.value, p.max)
		}
	}
	if err := validateFields(o.Fields); err != nil {
		return err
	}
	if o.MaxQueryTerms < 0 {
		return fmt.Errorf("%w: bm25: MaxQueryTerms is %d, want at least 0", prospect.ErrOption, o.MaxQueryTerms)
	}
	if !(o.MaxDead >= 0 && o.MaxDead <= 1) {
		return fmt.Errorf("%w: bm25: MaxDead is %v, want 0 to 1", prospect.ErrOption, o.MaxDead)
	}
	return nil
}

// A QueryTerm is a term, as the analyzer makes it, and how much it counts.
// The terms of a plain text query weigh 1 for each occurrence.
type QueryTerm struct {
	Term   string
	Weight float64 // finite, at least 0
}

var _ prospect.Searcher = (*Index)(nil)
var _ prospect.Searcher = (*Snapshot)(nil)
