package skilldreamer

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/prospect-go/prospect"
	"github.com/prospect-go/prospect/embed"
	"github.com/prospect-go/prospect/skill"
)

func smallFile(t testing.TB) []byte {
	t.Helper()
	g, err := NewGallery(embed.NewHash(8), GalleryOptions{})
	require.NoError(t, err)
	require.NoError(t, g.Put(context.Background(),
		&skill.Skill{ID: "a", Name: "a", Description: "one", Metadata: map[string]string{"k": "v"}},
		&skill.Skill{ID: "b", Source: "user", Name: "b", Description: "two", Resources: []string{"x"}}))
	var b bytes.Buffer
	require.NoError(t, g.write(&b))
	return b.Bytes()
}

func open(data []byte) error {
	g, err := newGallery(embed.NewHash(8), GalleryOptions{})
	if err != nil {
		return err
	}
	return g.read(bytes.NewReader(data))
}

func typed(err error) bool {
	for _, want := range []error{prospect.ErrCorrupt, prospect.ErrFormat, prospect.ErrVersion, prospect.ErrIdentity, prospect.ErrDimension} {
		if errors.Is(err, want) {
			return true
		}
	}
	return false
}

func TestDamagedGalleryFiles(t *testing.T) {
	data := smallFile(t)
	require.NoError(t, open(data))
	for n := range data {
		require.True(t, typed(open(data[:n])), "cut at %d", n)
		bad := bytes.Clone(data)
		bad[n] ^= 0x20
		require.True(t, typed(open(bad)), "byte %d", n)
	}
}

func FuzzGalleryFile(f *testing.F) {
	f.Add(smallFile(f))
	f.Add([]byte(galleryMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := open(data); err != nil && !typed(err) {
			t.Fatalf("untyped error: %v", err)
		}
	})
}
