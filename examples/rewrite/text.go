package main

import (
	"io"
	"os"
	"runtime"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Texts of documents and of models are anybody's. What is printed goes through
// clean or cleanLines, so that nothing in them can steer a terminal.

// clean makes one line of a text: white space becomes single spaces, control
// and direction characters are dropped.
func clean(s string) string {
	return strings.Join(strings.Fields(strip(s)), " ")
}

// cleanLines keeps the lines of a text, and drops the rest that clean drops.
func cleanLines(s string) []string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(strip(strings.ReplaceAll(l, "\t", "    ")), " ")
	}
	return lines
}

func strip(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case steers(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// steers says that a character may move the cursor, change colours or turn the
// direction of what follows. The joiners of scripts and emoji do not.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d' || r == '\u2028' || r == '\u2029'
}

// columns is how many columns of a terminal a character takes.
func columns(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

func textWidth(s string) (n int) {
	for _, r := range s {
		n += columns(r)
	}
	return n
}

// cut shortens a text to n columns; an ellipsis shows it.
func cut(s string, n int) string {
	if textWidth(s) <= n {
		return s
	}
	at, w := 0, 0
	for i, r := range s {
		if w += columns(r); w > n-1 {
			break
		}
		at = i + len(string(r))
	}
	return strings.TrimRight(s[:at], " ") + "…"
}

// pad fills a text up to n columns.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-textWidth(s))) }

// wrap breaks a text into lines of at most n columns, at spaces where there
// are any.
func wrap(s string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		for {
			joined := word
			if line != "" {
				joined = line + " " + word
			}
			if textWidth(joined) <= n {
				line = joined
				break
			}
			if line != "" {
				lines, line = append(lines, line), ""
				continue
			}
			at, w := 0, 0 // a word longer than a line
			for i, r := range word {
				if w += columns(r); w > n && i > 0 {
					break
				}
				at = i + len(string(r))
			}
			lines, word = append(lines, word[:at]), word[at:]
			if word == "" {
				break
			}
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// style puts emphasis on a terminal and nothing elsewhere.
type style struct{ on bool }

func styleFor(w io.Writer) style {
	_, quiet := os.LookupEnv("NO_COLOR")
	knows := os.Getenv("TERM") != "dumb"
	if runtime.GOOS == "windows" {
		_, knows = os.LookupEnv("WT_SESSION")
	}
	return style{isTerminal(w) && !quiet && knows}
}

func (s style) wrapped(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string  { return s.wrapped("1", text) }
func (s style) green(text string) string { return s.wrapped("32", text) }
func (s style) faint(text string) string { return s.wrapped("2", text) }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
