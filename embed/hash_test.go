package embed_test

import (
	"context"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func dot(a, b []float32) float64 {
	var s float64
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func ExampleNewHash() {
	e := embed.NewHash(512)
	v, err := e.Embed(context.Background(), prospect.RoleDocument, []string{
		"merge two PDF files",
		"Files: merge PDF.",
		"tune a violin",
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f %.2f\n", dot(v[0], v[1]), dot(v[0], v[2]))
	// Three of four words shared: 3/√(4·3).
	// Output: 0.87 0.00
}

func TestHashIsTheSameEverywhere(t *testing.T) {
	v, err := embed.NewHash(8).Embed(t.Context(), prospect.RoleQuery, []string{"one two two"})
	require.NoError(t, err)
	// "one" and "two" have weights 1 and √2, so the components are
	// 1/√3 = 0.577 and √2/√3 = 0.816, each with its hash's sign and place.
	require.Len(t, v[0], 8)
	var one, two int
	for _, x := range v[0] {
		switch {
		case x > 0.57 && x < 0.58 || x < -0.57 && x > -0.58:
			one++
		case x > 0.81 && x < 0.82 || x < -0.81 && x > -0.82:
			two++
		default:
			require.Zero(t, x)
		}
	}
	require.Equal(t, [2]int{1, 1}, [2]int{one, two})
	golden := []float32{-0.8164966, -0.5773503, 0, 0, 0, 0, 0, 0}
	require.InDeltaSlice(t, golden, v[0], 1e-6)
}

func TestHashIgnoresCaseAndOrder(t *testing.T) {
	e := embed.NewHash(256)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringMatching(`[a-z]{1,9}`).Draw(t, "a"), rapid.StringMatching(`[a-z]{1,9}`).Draw(t, "b")
		v, err := e.Embed(context.Background(), prospect.RoleQuery, []string{a + " " + b, b + "-" + a + "!"})
		require.NoError(t, err)
		require.InDelta(t, 1, dot(v[0], v[1]), 1e-6)
	})
}

func TestHashRefusesAnUnknownRole(t *testing.T) {
	_, err := embed.NewHash(4).Embed(t.Context(), prospect.Role(9), []string{"a"})
	require.ErrorContains(t, err, "Role(9)")
}

func TestHashPanicsWithoutDimension(t *testing.T) {
	require.Panics(t, func() { embed.NewHash(0) })
}

func FuzzHash(f *testing.F) {
	for _, s := range []string{"", "a", "İ", "\xff\xfe", "a\x00b", "红，绿"} {
		f.Add(s)
	}
	e := embed.NewHash(5)
	f.Fuzz(func(t *testing.T, s string) {
		v, err := e.Embed(t.Context(), prospect.RoleDocument, []string{s})
		require.NoError(t, err)
		require.InDelta(t, 1, dot(v[0], v[0]), 1e-5, "%q (%d runes)", s, utf8.RuneCountInString(s))
	})
}
