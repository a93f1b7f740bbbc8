//go:build cgo

package sealstone

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
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

// The keys of vectors/README.md. Those from archive on are about members of archives, which are bytes here.
const (
	fileKeys = " expect section comment identity identity-pkcs8 passphrase context range chunk released" +
		" archive list extract member data "
	keyFileKeys = " expect section comment read passphrase key secret "
)

func vectors(t *testing.T, folder, keys string, least int) []vector {
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
			if !strings.Contains(keys, " "+key+" ") {
				t.Fatalf("%s: %s is no key of a vector", all[i].name, key)
			}
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

// isCompressed reports whether the file, armoured or not, has a suite that exists and the flag of compressed content.
func (v vector) isCompressed() bool {
	prefix := v.file
	if lines, ok := bytes.CutPrefix(v.file, []byte("-----BEGIN SEALSTONE FILE-----\n")); ok && len(lines) >= 16 {
		prefix, _ = base64.StdEncoding.DecodeString(string(lines[:16]))
	}
	isVersion2 := bytes.HasPrefix(prefix, []byte("\x89SEAL\r\n\x1a\x02")) && len(prefix) >= 12
	return isVersion2 && prefix[9] >= 1 && prefix[9] <= 3 && prefix[11]&4 != 0
}

// inParts is the code of readers of a part at a time, which do not read compressed files yet: they say so of a header that is whole.
func (v vector) inParts() string {
	isWhole := len(v.file) >= 16
	if isWhole && v.file[0] == 0x89 {
		isWhole = len(v.file) >= 16+int(binary.BigEndian.Uint32(v.file[12:]))+32
	}
	if isWhole && v.isCompressed() {
		return "unsupported_version"
	}
	return v.value("expect")
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
	ctx, folder := context.Background(), t.TempDir()
	sealed, opened := filepath.Join(folder, "sealed"), filepath.Join(folder, "opened")
	readings, compressed := 0, 0
	for _, v := range vectors(t, "file", fileKeys, 1697) {
		options := v.options(t)
		check := func(way, want string, released []byte, err error) {
			t.Helper()
			readings++
			var own *Error
			chunk := v.value("chunk")
			if want != v.value("expect") {
				chunk = ""
			}
			if got := code(err); got != want {
				t.Errorf("%s, %s: %s (%v), not %s", v.name, way, got, err, want)
			} else if errors.As(err, &own) && chunk != "" && fmt.Sprint(own.Chunk) != chunk {
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
			check("range", v.inParts(), released, err)
			continue
		}
		if err := os.WriteFile(sealed, v.file, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := DecryptFile(ctx, sealed, opened, append(options, Replace())...)
		var content []byte
		if err == nil {
			content, _ = os.ReadFile(opened)
		}
		check("file", v.value("expect"), content, err)
		// Whether an archive's members are in order is no question of expect, but VerifyFile asks it.
		if archive := v.value("archive"); err == nil && archive != "" {
			if _, err := VerifyFile(ctx, sealed, options...); code(err) != archive {
				t.Errorf("%s, verified: %v, not %s", v.name, err, archive)
			}
		}
		if seen, err := InspectFile(ctx, sealed); v.value("expect") == "success" {
			if err != nil || seen.Compressed != v.isCompressed() || (seen.Compressed || seen.Archive) != (seen.Version == 2) {
				t.Errorf("%s: %+v, %v", v.name, seen, err)
			} else if seen.Compressed {
				compressed++
			}
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
			check(way, v.inParts(), released, err)
		}
	}
	if readings < 6500 || compressed < 331 {
		t.Errorf("only %d readings, and %d good compressed files", readings, compressed)
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
	if start > size || end < start {
		return nil, ErrRangeOutOfBounds
	}
	return io.ReadAll(io.NewSectionReader(r, start, min(end, size)-start))
}

func TestEveryVectorOfKeyFilesIsReadAsItSays(t *testing.T) {
	for _, v := range vectors(t, "keys", keyFileKeys, 734) {
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
