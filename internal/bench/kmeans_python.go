package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prospect-go/prospect/internal/kmeans"
)

//go:embed kmeans.py
var clusterScript string

// clusterPython is a child process with the peers that cluster in Python.
type clusterPython struct {
	dir   string
	dim   int
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	peers []string // that are there
}

func startClusterPython(ctx context.Context, rows kmeans.Matrix, k int) (_ *clusterPython, err error) {
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
	p := &clusterPython{dir: dir, dim: rows.Dim}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if err := writeFloats(filepath.Join(dir, "rows"), rows.Data); err != nil {
		return nil, err
	}
	threads := strconv.Itoa(runtime.GOMAXPROCS(0))
	cmd := exec.CommandContext(ctx, interpreter, "-c", clusterScript, dir,
		strconv.Itoa(rows.Dim), strconv.Itoa(k), threads)
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} {
		cmd.Env = append(cmd.Environ(), name+"="+threads)
	}
	cmd.Stderr = os.Stderr
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(stdout)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.cmd = cmd
	if !p.out.Scan() {
		return nil, fmt.Errorf("%s: %w", interpreter, io.ErrUnexpectedEOF)
	}
	p.peers = strings.Fields(p.out.Text())[1:]
	if len(p.peers) == 0 {
		return nil, fmt.Errorf("%s has neither", interpreter)
	}
	return p, nil
}

// run lets a peer cluster the rows.
func (p *clusterPython) run(name string, seed uint64) (grouped, error) {
	if _, err := fmt.Fprintln(p.in, name, seed); err != nil {
		return grouped{}, err
	}
	if !p.out.Scan() {
		return grouped{}, io.ErrUnexpectedEOF
	}
	var wall, cpu float64
	var g grouped
	if _, err := fmt.Sscan(p.out.Text(), &wall, &cpu, &g.iterations); err != nil {
		return grouped{}, fmt.Errorf("%s answers %q", name, p.out.Text())
	}
	g.wall, g.cpu = time.Duration(wall*1e9), time.Duration(cpu*1e9)
	data, err := os.ReadFile(filepath.Join(p.dir, "centroids"))
	if err != nil {
		return grouped{}, err
	}
	g.centroids, err = centroidsOf(data, p.dim)
	return g, err
}

// centroidsOf reads little-endian floats, and scales centroids to unit length:
// scikit-learn's are means.
func centroidsOf(data []byte, dim int) (kmeans.Matrix, error) {
	floats := make([]float32, len(data)/4)
	for i := range floats {
		floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	var rows [][]float32
	for row := range slices.Chunk(floats, dim) {
		rows = append(rows, row)
	}
	_, m, err := kmeans.Gather(slices.All(rows), len(rows))
	return m, err
}

func (p *clusterPython) close() {
	if p.cmd != nil {
		p.in.Close() // ends the script
		_ = p.cmd.Wait()
	}
	os.RemoveAll(p.dir)
}
