package sealstone

import "sealstone.example/go/internal/native"

// ChunkedKey encrypts data in chunks under a symmetric key, for formats that bring their own keys: the payload of a file without its header. It
// may be used by several goroutines at the same time.
type ChunkedKey struct{ key *native.ChunkedKey }

// NewChunkedKey makes a key for the chunks of a suite: "aes-256-gcm" and "chacha20-poly1305" have keys of 32 bytes, "sm4-gcm" of 16.
func NewChunkedKey(suite string, key []byte) (*ChunkedKey, error) {
	made, err := native.ChunkedKeyNew(suite, key)
	if err != nil {
		return nil, err
	}
	return &ChunkedKey{made}, nil
}

// Encrypt encrypts a plaintext in a context, which may be empty.
func (k *ChunkedKey) Encrypt(context, plaintext []byte) ([]byte, error) {
	return native.ChunkedEncrypt(k.key, context, plaintext)
}

// Decrypt decrypts what Encrypt returned, in the same context. The errors are truncated and not_authentic.
func (k *ChunkedKey) Decrypt(context, ciphertext []byte) ([]byte, error) {
	return native.ChunkedDecrypt(k.key, context, ciphertext)
}

// String names the type, and shows nothing of the key.
func (k *ChunkedKey) String() string { return "ChunkedKey(..)" }

// GoString is as String.
func (k *ChunkedKey) GoString() string { return k.String() }
