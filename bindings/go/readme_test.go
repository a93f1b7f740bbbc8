//go:build cgo

package sealstone_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"sealstone.example/go"
)

// readme is README's block.
func readme(ctx context.Context, sealed io.Reader) (io.Reader, error) {
	alice, err := sealstone.GenerateIdentity("")
	_, err = sealstone.EncryptFile(ctx, "film.mkv", "film.mkv.seal", sealstone.To(alice.Recipient()))
	film, err := sealstone.Decrypt(sealed, sealstone.With(alice)) // an io.Reader
	return film, err
}

// opened opens a file when it is first read.
type opened struct{ file io.Reader }

func (o *opened) Read(p []byte) (int, error) {
	if o.file == nil {
		content, err := os.ReadFile("film.mkv.seal")
		if err != nil {
			return 0, err
		}
		o.file = bytes.NewReader(content)
	}
	return o.file.Read(p)
}

func TestTheBlockOfTheReadmeRuns(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```go\n")
	block, _, _ := strings.Cut(rest, "```")
	lines := "\t" + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n\t") + "\n"
	if block == "" || !strings.Contains(string(source), lines) {
		t.Errorf("README has another block than this file:\n%s", lines)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("film.mkv", []byte("attack at dawn"), 0o600); err != nil {
		t.Fatal(err)
	}
	film, err := readme(context.Background(), &opened{})
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(film); err != nil || string(plain) != "attack at dawn" {
		t.Error(string(plain), err)
	}
}
