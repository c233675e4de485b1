package answer

import (
	"errors"
	"strings"
	"unicode/utf8"
)

var (
	errSyntax = errors.New("not a JSON value")
	errDeep   = errors.New("nested too deeply")
)

// A parser reads one value from the beginning of a text, JSON or nearly so.
// What is valid JSON it reads as JSON says; everything else is a repair.
type parser struct {
	s   string
	pos int

	depth   int
	objects int // open around pos
	lists   int // open around pos

	// broken says that the text ended inside the value, which was closed.
	broken bool
	// guessed says that a list holds words without quotes: [like this] in
	// prose is read so too.
	guessed bool
}

// skip passes white space, comments, and marks that stand for left-out parts.
func (p *parser) skip() {
	for p.pos < len(p.s) {
		rest := p.s[p.pos:]
		switch {
		case isSpace(rest[0]):
			p.pos++
		case strings.HasPrefix(rest, "//"), rest[0] == '#':
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				p.pos += end
			} else {
				p.pos = len(p.s)
			}
		case strings.HasPrefix(rest, "/*"):
			if end := strings.Index(rest, "*/"); end >= 0 {
				p.pos += end + len("*/")
			} else {
				p.pos = len(p.s)
			}
		case strings.HasPrefix(rest, "..."):
			p.pos += len("...")
		default:
			n := ignorable(rest)
			if n == 0 {
				return
			}
			p.pos += n
		}
	}
}

// ended says if the text is over: at its end or, since no value holds a fence
// outside its strings, at the closing fence of a value that broke off.
func (p *parser) ended() bool {
	return p.pos >= len(p.s) || strings.HasPrefix(p.s[p.pos:], "```")
}

func (p *parser) value() (node, error) {
	p.skip()
	if p.ended() {
		p.broken = true
		return node{}, errSyntax
	}
	switch c := p.s[p.pos]; {
	case c == '{' || c == '[':
		if p.depth == MaxDepth {
			return node{}, errDeep
		}
		p.depth++
		defer func() { p.depth-- }()
		if c == '{' {
			return p.object()
		}
		return p.list()
	case quoteAt(p.s[p.pos:]) != nil:
		return textNode(p.quoted(false)), nil
	default:
		return p.bare()
	}
}

func (p *parser) object() (node, error) {
	p.pos++ // {
	p.objects++
	defer func() { p.objects-- }()
	n := node{kind: object}
	for {
		p.separators()
		if p.ended() {
			p.broken = true
			return n, nil
		}
		switch p.s[p.pos] {
		case '}':
			p.pos++
			return n, nil
		case ']':
			if p.lists == 0 {
				return node{}, errSyntax
			}
			return n, nil // a brace was left out
		}
		key, err := p.key()
		if err != nil {
			return node{}, err
		}
		p.skip()
		if p.ended() { // a key without its value says nothing
			p.broken = true
			return n, nil
		}
		if !p.take("=>", ":", "=", "：") {
			return node{}, errSyntax
		}
		value, said, err := p.item()
		if err != nil {
			return node{}, err
		}
		if !said {
			return n, nil
		}
		n.keys, n.items = append(n.keys, key), append(n.items, value)
	}
}

func (p *parser) list() (node, error) {
	p.pos++ // [
	p.lists++
	defer func() { p.lists-- }()
	n := node{kind: list}
	for {
		p.separators()
		if p.ended() {
			p.broken = true
			return n, nil
		}
		switch p.s[p.pos] {
		case ']':
			p.pos++
			return n, nil
		case '}':
			if p.objects == 0 {
				return node{}, errSyntax
			}
			return n, nil // a bracket was left out
		}
		word := isWordStart(p.s[p.pos:])
		item, said, err := p.item()
		if err != nil {
			return node{}, err
		}
		if !said {
			return n, nil
		}
		if word && item.kind == text {
			p.guessed = true
		}
		n.items = append(n.items, item)
	}
}

// item reads a value of an object or list; said is false where the text broke
// off before it said anything of it.
func (p *parser) item() (item node, said bool, err error) {
	item, err = p.value()
	if p.broken && (err != nil || item.empty()) {
		return node{}, false, nil
	}
	return item, true, err
}

// separators passes commas, as many as there are, or none: a comma too many
// and one left out are the commonest faults.
func (p *parser) separators() {
	for {
		p.skip()
		if !p.take(",", ";", "，", "、") {
			return
		}
	}
}

// take passes the first of the marks that the text goes on with.
func (p *parser) take(marks ...string) bool {
	for _, m := range marks {
		if strings.HasPrefix(p.s[p.pos:], m) {
			p.pos += len(m)
			return true
		}
	}
	return false
}

// key reads a key, quoted or not.
func (p *parser) key() (string, error) {
	if quoteAt(p.s[p.pos:]) != nil {
		return p.quoted(true), nil
	}
	begin := p.pos
	for p.pos < len(p.s) {
		r, size := utf8.DecodeRuneInString(p.s[p.pos:])
		if !isWord(r) && r != '-' && r != '.' {
			break
		}
		p.pos += size
	}
	if p.pos == begin {
		return "", errSyntax
	}
	return p.s[begin:p.pos], nil
}
