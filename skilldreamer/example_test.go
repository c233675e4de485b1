package skilldreamer_test

import (
	"context"
	"fmt"
	"log"

	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/skill"
	"github.com/prospect-go/prospect/skilldreamer"
)

// An agent that has already reasoned about its task brings what it imagined,
// and no model is asked.
func ExampleDreamer_Retrieve() {
	ctx := context.Background()
	gallery, err := skilldreamer.NewGallery(embed.NewHash(4096), skilldreamer.GalleryOptions{}) // builtin.Open in a real program
	if err != nil {
		log.Fatal(err)
	}
	err = gallery.Put(ctx,
		&skill.Skill{Name: "query-plan-reading", Description: "Read an EXPLAIN plan and find the slow node."},
		&skill.Skill{Name: "regression-bisection", Description: "Find the commit that made a test slow or red with git bisect."},
		&skill.Skill{Name: "bread-formula", Description: "Scale a bread formula by baker's percentage."},
	)
	if err != nil {
		log.Fatal(err)
	}
	dreamer, err := skilldreamer.New(gallery, nil, skilldreamer.Options{K: 2})
	if err != nil {
		log.Fatal(err)
	}
	result, err := dreamer.Retrieve(ctx, skilldreamer.Request{Task: "The page with the orders crawls since last week."}, &skilldreamer.Imagined{
		Capabilities: []skilldreamer.Capability{
			{Text: "Find the commit that made a test slow, by halving."},
			{Text: "Find out why a query is slow.", Skill: &skilldreamer.ImaginedSkill{
				Name: "slow-query-diagnosis", Description: "Read the plan of a slow query.", Body: "1. EXPLAIN (ANALYZE). 2. Find the node that takes the time."}},
		},
		Anchors: []string{"EXPLAIN", "plan"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range result.Skills {
		fmt.Printf("%d. %s, for capability %d\n", m.Rank, m.Name, m.Capability)
	}
	// Output:
	// 1. regression-bisection, for capability 0
	// 2. query-plan-reading, for capability 1
}
