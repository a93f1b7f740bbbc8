// The engine of age as a library of Go: files in memory to one recipient, behind the protocol of docs/design/bench.md.
package main

import (
	"bytes"
	"io"

	"filippo.io/age"
	"sealstone.example/bench/protocol"
)

func main() {
	about := protocol.About{Name: "age-library", Version: protocol.ModuleVersion("filippo.io/age")}
	x25519 := protocol.KEMOperations("x25519", func() (*protocol.PublicKey, error) {
		identity, err := age.GenerateX25519Identity()
		if err != nil {
			return nil, err
		}
		return newKey(identity, identity.Recipient()), nil
	})
	hybrid := protocol.KEMOperations("hybrid", func() (*protocol.PublicKey, error) {
		identity, err := age.GenerateHybridIdentity()
		if err != nil {
			return nil, err
		}
		return newKey(identity, identity.Recipient()), nil
	})
	protocol.Serve(about, append(x25519, hybrid...))
}

func newKey(identity age.Identity, recipient age.Recipient) *protocol.PublicKey {
	return &protocol.PublicKey{
		Encrypt: func(plaintext []byte) ([]byte, error) {
			var file bytes.Buffer
			writer, err := age.Encrypt(&file, recipient)
			if err != nil {
				return nil, err
			}
			if _, err := writer.Write(plaintext); err != nil {
				return nil, err
			}
			if err := writer.Close(); err != nil {
				return nil, err
			}
			return file.Bytes(), nil
		},
		Decrypt: func(file []byte) ([]byte, error) {
			reader, err := age.Decrypt(bytes.NewReader(file), identity)
			if err != nil {
				return nil, err
			}
			return io.ReadAll(reader)
		},
	}
}
