package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/prospect-go/prospect/skill"
)

// A folder of skills, with the name of the source that it makes.
type folder struct {
	name string
	dir  string
}

// addFolders appends the folders of one -skills flag: DIR or NAME=DIR, several
// separated by commas.
func addFolders(to *[]folder, flag string) error {
	for part := range strings.SplitSeq(flag, ",") {
		name, dir, named := strings.Cut(strings.TrimSpace(part), "=")
		if !named {
			name, dir = "", name
		}
		switch {
		case dir == "":
			return errors.New("a folder has no name")
		case named && (name == "" || strings.Contains(name, ":")):
			return fmt.Errorf("%q is no name for a source: it must not be empty and have no colon", name)
		}
		*to = append(*to, folder{name, dir})
	}
	return nil
}

// nameFolders gives each folder without a name that of its last element, and a
// number where that is taken.
func nameFolders(folders []folder) error {
	taken := map[string]bool{}
	for _, f := range folders {
		if f.name != "" && taken[f.name] {
			return fmt.Errorf("-skills has two sources called %q", f.name)
		}
		taken[f.name] = true
	}
	for i := range folders {
		f := &folders[i]
		if f.name != "" {
			continue
		}
		base := "skills"
		if abs, err := filepath.Abs(f.dir); err == nil {
			if b := strings.ReplaceAll(filepath.Base(abs), ":", "_"); b != string(filepath.Separator) {
				base = b
			}
		}
		f.name = base
		for n := 2; taken[f.name]; n++ {
			f.name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[f.name] = true
	}
	return nil
}

// openSources opens the folders; close them with the function returned.
func openSources(folders []folder) ([]skill.Source, func(), error) {
	var roots []*os.Root
	closeAll := func() {
		for _, r := range roots {
			r.Close()
		}
	}
	sources := make([]skill.Source, 0, len(folders))
	for _, f := range folders {
		root, err := skill.OpenDir(f.dir)
		if err != nil {
			closeAll()
			return nil, nil, fmt.Errorf("-skills %s: cannot open the folder (is the path right?): %w", f.dir, err)
		}
		roots = append(roots, root)
		sources = append(sources, skill.Source{Name: f.name, FS: root.FS()})
	}
	return sources, closeAll, nil
}
