package skillqr

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/kmeans"
	"github.com/prospect-go/prospect/vecindex"
)

// TextFunc returns the texts of documents, one for each id, in their order. A
// blank text is a document that cannot be shown. It may be called from several
// goroutines at once; an error ends the mining.
type TextFunc func(ctx context.Context, ids []string) ([]string, error)

// A Corpus is documents with the vectors that there are already: nothing is
// embedded again. Make one with [CorpusOf] or [NewCorpus]; it is not changed,
// and may be used from many goroutines.
type Corpus struct {
	ids      []string
	rows     kmeans.Matrix // a row for each id
	text     TextFunc
	embedder string
}

// CorpusOf returns the documents of a vecindex as they are now. A document
// with several vectors counts once, with the direction of their mean. Cost: a
// copy of the vectors.
func CorpusOf(ix *vecindex.Index, text TextFunc) (Corpus, error) {
	if ix == nil {
		return Corpus{}, fmt.Errorf("%w: no index", prospect.ErrOption)
	}
	s := ix.Snapshot()
	return newCorpus(means(s), s.Len(), s.Identity(), text)
}

// NewCorpus returns documents with their vectors, which are copied and scaled
// to unit length. embedder is the identity of what made them; it may be empty.
//
// Errors, in a [*prospect.IDError]: [prospect.ErrEmptyID],
// [prospect.ErrDuplicateID], [prospect.ErrDimension],
// [prospect.ErrZeroVector], [prospect.ErrNotFinite]. [prospect.ErrOption] where
// there is no text or another number of vectors than ids.
func NewCorpus(ids []string, vectors [][]float32, embedder string, text TextFunc) (Corpus, error) {
	if len(ids) != len(vectors) {
		return Corpus{}, fmt.Errorf("%w: %d ids, %d vectors", prospect.ErrOption, len(ids), len(vectors))
	}
	return newCorpus(func(yield func(string, []float32) bool) {
		for i, id := range ids {
			if !yield(id, vectors[i]) {
				return
			}
		}
	}, len(ids), embedder, text)
}

func newCorpus(docs iter.Seq2[string, []float32], n int, embedder string, text TextFunc) (Corpus, error) {
	if text == nil {
		return Corpus{}, fmt.Errorf("%w: no text function", prospect.ErrOption)
	}
	seen := make(map[string]bool, n)
	var last string
	var bad error
	ids, rows, err := kmeans.Gather(func(yield func(string, []float32) bool) {
		for id, v := range docs {
			switch last = id; {
			case id == "":
				bad = &prospect.IDError{ID: id, Err: prospect.ErrEmptyID}
			case seen[id]:
				bad = &prospect.IDError{ID: id, Err: prospect.ErrDuplicateID}
			}
			seen[id] = true
			if bad != nil || !yield(id, v) {
				return
			}
		}
	}, n)
	if bad != nil {
		return Corpus{}, bad
	}
	if err != nil {
		return Corpus{}, &prospect.IDError{ID: last, Err: err}
	}
	return Corpus{ids: ids, rows: rows, text: text, embedder: embedder}, nil
}

// means iterates over the documents of an index, each with its vector or the
// direction of the mean of its vectors. Where these cancel out, it is the
// first.
func means(s *vecindex.Snapshot) iter.Seq2[string, []float32] {
	return func(yield func(string, []float32) bool) {
		var id string
		var sum, first []float32
		n := 0
		flush := func() bool {
			if n == 0 {
				return true
			}
			var norm float64
			for _, x := range sum {
				norm += float64(x) * float64(x)
			}
			// The sum of unit vectors that cancel out is rounding alone.
			if math.Sqrt(norm) < 1e-3 {
				return yield(id, first)
			}
			return yield(id, sum)
		}
		for next, v := range s.All() {
			if n > 0 && next == id {
				for i, x := range v {
					sum[i] += x
				}
				n++
				continue
			}
			if !flush() {
				return
			}
			id, n, sum, first = next, 1, v, slices.Clone(v)
		}
		flush()
	}
}

// Len is the number of documents.
func (c Corpus) Len() int { return len(c.ids) }

// Fingerprint tells the corpus from others. Cost: a hash over the vectors.
func (c Corpus) Fingerprint() Fingerprint {
	return fingerprint(c.ids, c.digests(), c.embedder)
}

// A vectorHash stands for a vector, to see whether a document changed.
type vectorHash [8]byte

func (c Corpus) digests() []vectorHash {
	out := make([]vectorHash, len(c.ids))
	row := make([]byte, 4*c.rows.Dim)
	for i := range out {
		for j, x := range c.rows.Row(i) {
			binary.LittleEndian.PutUint32(row[4*j:], math.Float32bits(x))
		}
		sum := sha256.Sum256(row)
		out[i] = vectorHash(sum[:8])
	}
	return out
}

func fingerprint(ids []string, digests []vectorHash, embedder string) Fingerprint {
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(ids[a], ids[b]) })
	h := sha256.New()
	for _, i := range order {
		fmt.Fprintf(h, "%d:%s%s", len(ids[i]), ids[i], digests[i][:])
	}
	return Fingerprint{Documents: len(ids), Hash: hex.EncodeToString(h.Sum(nil)[:16]), Embedder: embedder}
}

// texts returns the texts of documents, as [TextFunc] promises them.
func (c Corpus) texts(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	texts, err := c.text(ctx, slices.Clone(ids))
	if err != nil {
		return nil, fmt.Errorf("skillqr: texts of documents: %w", err)
	}
	if len(texts) != len(ids) {
		return nil, fmt.Errorf("%w: the text function gave %d texts for %d ids", prospect.ErrContract, len(texts), len(ids))
	}
	return texts, nil
}
