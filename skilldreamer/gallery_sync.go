package skilldreamer

import (
	"context"
	"reflect"
	"slices"
	"strings"

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
	// Kept are skills whose file or folder could not be read this time. They
	// stay as they were; Problems says what was in the way.
	Kept []string
	// Embedded is how many texts were embedded. A skill whose text stayed the
	// same, or moved to another folder, keeps its vector.
	Embedded int
	// Problems met while loading; see [skill.Loaded].
	Problems []skill.Problem
}

// Sync makes the gallery hold exactly the skills of the sources, the first of
// which has the highest precedence. Only skills that changed are taken in anew,
// and only texts that changed are embedded. All or nothing: on error, ctx.Err()
// among them, the gallery is as it was, and what was embedded by then is lost.
//
// Files that hold no skill are in the report, and not in the gallery. What
// cannot be read for the moment keeps its skills (see Kept), and a source that
// cannot be read at all is an error, so that a folder which is out of reach
// does not empty the gallery.
//
// It is a writer for all of its time: a progress callback must not change the
// gallery.
func (g *Gallery) Sync(ctx context.Context, sources []skill.Source, opts SyncOptions) (SyncReport, error) {
	if err := g.lock(ctx); err != nil {
		return SyncReport{}, err
	}
	defer g.unlock()
	loaded, err := skill.LoadSources(ctx, sources, opts.Load)
	if err != nil {
		return SyncReport{Problems: loaded.Problems}, err
	}
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name
	}
	report, err := g.apply(ctx, change{
		skills: loaded.Skills, exact: true, keep: g.outOfReach(loaded.Problems), sources: names, progress: opts.Progress,
	})
	report.Problems = loaded.Problems
	return report, err
}

// outOfReach says whether a skill of the present state lies where something
// could not be read.
func (g *Gallery) outOfReach(problems []skill.Problem) func(id string) bool {
	old := g.current.Load()
	var unread []skill.Problem
	for _, p := range problems {
		if p.Kind == skill.Unreadable {
			unread = append(unread, p)
		}
	}
	return func(id string) bool {
		s := old.skills[id].skill
		return slices.ContainsFunc(unread, func(p skill.Problem) bool {
			return p.Source == s.Source && (p.Path == "." || s.File == p.Path || strings.HasPrefix(s.File, p.Path+"/"))
		})
	}
}

// Replace makes the gallery hold exactly these skills, as Sync does for
// folders. Sources have precedence in the order in which they first occur.
func (g *Gallery) Replace(ctx context.Context, skills []*skill.Skill, opts SyncOptions) (SyncReport, error) {
	if err := g.lock(ctx); err != nil {
		return SyncReport{}, err
	}
	defer g.unlock()
	names := []string{}
	seen := map[string]bool{}
	for _, s := range skills {
		if s != nil && !seen[s.Source] {
			seen[s.Source] = true
			names = append(names, s.Source)
		}
	}
	return g.apply(ctx, change{skills: skills, exact: true, sources: names, progress: opts.Progress})
}

// equal says that nothing about a skill changed. Contents are compared, not
// only the files' hashes: skills may be changed by hand, and a newer parser may
// read the same file otherwise.
func equal(a, b *skill.Skill) bool { return a == b || reflect.DeepEqual(a, b) }
