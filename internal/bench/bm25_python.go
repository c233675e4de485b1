package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

//go:embed bm25.py
var lexicalScript string

// nobody matches no peer.
var nobody = regexp.MustCompile(`^\b$`)

// lexicalPython is a child process with the lexical peers that are written
// for Python.
type lexicalPython struct {
	dir   string
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	peers []string // that are there
}

func startLexicalPython(ctx context.Context, texts []string, queries map[string][]string) (_ *lexicalPython, err error) {
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
	p := &lexicalPython{dir: dir}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if err := writeTexts(filepath.Join(dir, "texts.jsonl"), texts); err != nil {
		return nil, err
	}
	data, err := json.Marshal(queries)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "queries.json"), data, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, interpreter, "-c", lexicalScript, dir)
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

func writeTexts(path string, texts []string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	e := json.NewEncoder(w)
	for _, text := range texts {
		if err := e.Encode(text); err != nil {
			f.Close()
			return err
		}
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// work is a peer's piece of work; its name may say more than the peer's.
func (p *lexicalPython) work(name, verb, set string) work {
	peer, _, _ := strings.Cut(name, " ")
	return work{name: name, remote: func() (wall, cpu time.Duration, err error) {
		if _, err := fmt.Fprintln(p.in, peer, verb, set); err != nil {
			return 0, 0, err
		}
		if !p.out.Scan() {
			return 0, 0, io.ErrUnexpectedEOF
		}
		var seconds [2]float64
		if _, err := fmt.Sscan(p.out.Text(), &seconds[0], &seconds[1]); err != nil {
			return 0, 0, fmt.Errorf("%s answers %q", name, p.out.Text())
		}
		return time.Duration(seconds[0] * 1e9), time.Duration(seconds[1] * 1e9), nil
	}}
}

// add appends the work of those peers that are there.
func (p *lexicalPython) add(to []work, verb, set string, names ...string) []work {
	for _, name := range names {
		if peer, _, _ := strings.Cut(name, " "); slices.Contains(p.peers, peer) {
			to = append(to, p.work(name, verb, set))
		}
	}
	return to
}

func (p *lexicalPython) close() {
	if p.cmd != nil {
		p.in.Close() // ends the script
		_ = p.cmd.Wait()
	}
	os.RemoveAll(p.dir)
}
