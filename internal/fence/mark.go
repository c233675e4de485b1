package fence

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// markLen is the length of a mark in hexadecimal digits. A text of n letters
// and digits holds at most n of the 2³² marks.
const markLen = 8

// A Mark tells the fences of one prompt from everything else in it.
type Mark string

// MarkFor returns a mark that does not occur in any of the texts. Give it all
// that the prompt will hold: equal texts give equal marks.
//
// The expected cost is linear in the length of the texts.
func MarkFor(texts ...string) Mark {
	hash := sha256.New()
	var folded [][]byte
	for _, text := range texts {
		fmt.Fprintf(hash, "%d:%s", len(text), text) // so that no two lists of texts are written alike
		folded = append(folded, fold(text))
	}
	return firstFree([sha256.Size]byte(hash.Sum(nil)), folded)
}

// firstFree returns the first mark that is in none of the folded texts, of
// those that begin sum, its hash, the hash of that and so on.
func firstFree(sum [sha256.Size]byte, folded [][]byte) Mark {
search:
	for ; ; sum = sha256.Sum256(sum[:]) {
		mark := hex.EncodeToString(sum[:markLen/2])
		for _, text := range folded {
			if bytes.Contains(text, []byte(mark)) {
				continue search
			}
		}
		return Mark(mark)
	}
}

// fold leaves the letters and digits of ASCII, in lower case, of text in its
// compatibility decomposition: what is left of it where a reader strips
// invisible characters, normalises, or does not look closely.
func fold(text string) []byte {
	out := make([]byte, 0, len(text))
	for _, b := range norm.NFKD.AppendString(nil, text) {
		switch {
		case 'A' <= b && b <= 'Z':
			out = append(out, b+'a'-'A')
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9':
			out = append(out, b)
		}
	}
	return out
}

// Unmark returns text without the marks of the fences that prompt has, each
// replaced by an ellipsis. A model's answer may repeat the tags that it was
// shown; quoted in a prompt that goes on from this one, they would stand for
// data that is not there.
func Unmark(text, prompt string) string {
	seen := make(map[string]bool)
	for _, tag := range opening.FindAllStringSubmatch(prompt, -1) {
		if mark := tag[2]; !seen[mark] {
			seen[mark] = true
			text = strings.ReplaceAll(text, mark, "…")
		}
	}
	return text
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Wrap returns text in a fence of the name, which says what the text is: a to
// z, digits and hyphens, beginning with a letter. It panics if the name is
// another or the mark occurs in the text, for those are mistakes in the
// program.
func (m Mark) Wrap(name, text string) string {
	fenced, err := m.wrap(name, text)
	if err != nil {
		panic(err)
	}
	return fenced
}

func (m Mark) wrap(name, text string) (string, error) {
	if !nameForm.MatchString(name) {
		return "", fmt.Errorf("fence: %q is no name for a fence: want letters a to z, digits and hyphens", name)
	}
	if len(m) != markLen || bytes.Contains(fold(text), []byte(m)) {
		return "", fmt.Errorf("fence: the mark %q was not made for the %s", string(m), name)
	}
	tag := name + "-" + string(m)
	return "<" + tag + ">\n" + escape(text) + "\n</" + tag + ">", nil
}
