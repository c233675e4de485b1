package skill_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/internal/evaldata"
	"github.com/prospect-go/prospect/skill"
)

func dataFile(t testing.TB, elem ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(evaldata.Dir(t, elem...))
	require.NoError(t, err)
	return data
}

type kinds []skill.Kind

func kindsOf(problems []skill.Problem) kinds {
	ks := kinds{}
	for _, p := range problems {
		ks = append(ks, p.Kind)
	}
	return ks
}

// awkward says for each file what is right: the name, how description and body
// start, and the problems in order. A file without a name is skipped. The
// folder's name is the one here without its number.
var awkward = []struct {
	dir               string
	name, description string
	body              string
	problems          kinds
}{
	{"01-brainstorming-studio", "", "", "", kinds{skill.ByteOrderMark, skill.LineEndings, skill.NoFrontMatter}},
	{"02-ui-ux-pro-max", "ui-ux-pro-max", "UI/UX design intelligence. 5", "# UI/UX Pro Max - ", kinds{skill.LineEndings}},
	{"03-ui-ux-pro-max", "ui-ux-pro-max", "UI/UX design intelligence. 5", "# UI/UX Pro Max - ", kinds{skill.LineEndings}},
	{"04-quality-playbook", "quality-playbook", "Run a complete quality engin", "# Quality Playbook", kinds{}},
	{"05-distributed-training-pytorch-fsdp", "pytorch-fsdp", "Expert guidance for Fully Sh", "# Pytorch-Fsdp Ski", kinds{skill.NameMismatch}},
	{"06-plan-executor", "plan-executor", "Executes frozen, validated p", "## Activation Crit", kinds{skill.LineEndings, skill.RepairedYAML, skill.FieldType, skill.FieldType}},
	{"07-genlayer-dev", "genlayer-dev-claw-skill", "Build GenLayer Intelligent C", "# GenLayer Intelli", kinds{skill.RepairedYAML, skill.NameMismatch}},
	{"08-genlayer", "genlayer-claw-skill", "Understand and explain GenLa", "# GenLayer Knowled", kinds{skill.RepairedYAML, skill.NameMismatch}},
	{"09-skill-publisher-claw-skill", "skill-publisher-claw-skill", "Prepare Claw skills for publ", "# Skill Publisher\n", kinds{skill.RepairedYAML}},
	{"10-mayar-payment-skill", "mayar-payment", "Mayar.id payment integration", "# Mayar Payment In", kinds{skill.RepairedYAML, skill.NameMismatch}},
	{"11-factory-ai", "factory-ai", "Use Factory AI's droid CLI f", "# Factory AI Droid", kinds{skill.RepairedYAML, skill.FieldType}},
	{"12-google-home", "google-home", "Control Google Nest devices ", "# Google Home / Ne", kinds{skill.RepairedYAML, skill.FieldType}},
	{"13-feishu-leave-request", "feishu-leave-request", "Submit a leave request throu", "# Feishu Leave Req", kinds{skill.RepairedYAML}},
	{"14-trmnl-display", "terminal display", "Send messages to a terminal ", "# TRMNL Display Sk", kinds{skill.RepairedYAML, skill.InvalidName, skill.NameMismatch}},
	{"15-hvac-estimate-takeoff", "hvac_estimate_takeoff", "HVAC takeoff from PDF plans ", "", kinds{skill.MisplacedFrontMatter, skill.InvalidName, skill.NameMismatch, skill.EmptyBody}},
	{"16-moltwallet", "moltwallet", "Molt-first Solana wallet CLI", "<!-- https://githu", kinds{skill.MisplacedFrontMatter, skill.FieldType}},
	{"17-tesy", "RedTeam", "Adversarial analysis with 32", "> Related: [[AGENT", kinds{skill.MisplacedFrontMatter, skill.InvalidName, skill.NameMismatch}},
	{"18-communication-skill", "communication", "Deep Listening & Response Cr", "# Communication Sk", kinds{skill.UnclosedFrontMatter, skill.NameMismatch}},
	{"19-mcporter-skill", "mcporter", "Use the mcporter CLI to list", "# mcporter\n\nUse `m", kinds{skill.UnclosedFrontMatter, skill.FieldType, skill.NameMismatch}},
	{"20-morning-briefing", "morning-briefing", "Generate personalized mornin", "", kinds{skill.UnclosedFrontMatter, skill.EmptyBody}},
	{"21-gogcli", "gogcli", "Google Workspace CLI for Gma", "# gogcli - Google ", kinds{skill.UnclosedFrontMatter}},
	{"22-ralph-loop-writer", "ralph", "Generate Claude Code, Gemini", "# Ralph Command Ge", kinds{skill.MisplacedFrontMatter, skill.FieldType, skill.NameMismatch}},
	{"23-sample-skill", "", "", "", kinds{skill.NoFrontMatter}},
	{"24-jarvis-skills", "", "", "", kinds{skill.LineEndings, skill.NoFrontMatter}},
	{"25-parcel-package-tracking", "parcel-package-tracking", "Track and add deliveries via", "# Parcel\n\nInteract", kinds{skill.MissingName}},
	{"26-verify-on-browser", "verify-on-browser", "Control browser via Chrome D", "# Browser Control ", kinds{skill.MissingName}},
	{"27-verify-on-browser-1-0-0", "verify-on-browser-1-0-0", "Control browser via Chrome D", "# Browser Control ", kinds{skill.MissingName}},
	{"28-fast-browser-use", "", "", "", kinds{skill.MissingDescription}},
	{"29-skill-name", "skill-name", "[TODO: Write comprehensive d", "# [TODO: Skill Dis", kinds{skill.FieldType, skill.MissingName}},
	{"30-agent-development", "Agent Development", "This skill should be used wh", "# Agent Developmen", kinds{skill.InvalidName, skill.NameMismatch}},
	{"31-plugin-settings", "Plugin Settings", "This skill should be used wh", "# Plugin Settings ", kinds{skill.InvalidName, skill.NameMismatch}},
	{"32-writing-rules", "Writing Hookify Rules", "This skill should be used wh", "# Writing Hookify ", kinds{skill.InvalidName, skill.NameMismatch}},
	{"33-active-directory-attacks", "Active Directory Attacks", "This skill should be used wh", "# Active Directory", kinds{skill.InvalidName, skill.NameMismatch}},
	{"34-devil", "devil", "Reviews a product document (", "# devil — the sign", kinds{skill.DescriptionTooLong}},
	{"35-database-lookup", "database-lookup", "Search 78 public scientific,", "# Database Lookup\n", kinds{skill.DescriptionTooLong}},
	{"36-data-context-extractor", "data-context-extractor", "Generate or improve a compan", "# Data Context Ext", kinds{}},
	{"37-job-post-builder", "job-post-builder", "Builds end-to-end hiring pac", "# Job Post Builder", kinds{}},
	{"38-agent-owasp-compliance", "agent-owasp-compliance", "Check any AI agent codebase ", "# Agent OWASP ASI ", kinds{}},
	{"39-clawdbot-skill-voice-wake-say", "voice-wake-say", "Speak responses aloud on mac", "# Voice Wake Say\n\n", kinds{skill.NameMismatch}},
	{"40-focus-mode", "focus-mode", "Help users stay focused on a", "# Focus Mode\n\nKeep", kinds{}},
	{"41-gold-price-mcp", "gold_price_mcp", "ดึงราคาทองคำปัจจุบันจาก api ", "", kinds{skill.FieldType, skill.InvalidName, skill.NameMismatch, skill.EmptyBody}},
	{"42-pepsi-or-coke-mcp", "pepsi_or_coke", "ตัดสินใจว่าจะเลือก pepsi หรื", "", kinds{skill.FieldType, skill.InvalidName, skill.NameMismatch, skill.EmptyBody}},
	{"43-instagram-cli", "instagram", "instagram", "", kinds{skill.NameMismatch, skill.EmptyBody}},
	{"44-ai-text-humanizer", "ai-text-humanizer", "AI（LLM）が生成した日本語テキストの「AI臭」を検出", "# AI Text Humanize", kinds{}},
	{"45-log-debugger", "log-debugger", "システムログを分析してエラーの根本原因を特定し、段階的に", "# Log Debugger\n\n##", kinds{}},
	{"46-hypothesis-generation", "hypothesis-generation", "從觀察中進行結構化假說制定。當您有實驗觀察或資料並需要制", "# 科學假說生成\n\n## 概述\n\n假", kinds{skill.FieldType}},
	{"47-markitdown", "markitdown", "將檔案和辦公文件轉換為 Markdown。支援 PDF、", "# MarkItDown - 檔案轉", kinds{skill.FieldType}},
	{"48-seoul-metro", "seoul-metro", "Seoul Metro assistant for re", "# Seoul Metro Skil", kinds{skill.FieldType}},
	{"49-copilot-pr-autopilot", "copilot-pr-autopilot", "Copilot left 14 review comme", "# Copilot PR Autop", kinds{}},
	{"50-agent-orchestration", "agent-orchestration", "Master the art of spawning a", "# Agent Orchestrat", kinds{}},
	{"51-editorconfig", "editorconfig", "Generates a comprehensive an", "## 📜 MISSION\n\nYou ", kinds{}},
	{"52-detecting-indirect-prompt-injection", "detecting-indirect-prompt-injection", "Detect and defend against in", "# Detecting Indire", kinds{}},
	{"53-typescript-expert", "typescript-expert", "TypeScript and JavaScript ex", "# TypeScript Exper", kinds{}},
	{"54-swarmvault", "swarmvault", "Use SwarmVault when the user", "# SwarmVault\n\nUse ", kinds{skill.FieldType}},
	{"55-obsidian-daily", "obsidian-daily", "Manage Obsidian Daily Notes ", "# Obsidian Daily N", kinds{skill.RepairedYAML, skill.RepairedYAML, skill.RepairedYAML}},
	{"56-a-beginner-s-guide-to-chatgpt-prompt-eng", "a-beginner-s-guide-to-chatgpt-prompt-engineering-d-558bdbec", ", it might predict the next ", "# A Beginner's Gui", kinds{skill.RepairedYAML, skill.FieldType, skill.NameMismatch}},
	{"57-ai-image-prompts-for-eye-catching-market", "ai-image-prompts-for-eye-catching-marketing-creati-4e43d568", "formula:â€¯â€¯â€¯ Â A [image", "# AI Image Prompts", kinds{skill.ControlCharacters, skill.FieldType, skill.NameMismatch}},
	{"58-molthunt", "molthunt", "The launchpad for agent-buil", "# Molthunt\n\nThe la", kinds{skill.UnclosedFrontMatter, skill.FieldType, skill.MissingName}},
	{"59-frontend-design-1-0-0", "frontend-design", "Create distinctive, producti", "This skill guides ", kinds{skill.NameMismatch}},
	{"60-superdesign", "frontend-design", "Expert frontend design guide", "# Frontend Design ", kinds{skill.FieldType, skill.NameMismatch}},
	{"61-anshumanbh-qmd", "qmd", "Search markdown knowledge ba", "# QMD Search Skill", kinds{skill.NameMismatch}},
	{"62-qmd-local-search", "qmd", "Fast local search for markdo", "# qmd — Fast Local", kinds{skill.NameMismatch}},
	{"63-shift-jis", "ai-text-humanizer", "AI（LLM）が生成した日本語テキストの「AI臭」を検出", "# AI Text Humanize", kinds{skill.Encoding, skill.NameMismatch}},
	{"64-gb18030", "hypothesis-generation", "從觀察中進行結構化假說制定。當您有實驗觀察或資料並需要制", "# 科學假說生成\n\n## 概述\n\n假", kinds{skill.Encoding, skill.FieldType, skill.NameMismatch}},
	{"65-cp1252", "wcag-audit-patterns", "Conduct WCAG 2.2 accessibili", "# WCAG Audit Patte", kinds{skill.Encoding, skill.NameMismatch}},
	{"66-utf-16", "wcag-audit-patterns", "Conduct WCAG 2.2 accessibili", "# WCAG Audit Patte", kinds{skill.Encoding, skill.NameMismatch}},
	{"67-invalid-bytes", "wcag-audit-patterns", "Conduct WCAG 2.2 accessibili", "# WCAG Audit Patte", kinds{skill.InvalidBytes, skill.NameMismatch}},
	{"68-empty-description", "", "", "", kinds{skill.NameMismatch, skill.MissingDescription}},
	{"69-null-description", "", "", "", kinds{skill.NameMismatch, skill.MissingDescription}},
	{"70-duplicate-key", "other-name", "Conduct WCAG 2.2 accessibili", "# WCAG Audit Patte", kinds{skill.DuplicateKey, skill.NameMismatch}},
	{"71-list-description", "wcag-audit-patterns", "first item; second item", "# WCAG Audit Patte", kinds{skill.FieldType, skill.NameMismatch}},
	{"72-no-closing-fence", "wcag-audit-patterns", "Conduct WCAG 2.2 accessibili", "# WCAG Audit Patte", kinds{skill.UnclosedFrontMatter, skill.NameMismatch}},
	{"73-cr-only", "wcag-audit-patterns", "Conduct WCAG 2.2 accessibili", "# WCAG Audit Patte", kinds{skill.LineEndings, skill.NameMismatch}},
	{"74-nul-byte", "wcag-audit-patterns", "Conduct WCAG 2.2 accessibili", "# WCAG Audit Patte", kinds{skill.ControlCharacters, skill.NameMismatch}},
	{"75-empty-file", "", "", "", kinds{skill.NoFrontMatter}},
	{"76-empty-front-matter", "", "", "", kinds{skill.MissingName, skill.MissingDescription, skill.EmptyBody}},
	{"77-alias-growth", "alias-growth", "Front matter whose YAML alia", "Body.", kinds{skill.LimitExceeded}},
}

func TestAwkwardFiles(t *testing.T) {
	var manifest []struct {
		File             string
		Name             any
		FrontMatter      string `json:"front_matter"`
		DescriptionChars int    `json:"description_chars"`
	}
	require.NoError(t, json.Unmarshal(dataFile(t, "skillfiles_awkward", "manifest.json"), &manifest))
	require.Len(t, awkward, len(manifest), "one row a file")
	for i, want := range awkward {
		t.Run(want.dir, func(t *testing.T) {
			entry := manifest[i]
			require.Equal(t, want.dir+"/SKILL.md", entry.File)
			data := dataFile(t, "skillfiles_awkward", want.dir, "SKILL.md")
			opts := skill.ParseOptions{Folder: want.dir[len("00-"):], Path: entry.File}

			s, problems, err := skill.Parse(data, opts)
			require.Equal(t, want.problems, kindsOf(problems))
			requireParsed(t, s, problems, err, opts)
			requireStable(t, s)
			if want.name == "" {
				require.Error(t, err)
				require.ErrorIs(t, err, want.problems[skipping(problems)])
				return
			}
			require.NoError(t, err)
			require.Equal(t, want.name, s.Name)
			require.True(t, strings.HasPrefix(s.Description, want.description), s.Description)
			require.True(t, strings.HasPrefix(s.Body, want.body), s.Body)
			// Where the manifest's own reader understood the file, its figures hold
			// too, up to the white space that is trimmed here.
			if name, ok := entry.Name.(string); ok && entry.FrontMatter == "ok" && !strings.HasPrefix(name, "[") {
				require.Equal(t, name, s.Name)
				if entry.DescriptionChars > 0 {
					require.InDelta(t, entry.DescriptionChars, utf8.RuneCountInString(s.Description), 1)
				}
			}

			// Strict parsing takes the files without warnings and no others.
			opts.Strict = true
			_, _, err = skill.Parse(data, opts)
			clean := true
			for _, p := range problems {
				clean = clean && p.Severity == skill.Note
			}
			require.Equal(t, clean, err == nil, "strict: %v", err)
		})
	}
}

// skipping is the position of the problem that made a file unusable.
func skipping(problems []skill.Problem) int {
	for i, p := range problems {
		if p.Severity == skill.Error {
			return i
		}
	}
	return -1
}

// TestAwkwardGallery loads the same files as a folder, where their names with
// the numbers are the folders.
func TestAwkwardGallery(t *testing.T) {
	dataFile(t, "skillfiles_awkward", "manifest.json")
	l, err := skill.LoadDir(t.Context(), evaldata.Dir(t, "skillfiles_awkward"), skill.LoadOptions{})
	require.NoError(t, err)
	skipped := map[string]bool{}
	duplicates, near := []string{}, []string{}
	for _, p := range l.Problems {
		switch dir := strings.TrimSuffix(p.Path, "/SKILL.md"); {
		case p.Severity == skill.Error:
			skipped[dir] = true
		case p.Kind == skill.DuplicateName:
			duplicates = append(duplicates, dir)
		case p.Kind == skill.NearDuplicate:
			near = append(near, dir)
		}
	}
	require.Len(t, skipped, 8)
	require.Len(t, l.Skills, 77-8, "what is not loaded is reported")
	for _, s := range l.Skills {
		require.False(t, skipped[s.Dir], s.Dir)
	}
	require.Equal(t, []string{
		"03-ui-ux-pro-max",              // the very same file as 02
		"60-superdesign",                // frontend-design
		"62-qmd-local-search",           // qmd
		"63-shift-jis",                  // as 44
		"64-gb18030",                    // as 46
		"66-utf-16", "67-invalid-bytes", // wcag-audit-patterns, as 65
		"71-list-description", "72-no-closing-fence", "73-cr-only", "74-nul-byte",
	}, duplicates)
	// 26 and 27 have no name, so each is called after its folder; 70 is the skill
	// of 65 under another name.
	require.Equal(t, []string{"27-verify-on-browser-1-0-0", "70-duplicate-key"}, near)
}
