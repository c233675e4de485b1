package llm_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

// TestMain lets the test binary stand for another process, and checks that no
// test leaves a goroutine behind.
func TestMain(m *testing.M) {
	if path := os.Getenv("LLM_TEST_PATH"); path != "" {
		var err error
		switch work := os.Getenv("LLM_TEST_WORK"); work {
		case "cache":
			err = cacheWork(path)
		case "record":
			err = recordWork(path)
		default:
			err = fmt.Errorf("no such work: %q", work)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// process is another process that does the work.
func process(t *testing.T, work, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Skipf("no other processes here: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "LLM_TEST_WORK="+work, "LLM_TEST_PATH="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func promptOf(i int) string { return fmt.Sprintf("prompt %d %s", i, strings.Repeat("x", i*10)) }

func cacheWork(dir string) error {
	cache, err := llm.OpenCache(dir, llm.CacheOptions{OnError: func(err error) { panic(err) }})
	if err != nil {
		return err
	}
	m := cache.Wrap(echo())
	for i := range 400 {
		p := promptOf(i % 50)
		if i%100 == 99 { // others read meanwhile
			if _, err := cache.Prune(context.Background()); err != nil {
				return err
			}
		}
		resp, err := m.Generate(context.Background(), prospect.LLMRequest{Prompt: p})
		if err != nil || resp.Text != "to "+p {
			return fmt.Errorf("%q: %q, %v", p, resp.Text, err)
		}
	}
	return nil
}

func TestProcessesShareACache(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		cmd := process(t, "cache", dir)
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.Len(t, entries(t, dir), 50)
	m := echo()
	cached := cacheIn(t, dir, llm.CacheOptions{}).Wrap(m)
	for i := range 50 {
		got, err := ask(t, cached, promptOf(i))
		require.NoError(t, err)
		require.Equal(t, "to "+promptOf(i), got)
	}
	require.Zero(t, m.calls.Load())
}

// recordWork records without end, and says how far it is.
func recordWork(path string) error {
	r, err := llm.OpenRecording(path, echo(), llm.RecordingOptions{Mode: llm.RecordMissing})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		if _, err := r.Generate(context.Background(), prospect.LLMRequest{Prompt: promptOf(i)}); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// What a recording process had said is recorded is there, though it was
// killed, and the next one goes on.
func TestAKilledRecordingGoesOn(t *testing.T) {
	path := recordingPath(t)
	recorded := 0
	for range 3 {
		cmd := process(t, "record", path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		buf := make([]byte, 64)
		for said := 0; said < 64 && err == nil; {
			var n int
			n, err = out.Read(buf)
			said += n
		}
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Kill())
		rest, _ := io.ReadAll(out) // until the pipe is broken
		require.Error(t, cmd.Wait(), "it was killed")
		lines := strings.Fields(string(buf) + string(rest))
		require.NotEmpty(t, lines)

		r := open(t, path, nil, llm.RecordingOptions{})
		n := 0
		for ; ; n++ {
			if got, err := ask(t, r, promptOf(n)); err != nil {
				require.ErrorIs(t, err, llm.ErrNoRecord)
				break
			} else {
				require.Equal(t, "to "+promptOf(n), got)
			}
		}
		require.GreaterOrEqual(t, n, recorded)
		require.Positive(t, n)
		recorded = n
	}
	m := echo()
	r := open(t, path, m, llm.RecordingOptions{Mode: llm.RecordMissing})
	for i := range recorded {
		_, err := ask(t, r, promptOf(i))
		require.NoError(t, err)
	}
	require.Zero(t, m.calls.Load())
}
