package builtin_test

import (
	"context"
	"fmt"
	"log"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/builtin"
)

func ExampleOpen() {
	ctx := context.Background()
	e, err := builtin.Open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	skills := []string{
		"Tune a violin and other string instruments",
		"Merge, split and rotate PDF documents",
		"Forecast sales from past quarters",
	}
	documents, err := e.Embed(ctx, prospect.RoleDocument, skills)
	if err != nil {
		log.Fatal(err)
	}
	query, err := e.Embed(ctx, prospect.RoleQuery, []string{"put two Acrobat files together"})
	if err != nil {
		log.Fatal(err)
	}
	best := 0
	for i, d := range documents {
		if dot(query[0], d) > dot(query[0], documents[best]) {
			best = i
		}
	}
	fmt.Println(skills[best])
	// Output: Merge, split and rotate PDF documents
}
