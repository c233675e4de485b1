package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAClockTellsStagesApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{spent: map[stage]time.Duration{}}
		stop := c.run(embedding)
		time.Sleep(2 * time.Millisecond)
		stop()
		stop = c.run(words)
		time.Sleep(3 * time.Millisecond)
		stop()
		stop = c.run(words)
		time.Sleep(4 * time.Millisecond)
		stop()
		require.Equal(t, map[stage]time.Duration{embedding: 2 * time.Millisecond, words: 7 * time.Millisecond}, c.spent)
	})
	(*clock)(nil).run(words)()
}

func TestLatencyIsThatOfTheMiddleHalf(t *testing.T) {
	var taken []timing
	for _, n := range []int{100, 2, 3, 1, 4, 5, 6, 200} { // milliseconds
		total := time.Duration(n) * time.Millisecond
		taken = append(taken, timing{total, map[stage]time.Duration{words: total / 2, rest: total - total/2}})
	}
	l := newLatency(taken)
	require.Equal(t, 8, l.queries)
	require.Equal(t, 4*time.Millisecond, l.median)
	require.Equal(t, 200*time.Millisecond, l.p95)
	require.Equal(t, 4500*time.Microsecond, l.whole()) // of 3, 4, 5 and 6
	require.Equal(t, l.middle[words], l.middle[rest])
	require.Equal(t, &latencyRecord{8, 4, 200, map[string]float64{"words": 2.25, "merge": 2.25}}, l.record())

	one := newLatency(taken[:1])
	require.Equal(t, taken[0].total, one.whole())
}

// The stages of a real run sum up to the whole, and are those that the system
// has.
func TestLatencySplitsAQuery(t *testing.T) {
	s := newTinyStudy(t, "bm25,dense,skilldreamer,skilldreamer-hybrid,skilldreamer@alpha=0,no-ci")
	require.NoError(t, s.run(t.Context(), newProgress(discard{})))
	for i, want := range [][]stage{{words}, {embedding, score}, {embedding, score, words}, {embedding, score, words}} {
		l := s.results[i].latency
		require.NotNil(t, l)
		require.Equal(t, len(s.coll.queries), l.queries)
		for _, st := range want {
			require.Positive(t, l.middle[st], "%s: %s", s.results[i].plan.name, st)
		}
		require.Zero(t, l.middle[thinking])
	}
	require.Nil(t, s.results[4].latency)
	require.Nil(t, s.results[5].latency)
}
