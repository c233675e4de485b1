package embed_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
)

// Several processes at once, each of which finds the segments full time and
// again, so that they begin and delete them under each other's hands.
func TestCacheOfSeveralProcesses(t *testing.T) {
	const dirVariable = "PROSPECT_TEST_CACHE_DIR"
	const dim, texts, room = 16, 400, 300
	opts := embed.CacheOptions{MaxBytes: room * (4*dim + 40)}
	e := embed.NewHash(dim)

	if dir := os.Getenv(dirVariable); dir != "" { // one of the processes
		start, err := strconv.Atoi(os.Getenv(dirVariable + "_START"))
		require.NoError(t, err)
		c := newCache(t, e, dir, opts)
		for i := 0; i < texts; i += 5 {
			var batch []string
			for j := range 5 {
				batch = append(batch, fmt.Sprintf("text%d", (start+i+j)%texts))
			}
			require.Equal(t, get(t, e, prospect.RoleQuery, batch...), get(t, c, prospect.RoleQuery, batch...))
		}
		require.NoError(t, c.Close())
		return
	}

	if runtime.GOOS == "js" {
		t.Skip("no processes here")
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	var wg sync.WaitGroup
	for p := range 4 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestCacheOfSeveralProcesses$")
			cmd.Env = append(os.Environ(), dirVariable+"="+dir, fmt.Sprintf("%s_START=%d", dirVariable, p*70))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("process %d: %v\n%s", p, err, out)
			}
		})
	}
	wg.Wait()
	c := newCache(t, e, dir, opts)
	require.Zero(t, c.Stats().Damaged, "writes are kept apart")
	require.LessOrEqual(t, onDisk(t, dir), opts.MaxBytes)
	require.Greater(t, c.Stats().Vectors, room/8, "the four may all have written the same")
}
