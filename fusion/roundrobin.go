package fusion

// A Pick is an item that [RoundRobin] took and where it stood.
type Pick[T any] struct {
	Item T
	List int // the list it was taken from, from 0
	Rank int // its position in that list, from 0
}

// RoundRobin merges lists strictly by rows, left to right: the first item of
// each list, then the second of each, and so on, until k are taken. An item
// whose key was taken before is skipped and nothing takes its place in that
// row: its list waits for the next row as the others do.
//
// It returns fewer than k picks where the lists have fewer distinct keys, and
// none for k ≤ 0. Lists may have any lengths; an empty one is passed over.
// Cost: O(items looked at), at most the sum of the lengths.
//
// Two lists [a b c] and [a d e] with k = 4 give a (list 0, rank 0), b (0, 1),
// d (1, 1), c (0, 2): in row 0 the second list has nothing new.
func RoundRobin[T any, K comparable](lists [][]T, key func(T) K, k int) []Pick[T] {
	rows := 0
	total := 0
	for _, l := range lists {
		rows = max(rows, len(l))
		total += len(l)
	}
	size := max(0, min(k, total))
	picks := make([]Pick[T], 0, size)
	taken := make(map[K]struct{}, size)
	for row := range rows {
		for l, list := range lists {
			if len(picks) >= k {
				return picks
			}
			if row >= len(list) {
				continue
			}
			id := key(list[row])
			if _, dup := taken[id]; dup {
				continue
			}
			taken[id] = struct{}{}
			picks = append(picks, Pick[T]{Item: list[row], List: l, Rank: row})
		}
	}
	return picks
}
