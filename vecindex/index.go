package vecindex

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/docids"
	"github.com/prospect-go/prospect/internal/kernel"
)

// maxDim bounds a dimension; it keeps a row below 4 MiB and file lengths sane.
const maxDim = 1 << 20

// Options for [New], [Open] and [Read]. The zero value has the defaults.
type Options struct {
	// Identity of the embedder (and recipe) that makes the vectors. It is
	// saved with the index. Open and Read refuse a file of another identity;
	// empty, the default, takes over whatever the file has.
	Identity string
	// MaxDead is the share of rows, at most 1, that may be left over from
	// deletes and updates before a change compacts the index. Default 0.25; 1
	// leaves it to Compact. Fewer than 1,024 such rows are left alone.
	MaxDead float64
	// Quantize keeps a copy of the vectors in eight bits a component, for
	// dim + 8 bytes a vector more: 26 % at 384 dimensions. Search, SearchBatch
	// and ScoreBatch read the copy, and the exact vectors only of the few
	// documents that may be among the best. Hits and scores are the same, bit
	// for bit. It is not saved: Open and Read make it anew. Default false.
	Quantize bool
}

// Validate reports a MaxDead that is no share: [prospect.ErrOption].
func (o Options) Validate() error {
	if !(o.MaxDead >= 0 && o.MaxDead <= 1) {
		return fmt.Errorf("%w: MaxDead is %v, want 0 to 1", prospect.ErrOption, o.MaxDead)
	}
	return nil
}

// An Index holds documents, each an id and one or more unit vectors. See the package
// comment for concurrency. Use New, Open or Read to make one.
type Index struct {
	maxDead float64

	mu   sync.Mutex // one writer; guards docs and vecs
	docs *docids.Table
	vecs vectors

	current atomic.Pointer[Snapshot]
}

// New returns an empty index of vectors with dim components. Errors:
// [prospect.ErrDimension] for a dim below 1 or above 2²⁰ (131,071 with
// Quantize) and [prospect.ErrOption].
func New(dim int, opts Options) (*Index, error) {
	limit := maxDim
	if opts.Quantize {
		limit = kernel.MaxDimInt8
	}
	if dim < 1 || dim > limit {
		return nil, fmt.Errorf("%w: %d, want 1 to %d", prospect.ErrDimension, dim, limit)
	}
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	ix := &Index{maxDead: opts.MaxDead, docs: docids.NewTable(), vecs: newVectors(dim, opts.Quantize)}
	if ix.maxDead == 0 {
		ix.maxDead = 0.25
	}
	ix.current.Store(&Snapshot{identity: opts.Identity})
	ix.publish()
	return ix, nil
}

// publish makes the writer's state the current one; the caller holds mu.
func (ix *Index) publish() {
	ix.current.Store(&Snapshot{
		identity: ix.current.Load().identity,
		docs:     ix.docs.View(),
		vecs:     ix.vecs,
	})
}

// Snapshot returns the current state. It never changes and stays valid
// whatever happens to the index. Cost: O(1). It keeps its rows in memory for
// as long as it is held.
func (ix *Index) Snapshot() *Snapshot { return ix.current.Load() }
