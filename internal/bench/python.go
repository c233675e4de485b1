package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

//go:embed peers.py
var script string

// python is a child process with the peers that are written for Python.
type python struct {
	dir string
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startPython(ctx context.Context, c *collection) (p *python, err error) {
	interpreter := os.Getenv("PROSPECT_PYTHON")
	if interpreter == "" {
		interpreter = "python3"
	}
	if interpreter, err = exec.LookPath(interpreter); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	p = &python{dir: dir}
	for name, data := range map[string][]float32{"rows": c.block, "queries": c.queries} {
		if err := writeFloats(filepath.Join(p.dir, name), data); err != nil {
			return nil, err
		}
	}
	threads := strconv.Itoa(runtime.GOMAXPROCS(0))
	p.cmd = exec.CommandContext(ctx, interpreter, "-c", script, p.dir, strconv.Itoa(c.dim), threads)
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} {
		p.cmd.Env = append(p.cmd.Environ(), name+"="+threads)
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(stdout)
	p.out.Buffer(nil, 1<<20)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if line, err := p.read(); err != nil || line != "ready" {
		p.in.Close()
		_ = p.cmd.Wait()
		return nil, fmt.Errorf("%s: %s", interpreter, strings.TrimPrefix(line, "missing: "))
	}
	return p, nil
}

func (p *python) read() (string, error) {
	if !p.out.Scan() {
		return "python ended", io.ErrUnexpectedEOF
	}
	return p.out.Text(), nil
}

// search lets a peer answer m queries from the i-th on; it returns the time and
// the hits of the first.
func (p *python) search(name string, i, m int) (time.Duration, []int, error) {
	if _, err := fmt.Fprintln(p.in, name, i, m, k); err != nil {
		return 0, nil, err
	}
	line, err := p.read()
	if err != nil {
		return 0, nil, err
	}
	fields := strings.Fields(line)
	seconds, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		return 0, nil, fmt.Errorf("%s answers %q", name, line)
	}
	rows := make([]int, len(fields)-1)
	for j := range rows {
		if rows[j], err = strconv.Atoi(fields[j+1]); err != nil {
			return 0, nil, err
		}
	}
	return time.Duration(seconds * 1e9), rows, nil
}

// spinning is longer than the threads of BLAS and OpenMP wait for more work
// before they sleep. Until then they take a processor from the contender whose
// turn comes next, in every round the same one: prospect, which follows numpy,
// needed 70 % more time for 10,000 rows.
const spinning = 100 * time.Millisecond

func (p *python) contender(name string, m int, right [][]int) contender {
	recall := recallOf(right[:10], func(i int) ([]int, error) {
		_, rows, err := p.search(name, i, 1)
		return rows, err
	})
	return contender{name: name, recall: recall, rest: spinning, run: func(i int) (time.Duration, error) {
		if m > 1 {
			i = 0
		}
		d, _, err := p.search(name, i%numQueries, m)
		return d, err
	}}
}

func (p *python) close() {
	p.in.Close() // ends the script
	_ = p.cmd.Wait()
	os.RemoveAll(p.dir)
}

func writeFloats(path string, data []float32) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := binary.Write(w, binary.LittleEndian, data); err != nil {
		f.Close()
		return err
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
