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

func find(ctx context.Context, folder string, model prospect.LLM, task string) (*skilldreamer.Result, error) {
	embedder, err := builtin.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer embedder.Close()
	gallery, err := skilldreamer.NewGallery(embedder, skilldreamer.GalleryOptions{})
	if err != nil {
		return nil, err
	}
	loaded, err := skill.LoadDir(ctx, folder, skill.LoadOptions{})
	if err != nil {
		return nil, err
	}
	if _, err := gallery.Replace(ctx, loaded.Skills, skilldreamer.SyncOptions{}); err != nil {
		return nil, err
	}
	dreamer, err := skilldreamer.New(gallery, model, skilldreamer.Options{K: 5})
	if err != nil {
		return nil, err
	}
	return dreamer.Find(ctx, skilldreamer.Request{Task: task})
}

func main() {
	// A nil model gives plain retrieval; see prospect.NewLLM for your own.
	result, err := find(context.Background(), "testdata/skills", nil, "Which of last week's changes made the page slow?")
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range result.Skills {
		fmt.Printf("%d. %-26s %.2f  %s\n", m.Rank, m.Skill.Name, m.Scores.Total, m.Skill.Description)
	}
}
