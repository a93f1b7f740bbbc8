// The Go engine of the benchmark: the standard library and golang.org/x/crypto behind the protocol of
// docs/design/bench.md.
//
// The ciphers are made once for a key. Everything is sealed and opened in place, with the destination at the start of
// the buffer that is read, as the documentation of cipher.AEAD describes; buffers have room for a tag, so that nothing
// is allocated while the clock runs.
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"runtime"
	"strings"

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
		operation("aead/aes-256-gcm/seal", newAES256GCM, protocol.Seal),
		operation("aead/aes-256-gcm/open", newAES256GCM, protocol.Open),
		operation("aead/chacha20-poly1305/seal", chacha20poly1305.New, protocol.Seal),
		operation("aead/chacha20-poly1305/open", chacha20poly1305.New, protocol.Open),
		operation("aead/xchacha20-poly1305/seal", chacha20poly1305.NewX, protocol.Seal),
		operation("aead/xchacha20-poly1305/open", chacha20poly1305.NewX, protocol.Open),
		operation("workload/records/seal", newAES256GCM, protocol.Records),
		operation("workload/text/seal", newAES256GCM, protocol.Seal),
		operation("workload/text/deflate-seal", newAES256GCM, protocol.Deflate),
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
