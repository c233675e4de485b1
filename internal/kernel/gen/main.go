// The program gen writes the assembly of package kernel, one instruction set a
// file:
//
//	go run . -isa avx512 -pkg kernel -out ../avx512_amd64.s -stubs ../avx512_amd64.go
//
// It is a module of its own, so that the library does not depend on what
// generates it. `make kernels` runs it for each file; `make kernels-check`
// proves that the files committed are what it writes.
package main

import (
	"flag"
	"log"
	"os"

	"github.com/mmcloughlin/avo/build"
)

func main() {
	set := flag.NewFlagSet("gen", flag.ExitOnError)
	isa := set.String("isa", "", "avx2, avx512 or avx512vnni")
	flags := build.NewFlags(set)
	_ = set.Parse(os.Args[1:]) // exits on errors

	g := generator{build.NewContext()}
	g.ConstraintExpr("!noasm")
	switch *isa {
	case "avx2":
		// 12 of 16 registers add up; see floatAVX2.
		table := g.maskTable()
		for q := 1; q <= 3; q++ {
			g.kernel(floatAVX2{queries: q, table: table})
		}
		for q := 1; q <= 2; q++ {
			g.kernel(&int8AVX2{queries: q})
		}
	case "avx512":
		// 24 of 32 registers add up; see floatAVX512. One query is no faster than
		// floatAVX2x1, which has the same order of summation.
		for q := 2; q <= 6; q++ {
			g.kernel(&floatAVX512{queries: q})
		}
	case "avx512vnni":
		for q := 1; q <= 4; q++ {
			g.kernel(&int8VNNI{queries: q})
		}
	default:
		log.Fatalf("unknown instruction set %q", *isa)
	}
	os.Exit(build.Main(flags.Config(), g.Context))
}
