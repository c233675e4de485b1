// Package skill reads agent skills: folders with a SKILL.md inside, which holds
// YAML front matter and a Markdown body.
package skill
