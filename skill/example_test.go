package skill_test

import (
	"context"
	"errors"
	"fmt"
	"testing/fstest"

	"github.com/prospect-go/prospect/skill"
)

func ExampleLoad() {
	gallery := fstest.MapFS{
		"pdf-forms/SKILL.md": {Data: []byte(`---
name: pdf-forms
description: Fill in PDF forms. Use when: a form is to be filled in.
---
Find the fields first.
`)},
		"pdf-forms/scripts/fill.py": {Data: []byte("print()")},
		"notes/SKILL.md":            {Data: []byte("Only notes.")},
	}
	loaded, err := skill.Load(context.Background(), gallery, skill.LoadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range loaded.Skills {
		fmt.Println(s.Name, "|", s.Description, "|", s.Resources)
	}
	for _, p := range loaded.Problems {
		fmt.Println(p)
	}
	// Output:
	// pdf-forms | Fill in PDF forms. Use when: a form is to be filled in. | [scripts/fill.py]
	// notes/SKILL.md: error: no front matter: so there is no description
	// pdf-forms/SKILL.md:3: warning: repaired YAML: took the value of description as plain text: yaml: mapping values are not allowed in this context
}

func ExampleLoadSources() {
	project := fstest.MapFS{"review/SKILL.md": {Data: []byte("---\nname: review\ndescription: Review as this project does.\n---\nBe kind.")}}
	user := fstest.MapFS{
		"review/SKILL.md": {Data: []byte("---\nname: review\ndescription: Review as I do.\n---\nBe quick.")},
		"commit/SKILL.md": {Data: []byte("---\nname: commit\ndescription: Write a commit message.\n---\nSay why.")},
	}
	loaded, err := skill.LoadSources(context.Background(), []skill.Source{
		{Name: "project", FS: project}, // goes first
		{Name: "user", FS: user},
	}, skill.LoadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range loaded.Visible() {
		fmt.Println(s.Key(), "|", s.Description)
	}
	fmt.Println(loaded.Problems[0])
	// Output:
	// project:review | Review as this project does.
	// user:commit | Write a commit message.
	// user:review/SKILL.md: warning: shadowed name: "review" is in the source "project" too, which goes first
}

func ExampleParse() {
	data := []byte("---\nname: Tidy Up\ndescription: Tidy a folder.\n---\n# Tidy up\n")
	s, problems, err := skill.Parse(data, skill.ParseOptions{Folder: "tidy-up"})
	fmt.Println(s.Name, len(problems), err)

	_, _, err = skill.Parse(data, skill.ParseOptions{Folder: "tidy-up", Strict: true})
	fmt.Println(errors.Is(err, skill.InvalidName), errors.Is(err, skill.NameMismatch))
	// Output:
	// Tidy Up 2 <nil>
	// true true
}

func ExampleSkill_Markdown() {
	s := &skill.Skill{
		Name:         "unit-tests",
		Description:  "Write unit tests. Use when: code has none.",
		AllowedTools: []string{"Read", "Bash(go test:*)"},
		Body:         "# Unit tests\n\nStart with the edges.",
	}
	fmt.Printf("%s", s.Markdown())
	// Output:
	// ---
	// name: unit-tests
	// description: 'Write unit tests. Use when: code has none.'
	// allowed-tools: Read Bash(go test:*)
	// ---
	//
	// # Unit tests
	//
	// Start with the edges.
}
