package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dreamer answers like a model: capabilities, then a skill for each.
func dreamer(w http.ResponseWriter, r chatRequest) {
	prompt := r.Messages[len(r.Messages)-1].Content
	switch {
	case strings.HasPrefix(prompt, "<task-"):
		say(w, `Sure! {"capabilities": [{"capability": "Count varroa mites.", "evidence": "mites"}, {"capability": "Weigh a hive.", "evidence": "light"}], "anchors": ["varroa", "hefting"]}`, "stop")
	case strings.Contains(prompt, "mites"):
		say(w, `{"name": "count-mites", "description": "Wash bees in alcohol and count varroa mites.", "body": "1. Shake."}`, "stop")
	default:
		say(w, `{"name": "weigh-hives", "description": "Heft a hive to judge its winter stores.", "body": "1. Lift."}`, "stop")
	}
}

func TestAModelImagines(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "from-the-environment")
	s := newChatService(t, func(w http.ResponseWriter, r chatRequest) {
		if r.ResponseFormat != nil {
			fail(w, http.StatusBadRequest, "", "response_format: not here")
			return
		}
		dreamer(w, r)
	})
	args := []string{"-skills", bundledSkills, "-gallery", galleryFile(t), "-task", "my bees are ill and light", "-llm", s.URL, "-model", "small", "-temperature", "0", "-max-tokens", "500"}
	got := skillfind(t, args...)
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.err, "asking small at "+s.URL)
	for _, want := range []string{"imagined by small at", "imagined: count-mites", "for 2, as weigh-hives", "varroa-mite-wash", "winter-stores-hefting", "33 tokens in, 21 tokens out"} {
		require.Contains(t, got.out, want)
	}
	for _, r := range s.requests() {
		require.Equal(t, "Bearer from-the-environment", r.authorization)
		require.Equal(t, "small", r.Model)
		require.Zero(t, *r.Temperature)
		require.Equal(t, 500, *r.MaxTokens)
	}

	got = skillfind(t, append(args, "-explain")...)
	for _, want := range []string{"Call 1: capabilities", "│ Sure! {", "Call 3: imagine, capability 2", "Candidates for capability 2: 20 of 48 skills", "normalised: task"} {
		require.Contains(t, got.out, want)
	}
	require.NotContains(t, got.out+got.err, "from-the-environment")

	got = skillfind(t, append(args, "-json")...)
	var doc document
	require.NoError(t, json.Unmarshal([]byte(got.out), &doc))
	require.Equal(t, byModel, doc.Tasks[0].Basis)
	require.Len(t, doc.Tasks[0].SkillDreamer.Imagined.Calls, 3)
	require.Equal(t, "count-mites", doc.Tasks[0].SkillDreamer.Skills[0].ImaginedAs)
	require.NotContains(t, got.out, "from-the-environment")
}

func TestAModelThatFailsLeavesPlainRetrieval(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	s := newChatService(t, func(w http.ResponseWriter, r chatRequest) {
		fail(w, http.StatusUnauthorized, "invalid_api_key", "who are you?")
	})
	got := skillfind(t, "-skills", bundledSkills, "-gallery", galleryFile(t), "-task", "count mites on bees", "-llm", s.URL, "-model", "small")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "Plain retrieval only: the model gave nothing that could be used")
	require.Contains(t, got.out, "who are you?")
	require.Contains(t, got.out, "varroa-mite-wash")
	require.Empty(t, s.requests()[0].authorization)
}

func TestAModelThatIsSlowGivesAPartialResult(t *testing.T) {
	hang := make(chan struct{})
	s := newChatService(t, func(w http.ResponseWriter, r chatRequest) {
		if !strings.HasPrefix(r.Messages[len(r.Messages)-1].Content, "<task-") {
			<-hang
		}
		dreamer(w, r)
	})
	defer close(hang)
	got := skillfind(t, "-skills", bundledSkills, "-gallery", galleryFile(t), "-task", "ill bees", "-llm", s.URL, "-model", "small", "-timeout", "400ms")
	require.Zero(t, got.code, got.err)
	require.Contains(t, got.out, "The result is partial")
	require.Contains(t, got.out, "the capability's own text stands for it")
	require.Contains(t, got.out, "varroa-mite-wash")
}

// TestNothingSteersTheTerminal gives hostile text to every place that is
// printed.
func TestNothingSteersTheTerminal(t *testing.T) {
	const evil = "\x1b[2Jred\x1b]0;title\x07 \u009b31m \u202eback\u2066 \r over"
	dir := t.TempDir()
	writeSkill(t, dir, "bees", `"Keep bees. \e[2Jred \x9b31m \u202eback"`)
	writeSkill(t, dir, "honey", "Sell honey.")
	s := newChatService(t, func(w http.ResponseWriter, r chatRequest) {
		if strings.HasPrefix(r.Messages[len(r.Messages)-1].Content, "<task-") {
			text, _ := json.Marshal(map[string]any{"capabilities": []any{map[string]any{"capability": "c " + evil, "evidence": evil}}, "anchors": []string{"a" + evil}})
			say(w, string(text)+evil, "stop")
			return
		}
		text, _ := json.Marshal(map[string]any{"name": "n" + evil, "description": evil, "body": evil})
		say(w, string(text), "stop")
	})
	args := []string{"-skills", dir, "-gallery", galleryFile(t), "-task", "sell " + evil, "-llm", s.URL, "-model", "m"}
	for _, extra := range [][]string{{"-explain"}, {"-json"}, {}} {
		got := skillfind(t, append(args, extra...)...)
		require.Zero(t, got.code, got.err)
		for _, r := range got.out + got.err {
			require.False(t, r != '\n' && steers(r), "%U in %q", r, extra)
		}
		if len(extra) == 0 || extra[0] != "-json" {
			continue
		}
		var doc document
		require.NoError(t, json.Unmarshal([]byte(got.out), &doc))
		require.Equal(t, "sell "+strings.TrimSpace(evil), doc.Tasks[0].Text, "escaped, not lost")
	}
}
