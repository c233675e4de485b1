package skill

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/prospect-go/prospect"
)

// A Source is a named place that skills come from, for example "project".
type Source struct {
	// Name is unique among the sources of a call, not empty, and has no colon.
	Name string
	// FS holds the skills; see [OpenDir] for a folder on disk.
	FS fs.FS
}

// LoadSources loads several sources in order of precedence, first wins.
//
// Nothing is dropped: a skill whose name also occurs in an earlier source is
// kept and reported as [ShadowedName], since a request may choose the sources it
// looks in; [Loaded.Visible] applies the precedence. The error is as for [Load];
// it names the source.
func LoadSources(ctx context.Context, sources []Source, opts LoadOptions) (Loaded, error) {
	seen := make(map[string]bool, len(sources))
	for i, source := range sources {
		if source.Name == "" || strings.Contains(source.Name, ":") || seen[source.Name] {
			return Loaded{}, fmt.Errorf("%w: source %d is called %q", prospect.ErrOption, i, source.Name)
		}
		seen[source.Name] = true
	}
	var all Loaded
	for _, source := range sources {
		opts.Source = source.Name
		one, err := loadOne(ctx, source.FS, opts)
		if err != nil {
			return Loaded{}, fmt.Errorf("source %q: %w", source.Name, err)
		}
		all.Skills = append(all.Skills, one.Skills...)
		all.Problems = append(all.Problems, one.Problems...)
	}
	all.Problems = append(all.Problems, compare(all.Skills)...)
	return all, nil
}

// Visible returns the skills that a request sees which looks in the named
// sources only, or in all if none is named: of skills with one name that come
// from several of these sources, those of the source of highest precedence. The
// order is kept. Sources that are not there are passed over.
func (l Loaded) Visible(sources ...string) []*Skill {
	owner := make(map[string]string) // name → source that it is taken from
	var visible []*Skill
	for _, s := range l.Skills {
		if len(sources) > 0 && !slices.Contains(sources, s.Source) {
			continue
		}
		if from, taken := owner[s.Name]; taken && from != s.Source {
			continue
		}
		owner[s.Name] = s.Source
		visible = append(visible, s)
	}
	return visible
}
