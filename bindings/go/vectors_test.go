//go:build cgo

package sealstone

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// A vector of vectors/README.md: lines, and the bytes of a file.
type vector struct {
	name  string
	lines [][2]string
	file  []byte
}

func (v vector) values(key string) (values []string) {
	for _, line := range v.lines {
		if line[0] == key {
			values = append(values, line[1])
		}
	}
	return values
}

func (v vector) value(key string) string {
	return strings.Join(v.values(key), "")
}

func vectors(t *testing.T, folder string, least int) []vector {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "vectors", folder, "*"))
	if err != nil || len(names) < least {
		t.Fatalf("%d vectors in %s, and at least %d are there", len(names), folder, least)
	}
	all := make([]vector, len(names))
	for i, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head, file, _ := bytes.Cut(content, []byte("\n\n"))
		all[i] = vector{name: filepath.Base(name), file: file}
		for _, line := range strings.Split(string(head), "\n") {
			key, value, _ := strings.Cut(line, ": ")
			all[i].lines = append(all[i].lines, [2]string{key, value})
		}
	}
	return all
}

// options are those of the vector's reader.
func (v vector) options(t *testing.T) []Option {
	t.Helper()
	var identities []*Identity
	for _, line := range v.lines {
		file := []byte(line[1])
		switch line[0] {
		case "identity-pkcs8":
			decoded, err := base64.StdEncoding.DecodeString(line[1])
			if err != nil {
				t.Fatal(err)
			}
			file = decoded
		case "identity":
		default:
			continue
		}
		parsed, err := ParseIdentities(file, nil)
		if err != nil {
			t.Fatal(v.name, err)
		}
		identities = append(identities, parsed...)
	}
	for _, passphrase := range v.values("passphrase") {
		identity, err := PassphraseIdentity([]byte(passphrase))
		if err != nil {
			t.Fatal(v.name, err)
		}
		identities = append(identities, identity)
	}
	options := []Option{With(identities...)}
	if context := v.values("context"); len(context) > 0 {
		options = append(options, Context([]byte(context[0])))
	}
	return options
}

// code is the code of an error, or success.
func code(err error) string {
	var own *Error
	switch {
	case err == nil:
		return "success"
	case errors.As(err, &own):
		return own.Code
	}
	return err.Error()
}

func TestEveryVectorOfFilesGivesItsVerdict(t *testing.T) {
	ways := map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r },
		"half":  iotest.HalfReader,
		"late":  iotest.DataErrReader,
	}
	readings := 0
	for _, v := range vectors(t, "file", 900) {
		options, want := v.options(t), v.value("expect")
		check := func(way string, released []byte, err error) {
			t.Helper()
			readings++
			var own *Error
			if got := code(err); got != want {
				t.Errorf("%s, %s: %s (%v), not %s", v.name, way, got, err, want)
			} else if chunk := v.value("chunk"); errors.As(err, &own) && chunk != "" && fmt.Sprint(own.Chunk) != chunk {
				t.Errorf("%s, %s: chunk %d, not %s", v.name, way, own.Chunk, chunk)
			}
			sum := sha256.Sum256(released)
			if got := hex.EncodeToString(sum[:]); got != v.value("released") && (err == nil || len(released) > 0) {
				t.Errorf("%s, %s: other bytes were released, %d", v.name, way, len(released))
			}
		}
		if asked := v.value("range"); asked != "" {
			var start, end int64
			if _, err := fmt.Sscanf(asked, "%d..%d", &start, &end); err != nil {
				t.Fatal(v.name, err)
			}
			released, err := readRange(v.file, start, end, options)
			check("range", released, err)
			continue
		}
		for way, of := range ways {
			// Derivations that cost as much as a writer's are read in one way.
			if strings.Contains(v.name, "writers_cost") && way != "whole" {
				continue
			}
			var released []byte
			r, err := Decrypt(of(bytes.NewReader(v.file)), options...)
			if err == nil {
				released, err = io.ReadAll(r)
			}
			check(way, released, err)
		}
	}
	if readings < 2600 {
		t.Errorf("only %d readings", readings)
	}
}

func readRange(file []byte, start, end int64, options []Option) ([]byte, error) {
	if isArmoured := bytes.HasPrefix(bytes.TrimSpace(file), []byte("-----BEGIN")); isArmoured {
		r, err := Decrypt(bytes.NewReader(file), options...)
		if err != nil {
			return nil, err
		}
		plain, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		return section(bytes.NewReader(plain), int64(len(plain)), start, end)
	}
	r, size, err := DecryptReaderAt(bytes.NewReader(file), int64(len(file)), options...)
	if err != nil {
		return nil, err
	}
	return section(r, size, start, end)
}

func section(r io.ReaderAt, size, start, end int64) ([]byte, error) {
	if start > size {
		return nil, ErrRangeOutOfBounds
	}
	return io.ReadAll(io.NewSectionReader(r, start, min(end, size)-start))
}

func TestEveryVectorOfKeyFilesIsReadAsItSays(t *testing.T) {
	for _, v := range vectors(t, "keys", 700) {
		var keys []string
		var err error
		if v.value("read") == "recipients" {
			var recipients []*Recipient
			recipients, err = ParseRecipients(v.file)
			for _, one := range recipients {
				keys = append(keys, one.Kind()+" "+one.Fingerprint())
			}
		} else {
			var passphrase []byte
			if given := v.values("passphrase"); len(given) > 0 {
				passphrase = []byte(given[0])
			}
			var identities []*Identity
			identities, err = ParseIdentities(v.file, passphrase)
			for _, one := range identities {
				keys = append(keys, one.Kind()+" "+one.Recipient().Fingerprint())
			}
		}
		if got := code(err); got != v.value("expect") {
			t.Errorf("%s: %s (%v), not %s", v.name, got, err, v.value("expect"))
		} else if want := v.values("key"); err == nil && strings.Join(keys, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %q, not %q", v.name, keys, want)
		}
	}
}
