package builtin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/builtin"
)

// BenchmarkEmbed gives the throughput (texts/s) of batches and the latency of
// single texts. Run it with -cpu 1,2.
func BenchmarkEmbed(b *testing.B) {
	e := open(b)
	for _, tokens := range []int{16, 64, 256} {
		special, _ := e.Tokens(prospect.RoleDocument, "")
		words := strings.Fields(strings.Repeat("find the right skill for a task ", tokens))
		text := strings.Join(words[:tokens-special], " ") // a word is a token
		if n, _ := e.Tokens(prospect.RoleDocument, text); n != tokens {
			b.Fatalf("%d tokens, not %d", n, tokens)
		}
		for _, texts := range []int{1, 32, 1024} {
			b.Run(fmt.Sprintf("tokens=%d/texts=%d", tokens, texts), func(b *testing.B) {
				batch := slices.Repeat([]string{text}, texts)
				b.ReportAllocs()
				b.SetBytes(int64(texts * len(text)))
				for b.Loop() {
					if _, err := e.Embed(b.Context(), prospect.RoleDocument, batch); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(texts*b.N)/b.Elapsed().Seconds(), "texts/s")
			})
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		e, err := builtin.Open(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Embed(b.Context(), prospect.RoleQuery, []string{"find the right skill"}); err != nil {
			b.Fatal(err)
		}
		if err := e.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
