package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgressIsPatientAndRare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		p := newProgress(&b)
		p.show("reading", 1, 10)
		require.Empty(t, b.String(), "much is done at once")
		time.Sleep(patience)
		p.show("running \x1b[2Jdense", 2, 10)
		p.show("running dense", 3, 10)
		require.Equal(t, "running [2Jdense: 2 of 10\n", b.String())
		time.Sleep(plainPause)
		p.show("running dense", 4, 10)
		p.done()
		require.Equal(t, "running [2Jdense: 2 of 10\nrunning dense: 4 of 10\n", b.String())
	})
}

func TestProgressOnATerminalIsOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		p := newProgress(&b)
		p.terminal = true
		time.Sleep(patience)
		p.show("embedding", 1000, 2000)
		time.Sleep(terminalPause)
		p.show("running", 1, 2)
		p.done()
		require.NotContains(t, b.String(), "\n")
		require.Equal(t, "\rembedding: 1000 of 2000\rrunning: 1 of 2        \r               \r", b.String())
	})
}
