// The Go engine of the benchmark: the standard library and golang.org/x/crypto behind the protocol of
// docs/design/bench.md.
//
// The ciphers are made once for a key. Everything is sealed and opened in place, with the destination at the start of
// the buffer that is read, as the documentation of cipher.AEAD describes; buffers have room for a tag, so that nothing
// is allocated while the clock runs.
package main

import (
	"bytes"
	"compress/flate"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"time"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/chacha20poly1305"
	"sealstone.example/bench/protocol"
)

func main() {
	about := protocol.About{
		Name:    "go",
		Version: strings.TrimPrefix(runtime.Version(), "go"),
		Backend: "golang.org/x/crypto " + protocol.ModuleVersion("golang.org/x/crypto"),
	}
	protocol.Serve(about, append(hpkeOperations(), []protocol.Operation{
		operation("aead/aes-256-gcm/seal", newAES256GCM, setUpSeal),
		operation("aead/aes-256-gcm/open", newAES256GCM, setUpOpen),
		operation("aead/chacha20-poly1305/seal", chacha20poly1305.New, setUpSeal),
		operation("aead/chacha20-poly1305/open", chacha20poly1305.New, setUpOpen),
		operation("aead/xchacha20-poly1305/seal", chacha20poly1305.NewX, setUpSeal),
		operation("aead/xchacha20-poly1305/open", chacha20poly1305.NewX, setUpOpen),
		operation("workload/records/seal", newAES256GCM, setUpRecords),
		operation("workload/text/seal", newAES256GCM, setUpSeal),
		operation("workload/text/deflate-seal", newAES256GCM, setUpDeflate),
		protocol.HashOperation("hash/sha256", sha256.Size, func(data, digest []byte) {
			sum := sha256.Sum256(data)
			copy(digest, sum[:])
		}),
		protocol.HashOperation("hash/sha512", sha512.Size, func(data, digest []byte) {
			sum := sha512.Sum512(data)
			copy(digest, sum[:])
		}),
		protocol.HashOperation("hash/sha3-256", 32, func(data, digest []byte) {
			sum := sha3.Sum256(data)
			copy(digest, sum[:])
		}),
		protocol.HashOperation("hash/blake2b", blake2b.Size, func(data, digest []byte) {
			sum := blake2b.Sum512(data)
			copy(digest, sum[:])
		}),
	}...))
}

const keySize = 32

func operation(
	name string,
	newCipher func(key []byte) (cipher.AEAD, error),
	setUp func(aead cipher.AEAD, input []byte) (*protocol.Trial, error),
) protocol.Operation {
	return protocol.Operation{Name: name, SetUp: func(input []byte) (*protocol.Trial, error) {
		aead, err := newCipher(protocol.Key(keySize))
		if err != nil {
			return nil, err
		}
		return setUp(aead, input)
	}}
}

func newAES256GCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func setUpSeal(aead cipher.AEAD, input []byte) (*protocol.Trial, error) {
	return protocol.Seal(aead, input), nil
}

func setUpOpen(aead cipher.AEAD, input []byte) (*protocol.Trial, error) {
	return protocol.Open(aead, input), nil
}

// Spreads the lines, so that each has room for its tag. An end of a line is one line feed; the last needs none.
func setUpRecords(aead cipher.AEAD, input []byte) (*protocol.Trial, error) {
	var lines [][]byte
	for len(input) > 0 {
		line, rest, _ := bytes.Cut(input, []byte{'\n'})
		lines = append(lines, line)
		input = rest
	}
	size := 0
	for _, line := range lines {
		size += len(line) + protocol.TagSize
	}
	work := protocol.Buffer(size)[:0]
	records := make([][]byte, len(lines))
	for i, line := range lines {
		start := len(work)
		work = append(work, line...)
		records[i] = work[start:]
		work = work[:len(work)+protocol.TagSize]
	}

	trial := &protocol.Trial{Units: len(records)}
	nonce := make([]byte, protocol.NonceSize)
	trial.Run = func() ([]byte, error) {
		start := time.Now()
		before := time.Since(start)
		for i, record := range records {
			binary.BigEndian.PutUint64(nonce[protocol.NonceSize-8:], uint64(i))
			aead.Seal(record[:0], nonce, record, nil)
			now := time.Since(start)
			trial.Longest = max(trial.Longest, now-before)
			before = now
		}
		return work, nil
	}
	return trial, nil
}

func setUpDeflate(aead cipher.AEAD, input []byte) (*protocol.Trial, error) {
	compressor, err := flate.NewWriter(nil, 6)
	if err != nil {
		return nil, err
	}
	nonce := protocol.Nonce(protocol.NonceSize)
	// What cannot be compressed grows by five bytes a block of at most 64 KiB.
	work := bytes.NewBuffer(protocol.Buffer(len(input) + len(input)/1000 + 1024)[:0])
	run := func() ([]byte, error) {
		work.Reset()
		compressor.Reset(work)
		if _, err := compressor.Write(input); err != nil {
			return nil, err
		}
		if err := compressor.Close(); err != nil {
			return nil, err
		}
		return aead.Seal(work.Bytes()[:0], nonce, work.Bytes(), nil), nil
	}
	// Compressors differ, so the digest is that of what comes back.
	reveal := func(sealed []byte) ([]byte, error) {
		compressed, err := aead.Open(nil, nonce, sealed, nil)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(flate.NewReader(bytes.NewReader(compressed)))
	}
	return &protocol.Trial{Run: run, Reveal: reveal}, nil
}
