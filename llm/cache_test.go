package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/llm"
)

func cacheIn(t *testing.T, dir string, o llm.CacheOptions) *llm.Cache {
	t.Helper()
	if o.OnError == nil {
		o.OnError = func(err error) { t.Error(err) }
	}
	c, err := llm.OpenCache(dir, o)
	require.NoError(t, err)
	return c
}

// entries are the paths of the files in a cache.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	var paths []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	}))
	return paths
}

func TestTheCacheAnswersAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	m := echo()
	for range 2 { // the second time from the files of the first
		cached := cacheIn(t, dir, llm.CacheOptions{}).Wrap(m)
		require.Equal(t, "broken", cached.Identity())
		for _, p := range []string{"a <&> \u2028", "b", "b"} {
			got, err := ask(t, cached, p)
			require.NoError(t, err)
			require.Equal(t, "to "+p, got)
		}
	}
	require.EqualValues(t, 2, m.calls.Load())
	for _, path := range entries(t, dir) {
		require.NotContains(t, read(t, path), "prompt")
		info, err := os.Stat(path)
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			require.Zero(t, info.Mode().Perm()&0o077, "private")
		}
	}

	resp, err := cacheIn(t, dir, llm.CacheOptions{}).Wrap(m).Generate(t.Context(), prospect.LLMRequest{Prompt: "b"})
	require.NoError(t, err)
	require.Equal(t, prospect.LLMResponse{Text: "to b"}, resp, "what cost nothing has no usage")
}

func TestTheCacheTellsModelsAndRequestsApart(t *testing.T) {
	dir := t.TempDir()
	other := echo()
	other.identity = func(int64) string { return "other" }
	asked := int64(0)
	for _, m := range []*broken{echo(), other} {
		cached := cacheIn(t, dir, llm.CacheOptions{}).Wrap(m)
		for _, req := range []prospect.LLMRequest{
			{Prompt: "p"}, {System: "p"}, {Prompt: "p", MaxTokens: 1}, {Prompt: "p", Temperature: new(0.0)}, {Prompt: "p", Temperature: new(1.0)},
			{Prompt: "p", Schema: []byte(`{}`)}, {Prompt: "p", SchemaName: "{}"},
		} {
			_, err := cached.Generate(t.Context(), req)
			require.NoError(t, err)
		}
		asked += m.calls.Load()
	}
	require.EqualValues(t, 14, asked)
	require.Len(t, entries(t, dir), 14)
}

func TestAnswersThatAreNotKept(t *testing.T) {
	for name, c := range map[string]struct {
		turn llm.Turn
		keep llm.CacheOptions
		kept bool
	}{
		"whole":             {llm.Turn{Text: "x"}, llm.CacheOptions{}, true},
		"truncated":         {llm.Turn{Text: "x", Truncated: true}, llm.CacheOptions{}, false},
		"truncated, wanted": {llm.Turn{Text: "x", Truncated: true}, llm.CacheOptions{Truncated: true}, true},
		"blank":             {llm.Turn{Text: " \n"}, llm.CacheOptions{Truncated: true}, false},
		"not UTF-8":         {llm.Turn{Text: "\xff"}, llm.CacheOptions{}, false},
		"error":             {llm.Turn{Err: errors.New("refused")}, llm.CacheOptions{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			again := llm.Turn{Text: "again", Repeat: true}
			cached := cacheIn(t, dir, c.keep).Wrap(llm.NewScripted("m", c.turn, again))
			got, err := ask(t, cached, "p")
			require.Equal(t, c.turn.Err, err)
			require.Equal(t, c.turn.Text, got)
			got, err = ask(t, cached, "p")
			require.NoError(t, err)
			if c.kept {
				require.Equal(t, c.turn.Text, got)
			} else {
				require.Equal(t, "again", got)
			}
		})
	}
	// What other options left there is not taken.
	dir := t.TempDir()
	m := llm.NewScripted("m", llm.Turn{Text: "x", Truncated: true}, llm.Turn{Text: "whole"})
	_, err := ask(t, cacheIn(t, dir, llm.CacheOptions{Truncated: true}).Wrap(m), "p")
	require.NoError(t, err)
	got, err := ask(t, cacheIn(t, dir, llm.CacheOptions{}).Wrap(m), "p")
	require.NoError(t, err)
	require.Equal(t, "whole", got)
}

// Whatever stands in an entry's place is a miss, told of, and replaced.
func TestBrokenEntriesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	_, err := ask(t, cacheIn(t, dir, llm.CacheOptions{}).Wrap(echo()), "p")
	require.NoError(t, err)
	path := entries(t, dir)[0]
	good := read(t, path)
	bad := []string{
		"", "{}", "null", "dear diary", good[:len(good)/2], strings.Replace(good, "to p", "to q", 1), strings.Replace(good, filepath.Base(path)[:32], strings.Repeat("0", 32), 1),
		strings.Replace(good, `"version":1`, `"version":2`, 1), strings.Replace(good, "llm cache", "llm cash", 1),
	}
	for cut := range len(good) - 1 { // the newline alone is no loss
		bad = append(bad, good[:cut])
	}
	for _, text := range bad {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		var told []error
		m := echo()
		cached := cacheIn(t, dir, llm.CacheOptions{OnError: func(err error) { told = append(told, err) }}).Wrap(m)
		got, err := ask(t, cached, "p")
		require.NoError(t, err)
		require.Equal(t, "to p", got)
		require.EqualValues(t, 1, m.calls.Load())
		require.NotEmpty(t, told)
		require.ErrorContains(t, told[0], path)
		require.Equal(t, good, read(t, path))
	}
}

// What was stored between a look and the call is not asked for again.
func TestAnEntryThatComesMeanwhile(t *testing.T) {
	dir := t.TempDir()
	_, err := ask(t, cacheIn(t, dir, llm.CacheOptions{}).Wrap(echo()), "p")
	require.NoError(t, err)
	path := entries(t, dir)[0]
	good := read(t, path)
	write(t, path, "broken")
	m := echo()
	got, err := ask(t, cacheIn(t, dir, llm.CacheOptions{OnError: func(error) { write(t, path, good) }}).Wrap(m), "p")
	require.NoError(t, err)
	require.Equal(t, "to p", got)
	require.Zero(t, m.calls.Load())
}

// A file that could not take its place is not left behind.
func TestAnEntryThatCannotBePutInPlace(t *testing.T) {
	dir := t.TempDir()
	_, err := ask(t, cacheIn(t, dir, llm.CacheOptions{}).Wrap(echo()), "p")
	require.NoError(t, err)
	path := entries(t, dir)[0]
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.MkdirAll(filepath.Join(path, "in the way"), 0o700))
	told := 0
	_, err = ask(t, cacheIn(t, dir, llm.CacheOptions{OnError: func(error) { told++ }}).Wrap(echo()), "p")
	require.NoError(t, err)
	require.Positive(t, told)
	require.Empty(t, entries(t, dir))
}

// A cache that cannot be written to costs money, not answers.
func TestACacheThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	_, err := ask(t, cacheIn(t, dir, llm.CacheOptions{}).Wrap(echo()), "p")
	require.NoError(t, err)
	shard := filepath.Dir(entries(t, dir)[0])
	require.NoError(t, os.RemoveAll(shard))
	require.NoError(t, os.WriteFile(shard, nil, 0o600)) // a file where a folder should be
	var told []error
	got, err := ask(t, cacheIn(t, dir, llm.CacheOptions{OnError: func(err error) { told = append(told, err) }}).Wrap(echo()), "p")
	require.NoError(t, err)
	require.Equal(t, "to p", got)
	require.NotEmpty(t, told)

	_, err = llm.OpenCache(shard, llm.CacheOptions{})
	require.Error(t, err)
	_, err = llm.OpenCache("", llm.CacheOptions{})
	require.ErrorIs(t, err, prospect.ErrOption)
	_, err = llm.OpenCache(dir, llm.CacheOptions{MaxAge: -1})
	require.ErrorIs(t, err, prospect.ErrOption)
	_, err = llm.OpenCache(dir, llm.CacheOptions{MaxBytes: -1})
	require.ErrorIs(t, err, prospect.ErrOption)
}

func TestTheCacheAsksOnceAtATime(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		m := &broken{generate: func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
			time.Sleep(time.Minute)
			return prospect.LLMResponse{Text: "yes", Usage: prospect.Usage{OutputTokens: 5}}, ctx.Err()
		}}
		cached := cacheIn(t, dir, llm.CacheOptions{}).Wrap(m)
		var wg sync.WaitGroup
		var mu sync.Mutex
		var usage prospect.Usage
		for range 20 {
			wg.Go(func() {
				resp, err := cached.Generate(t.Context(), prospect.LLMRequest{Prompt: "p"})
				if err != nil || resp.Text != "yes" {
					t.Errorf("%q, %v", resp.Text, err)
				}
				mu.Lock()
				defer mu.Unlock()
				usage = usage.Add(resp.Usage)
			})
		}
		wg.Wait()
		require.EqualValues(t, 1, m.calls.Load())
		require.Equal(t, 5, usage.OutputTokens, "counted once")
	})
}

// The outcome of a call is shared, but not that its caller went away.
func TestWaitingForACall(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		down := fmt.Errorf("down: %w", prospect.ErrTransient)
		m := &broken{}
		m.generate = func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
				return prospect.LLMResponse{}, ctx.Err()
			}
			return prospect.LLMResponse{}, down
		}
		cached := cacheIn(t, dir, llm.CacheOptions{}).Wrap(m)
		first, cancelFirst := context.WithCancel(t.Context())
		impatient, cancelImpatient := context.WithCancel(t.Context())
		errs := make([]error, 4)
		var wg sync.WaitGroup
		for i, ctx := range []context.Context{first, impatient, t.Context(), t.Context()} {
			wg.Go(func() { _, errs[i] = cached.Generate(ctx, prospect.LLMRequest{Prompt: "p"}) })
			synctest.Wait()
		}
		cancelImpatient()
		synctest.Wait()
		require.Equal(t, context.Canceled, errs[1], "it leaves at once")
		require.EqualValues(t, 1, m.calls.Load())
		cancelFirst()
		begin := time.Now()
		wg.Wait()
		require.Equal(t, time.Minute, time.Since(begin), "one of the others called, and the last one waited for it")
		require.Equal(t, []error{context.Canceled, context.Canceled, down, down}, errs)
		require.EqualValues(t, 2, m.calls.Load())
	})
}

// One that calls on a small budget, or with little time, does not fail others.
func TestOthersBudgetsAreTheirOwn(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		m := &broken{generate: func(ctx context.Context, req prospect.LLMRequest) (prospect.LLMResponse, error) {
			time.Sleep(time.Second)
			if _, hurried := ctx.Deadline(); hurried {
				return prospect.LLMResponse{}, prospect.ErrTransient
			}
			return prospect.LLMResponse{Text: "yes"}, nil
		}}
		cache := cacheIn(t, dir, llm.CacheOptions{})
		budget, err := llm.NewBudget(llm.Limits{Calls: 1})
		require.NoError(t, err)
		small, err := llm.Retry(budget.Wrap(m), llm.RetryOptions{Base: 1, Seed: 1})
		require.NoError(t, err)
		patient, err := llm.Retry(m, llm.RetryOptions{})
		require.NoError(t, err)
		for name, c := range map[string]struct {
			m    prospect.LLM
			want error
		}{
			"budget":   {small, llm.ErrBudget},
			"deadline": {patient, prospect.ErrTransient},
		} {
			soon, cancel := context.WithTimeout(t.Context(), time.Second+time.Millisecond)
			defer cancel()
			var wg sync.WaitGroup
			req := prospect.LLMRequest{Prompt: name}
			wg.Go(func() {
				if _, err := cache.Wrap(c.m).Generate(soon, req); !errors.Is(err, c.want) {
					t.Errorf("%s: %v", name, err)
				}
			})
			synctest.Wait()
			resp, err := cache.Wrap(patient).Generate(t.Context(), req)
			require.NoError(t, err, name)
			require.Equal(t, "yes", resp.Text)
			wg.Wait()
		}
	})
}

// Those whose context has ended ask nothing more.
func TestWaitingWithTheSameContext(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		m := &broken{generate: func(ctx context.Context, _ prospect.LLMRequest) (prospect.LLMResponse, error) {
			<-ctx.Done()
			return prospect.LLMResponse{}, ctx.Err()
		}}
		cached := cacheIn(t, dir, llm.CacheOptions{}).Wrap(m)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, err := cached.Generate(ctx, prospect.LLMRequest{Prompt: "p"}); err != context.Canceled {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		cancel()
		wg.Wait()
		require.EqualValues(t, 1, m.calls.Load())
	})
}

func TestAPanicLeavesNobodyWaiting(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		m := &broken{}
		m.generate = func(context.Context, prospect.LLMRequest) (prospect.LLMResponse, error) {
			time.Sleep(time.Second)
			if m.calls.Load() == 1 {
				panic("a bug")
			}
			return prospect.LLMResponse{Text: "yes"}, nil
		}
		cached := cacheIn(t, dir, llm.CacheOptions{}).Wrap(m)
		var wg sync.WaitGroup
		wg.Go(func() { defer func() { recover() }(); ask(t, cached, "p") })
		synctest.Wait()
		got, err := ask(t, cached, "p")
		require.NoError(t, err)
		require.Equal(t, "yes", got)
		wg.Wait()
	})
}

// Two caches over one folder are like two processes.
func TestSeveralCachesShareAFolder(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		cached := cacheIn(t, dir, llm.CacheOptions{}).Wrap(echo())
		for i := range 100 {
			wg.Go(func() {
				p := fmt.Sprint(i % 10)
				if resp, err := cached.Generate(t.Context(), prospect.LLMRequest{Prompt: p}); err != nil || resp.Text != "to "+p {
					t.Errorf("%q, %v", resp.Text, err)
				}
			})
		}
	}
	wg.Wait()
	require.Len(t, entries(t, dir), 10, "and nothing half written")
}

func TestTheCacheForgets(t *testing.T) {
	dir := t.TempDir()
	m := echo()
	c := cacheIn(t, dir, llm.CacheOptions{MaxAge: time.Hour})
	for _, p := range []string{"a", "b", "c"} {
		_, err := ask(t, c.Wrap(m), p)
		require.NoError(t, err)
	}
	all := entries(t, dir)
	old := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(all[0], old, old))
	for _, p := range []string{"a", "b", "c"} {
		_, err := ask(t, c.Wrap(m), p)
		require.NoError(t, err)
	}
	require.EqualValues(t, 4, m.calls.Load(), "the old one again")

	require.NoError(t, os.Chtimes(all[1], old, old))
	ours := filepath.Join(filepath.Dir(all[0]), ".new-1")
	require.NoError(t, os.WriteFile(ours, nil, 0o600))
	require.NoError(t, os.Chtimes(ours, old, old))
	busy := filepath.Join(filepath.Dir(all[0]), ".new-2")
	foreign := filepath.Join(filepath.Dir(all[0]), "notes.txt")
	for _, path := range []string{busy, foreign, filepath.Join(dir, "README")} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	require.NoError(t, os.Chtimes(foreign, old, old))
	n, err := c.Prune(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.ElementsMatch(t, []string{all[0], all[2], busy, foreign, filepath.Join(dir, "README")}, entries(t, dir))
}

func TestTheCacheIsPrunedToASize(t *testing.T) {
	dir := t.TempDir()
	c := cacheIn(t, dir, llm.CacheOptions{})
	for i := range 5 {
		_, err := ask(t, c.Wrap(echo()), fmt.Sprint(i))
		require.NoError(t, err)
	}
	all := entries(t, dir)
	info, err := os.Stat(all[0]) // all have this size
	require.NoError(t, err)
	for i, path := range all {
		at := time.Now().Add(time.Duration(i-10) * time.Minute)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	n, err := c.Prune(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "without a limit all stay")

	small := cacheIn(t, dir, llm.CacheOptions{MaxBytes: 2*info.Size() + 1})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = small.Prune(ended)
	require.ErrorIs(t, err, context.Canceled)
	n, err = small.Prune(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Equal(t, all[3:], entries(t, dir))

	require.NoError(t, os.RemoveAll(dir))
	_, err = small.Prune(t.Context())
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestTheCacheConforms(t *testing.T) {
	c := cacheIn(t, t.TempDir(), llm.CacheOptions{})
	for range 2 {
		require.NoError(t, llm.TestLLM(t.Context(), c.Wrap(echo())))
	}
}
