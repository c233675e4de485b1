package skill_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skill"
)

func TestParseEveryField(t *testing.T) {
	const text = `---
name: pdf-forms
description: Fill in PDF forms. Use when a form is to be filled in.
license: Apache-2.0
compatibility: Needs Python 3.12
metadata:
  version: 1.10
  released: 2024-01-01
  stable: yes
  author: "Ann"
  note:
allowed-tools: Read Bash(git add:*) Write
argument-hint: [file]
nested:
  deep: [1, {a: on}]
  none: ~
---

    code comes first

Text.

`
	s, problems, err := skill.Parse([]byte(text), skill.ParseOptions{Strict: true, Folder: "pdf-forms"})
	require.NoError(t, err)
	require.Empty(t, problems)
	requireStable(t, s)
	sum := sha256.Sum256([]byte(text))
	require.Equal(t, &skill.Skill{
		Name:          "pdf-forms",
		Description:   "Fill in PDF forms. Use when a form is to be filled in.",
		License:       "Apache-2.0",
		Compatibility: "Needs Python 3.12",
		Metadata:      map[string]string{"version": "1.10", "released": "2024-01-01", "stable": "yes", "author": "Ann", "note": ""},
		AllowedTools:  []string{"Read", "Bash(git add:*)", "Write"},
		Extra: map[string]any{
			"argument-hint": []any{"file"},
			"nested":        map[string]any{"deep": []any{"1", map[string]any{"a": "on"}}, "none": nil},
		},
		Body: "    code comes first\n\nText.",
		Hash: hex.EncodeToString(sum[:]),
	}, s)
}

func TestScalarsStayText(t *testing.T) {
	for _, value := range []string{"2024-01-01", "yes", "No", "0x1F", "1e3", "012", ".inf", "true", "12:30:45", "<<"} {
		s, ks := parsed(t, "---\nname: "+"a\ndescription: "+value+"\n---\nBody", skill.ParseOptions{})
		require.Equal(t, value, s.Description)
		require.Empty(t, ks)
	}
	for _, null := range []string{"", "~", "null", `""`, `"  "`} {
		_, _, err := skill.Parse([]byte("---\nname: a\ndescription: "+null+"\n---\nBody"), skill.ParseOptions{})
		require.ErrorIs(t, err, skill.MissingDescription, null)
	}
	s, _ := parsed(t, "---\nname: a\ndescription: \"null\"\n---\n", skill.ParseOptions{})
	require.Equal(t, "null", s.Description)
}

func TestValidName(t *testing.T) {
	for _, name := range []string{"a", "0", "pdf", "a-b-1", strings.Repeat("a", 64)} {
		require.True(t, skill.ValidName(name), name)
	}
	for _, name := range []string{"", "-", "-a", "a-", "a--b", "A", "a_b", "a b", "é", "a\n", strings.Repeat("a", 65)} {
		require.False(t, skill.ValidName(name), name)
	}
}

// A violation each, with what lenient parsing makes of it.
func TestViolations(t *testing.T) {
	for name, test := range map[string]struct {
		text   string
		kind   skill.Kind
		strict skill.Kind // where strict parsing calls it something else
		check  func(*testing.T, *skill.Skill)
	}{
		"unquoted colon": {
			text: "---\nname: x\ndescription: Use when: asked # or not\nlicense: MIT\n---\n",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, "Use when: asked # or not", s.Description)
				require.Equal(t, "MIT", s.License)
			},
		},
		"unquoted colon over two lines": {
			text: "---\nname: x\ndescription: Use when: asked\n  or told: to\n---\n",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "Use when: asked or told: to", s.Description) },
		},
		"unquoted colon on the line below": {
			text: "---\nname: x\ndescription:\n  Use when: asked\n---\n",
			kind: skill.FieldType,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, "Use when: asked", s.Description)
			},
		},
		"quotes inside quotes": {
			text: "---\nname: x\ndescription: \"Says \"hello\" to \\\"all\\\"\"\n---\n",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, `Says "hello" to "all"`, s.Description) },
		},
		"text after the quotes": {
			text: "---\nname: x\ndescription: \"Says\" hello\n---\n",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, `"Says" hello`, s.Description) },
		},
		"a value that starts with @": {
			text: "---\nname: x\ndescription: @mention people\n---\n",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "@mention people", s.Description) },
		},
		"a block that is not indented right": {
			text: "---\nname: x\ndescription: |\n      one\n  two\n---\n",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "one\ntwo", s.Description) },
		},
		"tabs": {
			text: "---\nname: x\ndescription: y\nmetadata:\n\tauthor: Ann\n---\n",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, map[string]string{"author": "Ann"}, s.Metadata)
			},
		},
		"a second document": {
			text: "---\nname: x\n...\ndescription: y\n---\n",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "y", s.Description) },
		},
		"duplicate key": {
			text: "---\nname: x\ndescription: y\ndescription: z\n---\n", kind: skill.DuplicateKey,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "z", s.Description) },
		},
		"duplicate key in metadata": {
			text: "---\nname: x\ndescription: y\nmetadata: {a: b, a: c}\n---\n", kind: skill.DuplicateKey,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "c", s.Metadata["a"]) },
		},
		"duplicate key in an unknown field": {
			text: "---\nname: x\ndescription: y\nz: {a: b, a: c}\n---\n", kind: skill.DuplicateKey,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, map[string]any{"a": "c"}, s.Extra["z"]) },
		},
		"key in other case": {
			text: "---\nname: x\nDescription: y\nAllowed_Tools: Read\n---\n", kind: skill.FieldName,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, "y", s.Description)
				require.Equal(t, []string{"Read"}, s.AllowedTools)
				require.Empty(t, s.Extra)
			},
		},
		"no name": {
			text: "---\ndescription: y\n---\n", kind: skill.MissingName,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "skill-"+s.Hash[:8], s.Name) },
		},
		"bad name": {
			text: "---\nname: X  y\ndescription: y\n---\n", kind: skill.InvalidName,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "X y", s.Name) },
		},
		"description too long": {
			text: "---\nname: x\ndescription: " + strings.Repeat("é", 1025) + "\n---\n", kind: skill.DescriptionTooLong,
			check: func(t *testing.T, s *skill.Skill) { require.Len(t, s.Description, 2*1025) },
		},
		"compatibility too long": {
			text: "---\nname: x\ndescription: y\ncompatibility: " + strings.Repeat("é", 501) + "\n---\n", kind: skill.CompatibilityTooLong,
			check: func(t *testing.T, s *skill.Skill) { require.Len(t, s.Compatibility, 2*501) },
		},
		"tools in a list": {
			text: "---\nname: x\ndescription: y\nallowed-tools: [Read, Bash(a b), two words]\n---\n", kind: skill.FieldType,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, []string{"Read", "Bash(a b)", "two words"}, s.AllowedTools)
			},
		},
		"tools with commas": {
			text: "---\nname: x\ndescription: y\nallowed-tools: Read, Bash(a, b),Write\n---\n", kind: skill.FieldType,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, []string{"Read", "Bash(a, b)", "Write"}, s.AllowedTools)
			},
		},
		"tools in a mapping": {
			text: "---\nname: x\ndescription: y\nmetadata: {}\nallowed-tools: {Read: all}\n---\n", kind: skill.FieldType,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, []string{"Read: all"}, s.AllowedTools)
				require.Nil(t, s.Metadata)
				require.Nil(t, s.Extra)
			},
		},
		"blank lines and comments between keys, a colon": {
			text: "---\nname: x\n\n# About it.\ndescription: Use when: asked\n\nnested:\n\n- a\n# c\n- b\n---\n",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, "Use when: asked", s.Description)
				require.Equal(t, []any{"a", "b"}, s.Extra["nested"])
			},
		},
		"a second document that is no YAML": {
			text: "---\nname: x\n...\ndescription: y: z\n---\n",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "y: z", s.Description) },
		},
		"license is a list": {
			text: "---\nname: x\ndescription: y\nlicense: [MIT, BSD]\n---\n", kind: skill.FieldType,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "MIT; BSD", s.License) },
		},
		"metadata is a list": {
			text: "---\nname: x\ndescription: y\nmetadata: [a, b]\n---\n", kind: skill.FieldType,
			check: func(t *testing.T, s *skill.Skill) {
				require.Nil(t, s.Metadata)
				require.Equal(t, []any{"a", "b"}, s.Extra["metadata"])
			},
		},
		"metadata is nested": {
			text: "---\nname: x\ndescription: y\nmetadata:\n  a: {b: [1, true, \"2\", x, ~, \"<\"]}\n---\n", kind: skill.FieldType,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, `{"b":[1,true,"2","x",null,"<"]}`, s.Metadata["a"])
			},
		},
		"no closing fence": {
			text: "---\nname: x\ndescription: y\n\nlicense: MIT\n\nText: of the body is no key after this.\n# T", kind: skill.UnclosedFrontMatter,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "MIT", s.License) },
		},
		"no closing fence, a rule in the body": {
			text: "---\nname: x\ndescription: y\n\n# Title\n\nText.\n\n---\n\nMore.", kind: skill.UnclosedFrontMatter,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, "# Title\n\nText.\n\n---\n\nMore.", s.Body)
			},
		},
		"no closing fence, a colon, a rule in the body": {
			text: "---\nname: x\ndescription: Use when: asked\n\n# Title\n\n- item: one\n\nText.\n\n---\n\nMore.", kind: skill.UnclosedFrontMatter,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, "Use when: asked", s.Description)
				require.Equal(t, "# Title\n\n- item: one\n\nText.\n\n---\n\nMore.", s.Body)
			},
			strict: skill.InvalidYAML,
		},
		"text above": {
			text: "Hello.\n\n---\nname: x\ndescription: y\n---\nBody.", kind: skill.MisplacedFrontMatter,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "Hello.\n\nBody.", s.Body) },
		},
		"opening fence too long": {
			text: "-----\nname: x\ndescription: y\n-----\nBody.", kind: skill.MisplacedFrontMatter,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "Body.", s.Body) },
		},
		"no opening fence": {
			text: "name: x\ndescription: y\n---\nBody.", kind: skill.MisplacedFrontMatter,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "Body.", s.Body) },
		},
		"closing fence of another length": {
			text: "---\nname: x\ndescription: y\n-----\nBody.", kind: skill.UnclosedFrontMatter,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "Body.", s.Body) },
		},
		"stray words between keys": {
			text: "---\nname: x\n\nstray words\n\ndescription: y\n---\nBody.",
			kind: skill.RepairedYAML, strict: skill.InvalidYAML,
			check: func(t *testing.T, s *skill.Skill) {
				require.Equal(t, []string{"x", "y", "Body."}, []string{s.Name, s.Description, s.Body})
			},
		},
		"invisible characters at the start": {
			text: "\uFEFF\uFEFF\u200B---\nname: x\ndescription: y\n---\nBody.", kind: skill.ControlCharacters,
			check: func(t *testing.T, s *skill.Skill) { require.Equal(t, "Body.", s.Body) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, ks := parsed(t, test.text, skill.ParseOptions{})
			require.Contains(t, ks, test.kind)
			test.check(t, s)
			if test.strict == 0 {
				test.strict = test.kind
			}
			opts := skill.ParseOptions{Strict: true}
			s, problems, err := skill.Parse([]byte(test.text), opts)
			requireParsed(t, s, problems, err, opts)
			require.ErrorIs(t, err, test.strict)
		})
	}
}

func TestUnusable(t *testing.T) {
	for text, kind := range map[string]skill.Kind{
		"":                           skill.NoFrontMatter,
		" \n\n":                      skill.NoFrontMatter,
		"# Title\n\nText.":           skill.NoFrontMatter,
		"# T\n---\na: b\n---\nText.": skill.NoFrontMatter, // a rule, not a fence
		"name: x\n\nText.":           skill.NoFrontMatter, // prose, for all we know
		// An example of front matter, far down in a text.
		strings.Repeat("text\n", 60) + "---\nname: x\ndescription: y\n---\n": skill.NoFrontMatter,
		"---\n---\n":               skill.MissingDescription,
		"---\nname: x\n---\nText.": skill.MissingDescription,
		"---\n- a\n- b\n---\n":     skill.InvalidYAML,
		"---\njust text\n---\n":    skill.InvalidYAML,
		"---\n{{{\n---\n":          skill.InvalidYAML,
	} {
		s, problems, err := skill.Parse([]byte(text), skill.ParseOptions{Folder: "f", Path: "f/SKILL.md"})
		requireParsed(t, s, problems, err, skill.ParseOptions{Path: "f/SKILL.md"})
		require.ErrorIs(t, err, kind, "%q", text)
	}
}

// Strict parsing lists every violation, not only the first.
func TestStrictJoins(t *testing.T) {
	const text = "---\nname: Bad Name\ndescription: \"\"\nlicense: [a]\n---\n"
	_, _, err := skill.Parse([]byte(text), skill.ParseOptions{Strict: true, Folder: "other"})
	for _, kind := range []skill.Kind{skill.InvalidName, skill.NameMismatch, skill.MissingDescription, skill.FieldType} {
		require.ErrorIs(t, err, kind)
	}
	require.NotErrorIs(t, err, skill.EmptyBody, "a note is no violation")
}

func TestDescriptionFromBody(t *testing.T) {
	opts := skill.ParseOptions{DescriptionFromBody: true}
	for text, want := range map[string]string{
		"# Title\n\nFirst\nparagraph.\n\nSecond.":                         "First paragraph.",
		"---\nname: x\n---\n<!-- c -->\n```\ncode\n```\n> Quoted.\n":      "Quoted.",
		"---\nname: x\ndescription:\n---\n| a | b |\n---\n- an item\nb":   "an item b",
		"---\nname: x\n---\n" + strings.Repeat("words of it ", 100) + ".": strings.TrimSpace(strings.Repeat("words of it ", 85)) + " w", // cut below
	} {
		s, ks := parsed(t, text, opts)
		if len(want) > 1000 {
			// 85 × 12 − 1 = 1019 code points; one more word would make 1025.
			require.Equal(t, strings.TrimSuffix(want, " w"), s.Description)
			continue
		}
		require.Equal(t, want, s.Description)
		require.Contains(t, ks, skill.MissingDescription)
	}
	_, _, err := skill.Parse([]byte("# Only a title"), opts)
	require.ErrorIs(t, err, skill.MissingDescription)
	opts.Strict = true
	_, _, err = skill.Parse([]byte("# Title\n\nText."), opts)
	require.ErrorIs(t, err, skill.NoFrontMatter)
}

func TestLines(t *testing.T) {
	const text = "\n\n---\nname: x\ndescription: y\nlicense: [a]\n\nmetadata:\n  a: {b: c}\n---\n"
	_, problems, err := skill.Parse([]byte(text), skill.ParseOptions{Path: "p"})
	require.NoError(t, err)
	at := map[skill.Kind][]int{}
	for _, p := range problems {
		at[p.Kind] = append(at[p.Kind], p.Line)
	}
	require.Equal(t, []int{6, 9}, at[skill.FieldType])

	_, problems, err = skill.Parse([]byte("---\nname: x\ndescription: a: b\nlicense: MIT\nlicense: BSD\n---\n"), skill.ParseOptions{Path: "p"})
	require.NoError(t, err)
	require.Equal(t, kinds{skill.RepairedYAML, skill.DuplicateKey, skill.EmptyBody}, kindsOf(problems))
	require.Equal(t, []int{3, 5}, []int{problems[0].Line, problems[1].Line})
	require.Equal(t, "p:3: warning: repaired YAML: took the value of description as plain text: "+
		"yaml: mapping values are not allowed in this context", problems[0].Error())
}
