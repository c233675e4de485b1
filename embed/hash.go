package embed

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"unicode"

	"github.com/prospect-go/prospect"
)

// NewHash gives an embedder for tests. It is a fake: it knows no meaning, only
// words. Every distinct word (a run of letters, digits and marks, in lower
// case) goes to one of dim components with a sign, both taken from its hash:
//
//	v_i = Σ_w s(w)·√tf(w)  over the words w with h(w) mod dim = i
//
// and v is scaled to unit length, so texts that share words have a larger
// inner product than texts that do not, up to collisions: use dim 256 or more
// where ranks matter. A text without words, or one whose words cancel out, gets the
// vector of a word of its own. The role plays no part.
//
// The vectors are the same in every process and on every machine. It panics
// if dim is not positive.
func NewHash(dim int) prospect.Embedder {
	return prospect.NewEmbedder(fmt.Sprintf("embed.hash/1/%d", dim), dim,
		func(ctx context.Context, role prospect.Role, texts []string) ([][]float32, error) {
			if role != prospect.RoleDocument && role != prospect.RoleQuery {
				return nil, fmt.Errorf("%w: unknown role %v", prospect.ErrOption, role)
			}
			vectors := make([][]float32, len(texts))
			for i, text := range texts {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				vectors[i] = hashed(text, dim)
			}
			return vectors, ctx.Err()
		})
}

func hashed(text string, dim int) []float32 {
	tf := map[string]int{}
	var order []string // sums in the order of the text, not of the map
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		if tf[w]++; tf[w] == 1 {
			order = append(order, w)
		}
	}
	sums := make([]float64, dim)
	add := func(word string, weight float64) {
		h := fnv.New64a()
		h.Write([]byte(word)) // a hash does not fail
		x := mix(h.Sum64())
		if x>>63 == 1 {
			weight = -weight
		}
		sums[x%uint64(dim)] += weight
	}
	for _, w := range order {
		add(w, math.Sqrt(float64(tf[w])))
	}
	v := make([]float32, dim)
	if !unit(v, sums) {
		clear(sums)
		add("\x00", 1)
		unit(v, sums)
	}
	return v
}

// mix spreads the bits of an FNV hash, whose high ones are poor for short
// words. It is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit sets dst to sums scaled to length 1; it reports false where they have
// no direction.
func unit(dst []float32, sums []float64) bool {
	var n float64
	for _, x := range sums {
		n += x * x
	}
	// Words that cancel leave rounding errors, not a direction.
	if n < 1e-12 {
		return false
	}
	n = math.Sqrt(n)
	for i, x := range sums {
		dst[i] = float32(x / n)
	}
	return true
}
