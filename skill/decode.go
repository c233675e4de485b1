package skill

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	utf "golang.org/x/text/encoding/unicode"
)

// decodeText turns the bytes of a file into valid UTF-8 with LF line ends and
// without NUL. How the encoding is told is in the package comment.
func decodeText(data []byte, report *reporter) string {
	text := decodeBytes(data, report)
	if n := strings.Count(text, "\x00"); n > 0 {
		line := 1 + strings.Count(text[:strings.IndexByte(text, 0)], "\n")
		report.warn(ControlCharacters, line, fmt.Sprintf("%d NUL removed", n))
		text = strings.ReplaceAll(text, "\x00", "")
	}
	// A second byte order mark, or what web pages leave in what is copied.
	if rest := strings.TrimLeft(text, "\uFEFF\u200B\u2060"); rest != text {
		report.warn(ControlCharacters, 1, "invisible characters removed from the start")
		text = rest
	}
	return normaliseLineEnds(text, report)
}

func decodeBytes(data []byte, report *reporter) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		report.note(ByteOrderMark, 1, "UTF-8 byte order mark removed")
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("-\x00-\x00-\x00")):
		return decodeUTF16(data, utf.LittleEndian, "UTF-16, little endian", report)
	case bytes.HasPrefix(data, []byte("\xfe\xff")), bytes.HasPrefix(data, []byte("\x00-\x00-\x00-")):
		return decodeUTF16(data, utf.BigEndian, "UTF-16, big endian", report)
	}
	if utf8.Valid(data) {
		return string(data)
	}
	if !mostlyUTF8(data) {
		for _, c := range []struct {
			name      string
			encoding  encoding.Encoding
			plausible func(string) bool
		}{
			{"Shift_JIS", japanese.ShiftJIS, plausibleJapanese},
			{"GB18030", simplifiedchinese.GB18030, plausibleChinese},
			{"Windows-1252", charmap.Windows1252, plausibleWestern},
		} {
			text, err := c.encoding.NewDecoder().Bytes(data)
			if err != nil || bytes.ContainsRune(text, utf8.RuneError) || !c.plausible(string(text)) {
				continue
			}
			report.warn(Encoding, 0, "not UTF-8; read as "+c.name)
			return string(text)
		}
	}
	text, n, line := replaceInvalid(data)
	report.warn(InvalidBytes, line, fmt.Sprintf("%d bytes that are not UTF-8 became U+FFFD", n))
	return text
}

func decodeUTF16(data []byte, order utf.Endianness, name string, report *reporter) string {
	// The decoder takes the mark off and does not mind if there is none. What it
	// cannot read becomes U+FFFD, so there is no error.
	text, _ := utf.UTF16(order, utf.UseBOM).NewDecoder().Bytes(data)
	report.warn(Encoding, 0, "not UTF-8; read as "+name)
	if n := bytes.Count(text, []byte("\uFFFD")); n > 0 {
		report.warn(InvalidBytes, 0, fmt.Sprintf("%d code units that are not UTF-16 became U+FFFD", n))
	}
	return string(text)
}

// mostlyUTF8 tells UTF-8 with damage from another encoding: text in another
// encoding forms a valid multi-byte sequence only by accident.
func mostlyUTF8(data []byte) bool {
	valid, invalid := 0, 0
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && n == 1:
			invalid++
		case n > 1:
			valid++
		}
		data = data[n:]
	}
	return valid > invalid
}

// replaceInvalid puts U+FFFD for each byte that is not UTF-8 and tells how many
// there were and the line of the first.
func replaceInvalid(data []byte) (text string, n, line int) {
	var b strings.Builder
	b.Grow(len(data) + 16)
	lines := 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			if n == 0 {
				line = lines
			}
			n++
		}
		if r == '\n' {
			lines++
		}
		b.WriteRune(r)
		data = data[size:]
	}
	return b.String(), n, line
}

// plausibleJapanese asks for kana, which no Chinese and no Western text turns
// into by accident: at least a tenth of what is not ASCII. Chinese read as
// Shift_JIS is full of half-width katakana instead, which are limited to a fifth.
func plausibleJapanese(text string) bool {
	var all, kana, halfWidth int
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			continue
		case r >= 0xFF61 && r <= 0xFF9F:
			halfWidth++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		}
		all++
	}
	return kana*10 >= all && halfWidth*5 <= all
}

// plausibleChinese asks that at least two thirds of what is not ASCII be Chinese
// characters or their punctuation, and that most of them have such a neighbour:
// a Western accented letter read as GB18030 swallows the letter after it and
// stands alone between ASCII letters.
func plausibleChinese(text string) bool {
	var all, chinese, joined int
	before := false
	for _, r := range text {
		if r < utf8.RuneSelf {
			before = false
			continue
		}
		all++
		is := unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF5E
		if is {
			chinese++
			if before {
				joined++
			}
		}
		before = is
	}
	return chinese*3 >= all*2 && joined*2 >= chinese
}

// plausibleWestern asks that of what is not ASCII nine tenths be letters or
// typographic punctuation that stand in runs of at most two, as in Western text;
// binary rubbish comes in longer runs or as other symbols.
func plausibleWestern(text string) bool {
	var all, fit, run int
	flush := func() {
		if run <= 2 {
			fit += run
		}
		run = 0
	}
	for _, r := range text {
		if r < utf8.RuneSelf {
			flush()
			continue
		}
		all++
		if unicode.IsControl(r) {
			return false
		}
		run++
	}
	flush()
	return fit*10 >= all*9
}

func normaliseLineEnds(text string, report *reporter) string {
	cr := strings.Count(text, "\r")
	if cr == 0 {
		return text
	}
	crlf, lf := strings.Count(text, "\r\n"), strings.Count(text, "\n")
	var was string
	switch {
	case crlf == cr && crlf == lf:
		was = "CRLF"
	case lf == 0:
		was = "CR"
	default:
		was = "mixed"
	}
	report.note(LineEndings, 0, was+" line ends became LF")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// readableControls replaces the control characters that YAML forbids. Those of
// the C1 block nearly always come from Windows-1252 text taken for Latin-1, and
// are read as such, the way web browsers do; the others are removed.
func readableControls(text string) (cleaned string, n int) {
	cleaned = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r >= 0x20 && r < 0x7F || r > 0x9F && r != 0xFFFE && r != 0xFFFF || r == 0x85:
			return r
		}
		n++
		if r >= 0x80 && r <= 0x9F {
			if w := charmap.Windows1252.DecodeByte(byte(r)); w != utf8.RuneError && !unicode.IsControl(w) {
				return w
			}
		}
		return -1
	}, text)
	if n == 0 {
		return text, 0
	}
	return cleaned, n
}
