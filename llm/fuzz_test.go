package llm

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
)

// A file that can be read says the same once it is written anew, and a file
// that cannot has a typed error.
func FuzzReadRecording(f *testing.F) {
	header := `{"format":"prospect llm recording","version":1,"model":"m","by":"b"}` + "\n"
	for _, seed := range []string{
		"", header, header[:20], "\uFEFF" + header, header + "\n\r\n",
		header + `{"key":"k","response":"yes"}`,
		header + `{"request":{"system":"s","prompt":"p","schema":{"a":[1.50,"\u003c"]},"schema_name":"n","max_tokens":1,"temperature":0.1},"response":{"text":"t","truncated":true,"usage":{"input_tokens":1,"output_tokens":2}},"by":"x"}` + "\n",
		header + `{"request":{"prompt":"\ud800\u0000"},"response":null}` + "\n" + `{"key`,
		header + `{"request":{"prompt":"p","schema":"{","temperature":-0}}` + "\n{]\n",
		`{"format":"prospect llm recording","version":2,"model":"m"}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := readRecording(data)
		if err != nil {
			known := errors.Is(err, prospect.ErrFormat) || errors.Is(err, prospect.ErrVersion) || errors.Is(err, prospect.ErrCorrupt)
			require.True(t, known, "%v", err)
			return
		}
		require.LessOrEqual(t, read.good, len(data))
		require.Len(t, read.lines, len(read.entries))
		prefix, err := readRecording(data[:read.good])
		require.NoError(t, err, "what is good is good alone")
		require.Equal(t, read.entries, prefix.entries)

		var b bytes.Buffer
		require.NoError(t, read.write(&b))
		again, err := readRecording(b.Bytes())
		require.NoError(t, err, "%s", b.Bytes())
		require.Equal(t, read.header, again.header)
		require.Equal(t, read.entries, again.entries)
		require.Equal(t, b.Len(), again.good)
		for _, e := range read.entries {
			require.NotEmpty(t, e.Key)
			require.Equal(t, tidy(e.Request), e.Request)
		}
	})
}

// What is read as an entry is what would be written.
func FuzzDecodeCacheEntry(f *testing.F) {
	const key = "0123456789abcdef0123456789abcdef"
	good, err := encodeCacheEntry(key, prospect.LLMResponse{Text: "t <é>", Truncated: true, Usage: prospect.Usage{InputTokens: 1}})
	require.NoError(f, err)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte(`{"format":"prospect llm cache","version":1,"key":"` + key + `","sum":"00000000"}`))
	f.Add([]byte(`{"format":"prospect llm cache","version":1,"key":"` + key + `","sum":"` + sumOf([]byte(`null`)) + `","response":null}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		resp, err := decodeCacheEntry(data, key)
		if err != nil {
			require.Zero(t, resp)
			return
		}
		again, err := encodeCacheEntry(key, resp)
		require.NoError(t, err)
		back, err := decodeCacheEntry(again, key)
		require.NoError(t, err)
		require.Equal(t, resp, back)
	})
}

// Scrubbing twice is scrubbing once.
func FuzzScrub(f *testing.F) {
	for _, seed := range []string{
		"token=abcdef123456 token: [scrubbed]", "Authorization: Basic " + long, "a://b:c@d e://f:@g", pem + long + "\n" + long, "bearer bearer " + long, "sk-sk-" + long,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := scrub(text)
		require.Equal(t, once, scrub(once))
	})
}
