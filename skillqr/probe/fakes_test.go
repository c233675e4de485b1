package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/internal/fence"
	"github.com/prospect-go/prospect/skillqr"
	"github.com/prospect-go/prospect/skillqr/probe"
)

var errBroken = errors.New("broken")

// twoSkills are A, B and the generic one.
func twoSkills() *skillqr.Set {
	return &skillqr.Set{
		Skills:  []skillqr.Skill{{Name: "A", When: "a", Instruction: "Do A."}, {Name: "B", When: "b", Instruction: "Do B."}},
		Generic: skillqr.Generic(),
	}
}

// model routes a query to the skill whose number is its last character and
// expands it with "query/skill"; a query with an exclamation mark fails.
func model() prospect.LLM {
	return prospect.NewLLM("fake/1", func(_ context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
		query := fence.Inside(req.Prompt, "query")[0]
		if strings.Contains(query, "!") {
			return prospect.LLMResponse{}, errBroken
		}
		if req.SchemaName == "route" {
			return prospect.LLMResponse{Text: query[len(query)-1:], Usage: prospect.Usage{InputTokens: 1}}, nil
		}
		_, rest, _ := strings.Cut(req.Prompt, "this kind of query (")
		name, _, _ := strings.Cut(rest, "):")
		return prospect.LLMResponse{Text: `{"expansion": "` + query + "/" + name + `"}`, Usage: prospect.Usage{OutputTokens: 10}}, nil
	})
}

func rewriter(t testing.TB, o skillqr.Options) *skillqr.Rewriter {
	t.Helper()
	rw, err := skillqr.New(twoSkills(), model(), o)
	require.NoError(t, err)
	return rw
}

// ranks is a retriever that puts the document "yes" at the rank that stands
// for the last part of a query, 0 for nowhere.
type ranks map[string]int

func (r ranks) find(_ context.Context, parts []skillqr.Part, k int) ([]prospect.Hit, error) {
	text := parts[len(parts)-1].Text
	rank, ok := r[text]
	if !ok {
		return nil, errors.New("no rank for " + text)
	}
	var hits []prospect.Hit
	for i := range k {
		id := "no" + string(rune('a'+i))
		if i+1 == rank {
			id = "yes"
		}
		hits = append(hits, prospect.Hit{ID: id, Score: float64(k - i)})
	}
	return hits, nil
}

func query(id string) probe.Query {
	return probe.Query{ID: id, Text: id, Grades: map[string]float64{"yes": 1}}
}
