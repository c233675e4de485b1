package skill

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// jsonText gives a node as JSON on one line, in the order of the file. Plain
// scalars that JSON knows (true, null, 1.5) are not quoted.
func jsonText(n *yaml.Node) string {
	var b strings.Builder
	writeJSON(&b, n)
	return b.String()
}

func writeJSON(b *strings.Builder, n *yaml.Node) {
	n = dealias(n)
	switch n.Kind {
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, c)
		}
		b.WriteByte(']')
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONString(b, keyText(n.Content[i]))
			b.WriteByte(':')
			writeJSON(b, n.Content[i+1])
		}
		b.WriteByte('}')
	default:
		const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
		switch {
		case isNull(n):
			b.WriteString("null")
		case n.Style&quoted == 0 && n.Tag != "!!str" && json.Valid([]byte(n.Value)):
			b.WriteString(n.Value)
		default:
			writeJSONString(b, n.Value)
		}
	}
}

func writeJSONString(b *strings.Builder, s string) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false) // keeps <, > and & readable
	_ = e.Encode(s)        // a string always encodes, and a Buffer never fails
	b.Write(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
}
