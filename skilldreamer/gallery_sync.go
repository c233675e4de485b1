package skilldreamer

import (
	"context"
	"reflect"

	"github.com/prospect-go/prospect/skill"
)

// SyncOptions for [Gallery.Sync]. The zero value has the defaults.
type SyncOptions struct {
	// Load says how the folders are read.
	Load skill.LoadOptions
	// Progress, where it is not nil, is called after each batch of texts with
	// how many are embedded and how many there are to embed.
	Progress func(done, total int)
}

// A SyncReport says what a sync did. Ids come in a fixed order.
type SyncReport struct {
	Added     []string
	Updated   []string
	Removed   []string
	Unchanged int
	// Embedded is how many texts were embedded. A skill whose text stayed the
	// same, or moved to another folder, keeps its vector.
	Embedded int
	// Problems met while loading; see [skill.Loaded].
	Problems []skill.Problem
}

// Sync makes the gallery hold exactly the skills of the sources, the first of
// which has the highest precedence. Only skills whose files changed are taken
// in anew, and only texts that changed are embedded. All or nothing: on error
// the gallery is as it was.
//
// Files that cannot be loaded are in the report, and their skills are not in
// the gallery. A source that cannot be read at all is an error, so that a
// folder which is gone for the moment does not empty the gallery.
func (g *Gallery) Sync(ctx context.Context, sources []skill.Source, opts SyncOptions) (SyncReport, error) {
	loaded, err := skill.LoadSources(ctx, sources, opts.Load)
	if err != nil {
		return SyncReport{Problems: loaded.Problems}, err
	}
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name
	}
	report, err := g.apply(ctx, loaded.Skills, nil, applyOptions{exact: true, sources: names, progress: opts.Progress})
	report.Problems = loaded.Problems
	return report, err
}

// Replace makes the gallery hold exactly these skills, as Sync does for
// folders. Sources have precedence in the order in which they first occur.
func (g *Gallery) Replace(ctx context.Context, skills []*skill.Skill, opts SyncOptions) (SyncReport, error) {
	names := []string{}
	seen := map[string]bool{}
	for _, s := range skills {
		if s != nil && !seen[s.Source] {
			seen[s.Source] = true
			names = append(names, s.Source)
		}
	}
	return g.apply(ctx, skills, nil, applyOptions{exact: true, sources: names, progress: opts.Progress})
}

// equal says that nothing about a skill changed. Files with the same hash need
// no look at their contents.
func equal(a, b *skill.Skill) bool {
	if a == b {
		return true
	}
	if a.Hash != "" && a.Hash == b.Hash {
		return a.Source == b.Source && a.Name == b.Name && a.Dir == b.Dir && a.File == b.File &&
			reflect.DeepEqual(a.Resources, b.Resources)
	}
	return a.Hash == b.Hash && reflect.DeepEqual(a, b)
}
