package main

import (
	"math"
	"math/rand/v2"
)

const folds, repeats = 5, 200

// heldOut chooses the setting with the best mean on four fifths of the tasks,
// by choose[setting][task], and says what it gains over setting 0 on the last
// fifth, by test[setting][task]; in turn for each fifth, and again with others.
// It gives the mean gain of each task, and how often each setting was chosen.
// Ties go to the setting that comes first.
func heldOut(choose, test [][]float64) (gains []float64, chosen []int) {
	n := len(choose[0])
	gains, chosen = make([]float64, n), make([]int, len(choose))
	rng := rand.New(rand.NewPCG(5, 6))
	for range repeats {
		order := rng.Perm(n)
		for f := range folds {
			top, topSum := 0, math.Inf(-1)
			for s := range choose {
				var sum float64
				for at, i := range order {
					if at%folds != f {
						sum += choose[s][i]
					}
				}
				if sum > topSum+1e-12 {
					top, topSum = s, sum
				}
			}
			chosen[top]++
			for at, i := range order {
				if at%folds == f {
					gains[i] += (test[top][i] - test[0][i]) / repeats
				}
			}
		}
	}
	return gains, chosen
}
