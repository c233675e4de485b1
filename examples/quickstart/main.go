// Command quickstart finds skills for a task. The README shows it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed/builtin"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

func main() {
	ctx := context.Background()
	embedder := must(builtin.Open(ctx))
	defer embedder.Close()
	gallery := must(skilldreamer.NewGallery(embedder, skilldreamer.GalleryOptions{}))
	loaded := must(skill.LoadDir(ctx, "testdata/skills", skill.LoadOptions{}))
	must(gallery.Replace(ctx, loaded.Skills, skilldreamer.SyncOptions{}))

	var model prospect.LLM // nil: plain retrieval; prospect.NewLLM makes one of a client of yours
	dreamer := must(skilldreamer.New(gallery, model, skilldreamer.Options{K: 3}))
	result := must(dreamer.Find(ctx, skilldreamer.Request{Task: "Count the mites on our bees before winter."}))
	for _, m := range result.Skills {
		fmt.Printf("%d. %-22s %.2f  %.60s…\n", m.Rank, m.Name, m.Scores.Total, m.Skill.Description)
	}
	for _, n := range result.Notes {
		fmt.Println(n.Text)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
