package vecindex

import "math"

// What codes say about a score is an interval.
//
// Let x be a unit vector, x = s·c + e with codes c, and q a query,
// q = t·g + f with codes g. Then
//
//	⟨q,x⟩ = ⟨t·g, s·c⟩ + ⟨f, s·c⟩ + ⟨q, e⟩
//
// and by Cauchy and Schwarz, as ‖s·c‖ = ‖x - e‖ ≤ ‖x‖ + ‖e‖,
//
//	|⟨q,x⟩ - s·t·⟨g,c⟩| ≤ ‖f‖·(‖x‖ + ‖e‖) + ‖q‖·‖e‖
//	                    = ‖e‖·(‖f‖ + ‖q‖) + ‖f‖·‖x‖
//
// with ⟨g,c⟩ exact in integers. It scales with ‖q‖, and is as good for a
// combined vector as for a unit one. Two roundings are added to it. With
// u = 2⁻²⁴:
//
//   - The score is no exact product but a float32 sum of d products. In any
//     order of summation, with or without fusing, the two differ by at most
//     γ·Σ|q_i·x_i| ≤ γ·‖q‖·‖x‖, γ = d·u/(1 - d·u) (Higham, Accuracy and
//     Stability of Numerical Algorithms, section 3.1), as long as nothing leaves
//     the range of normal numbers.
//   - The interval's ends are computed in float32 from ⟨g,c⟩, s·t and ‖e‖. No
//     component of e or f exceeds that of x or q, so ‖s·c‖ ≤ 2‖x‖,
//     ‖t·g‖ ≤ 2‖q‖, and everything added up is at most 4‖q‖·‖x‖ + 3‖q‖·‖x‖.
//     Fewer than 8 operations of relative error u err by less than 64·u·‖q‖·‖x‖.
//
// ‖x‖ ≤ 1.002 holds for rows that Apply makes and for those that Read lets
// pass: it asks for a float32 sum of squares below 1.001, which in four lanes of
// 2¹⁵ numbers is at most 0.2 % too small. Norms of q outside of [1e-10, 1e10] would bring numbers near the ends
// of float32's range into play; such queries are answered without codes. Within,
// what products of components below 2⁻¹²⁶ lose is less than d·2⁻¹⁴⁹, which is
// nothing beside u·‖q‖.

// A coded is what the codes of a query mean.
type coded struct {
	scale  float32 // t
	slope  float32 // ‖f‖ + ‖q‖
	offset float32 // the rest of the bound
}

const (
	maxRowNorm     = 1.002
	minFactorNorm  = 1e-10
	maxFactorNorm  = 1e10
	unitRoundoff   = 1.0 / (1 << 24)
	codedRoundings = 64 * unitRoundoff
)

// codedOf sets values, of q's length, to the codes of a query, and returns false
// for one that is to be answered without codes.
func codedOf(values []int8, q []float32) (coded, bool) {
	norm, err := normOf(q, len(q))
	if err != nil || norm < minFactorNorm || norm > maxFactorNorm {
		return coded{}, false
	}
	scale, f := quantise(values, q)
	du := float64(len(q)) * unitRoundoff
	bound := maxRowNorm * (f + norm*(du/(1-du)+codedRoundings))
	const up = 1 + 1e-6 // above the rounding to float32 and that of the norms
	return coded{scale: scale, slope: float32((f + norm) * up), offset: float32(bound * up)}, true
}

// below is a float32 that is not above x.
func below(x float64) float32 {
	f := float32(x)
	if float64(f) > x {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}
