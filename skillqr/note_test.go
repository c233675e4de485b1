package skillqr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect/skillqr"
)

func TestNotesInWords(t *testing.T) {
	require.Equal(t, "stopped: mining ended early", skillqr.Note{Kind: skillqr.Stopped, Text: "mining ended early"}.String())
	require.Equal(t, "uncovered, cluster 0: no skill covers it", skillqr.Note{Kind: skillqr.Uncovered, Cluster: new(0), Text: "no skill covers it"}.String())
}
