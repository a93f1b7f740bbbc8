// Package aead has ciphers that authenticate what they encrypt, behind crypto/cipher's interface: "aes-128-gcm", "aes-192-gcm", "aes-256-gcm",
// "aes-128-gcm-siv", "aes-256-gcm-siv", "chacha20-poly1305", "xchacha20-poly1305", "sm4-gcm" and "sm4-ccm".
//
// A key may be used by several goroutines at the same time. Never use a nonce twice under one key: Seal with a nonce from crypto/rand of
// NonceSize bytes, or SealBatch, which draws them.
package aead

import (
	"bytes"

	"sealstone.example/go/internal/alias"
	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/items"
	"sealstone.example/go/internal/native"
)

// Overhead is the length of the tag, in bytes.
const Overhead = 16

// Key is a key of an AEAD. It is a crypto/cipher.AEAD.
type Key struct {
	key       *native.Aead
	nonceSize int
}

// New makes a key of an algorithm, by its name.
//
// The errors are unknown_algorithm, wrong_length of the key, and unavailable_backend.
func New(algorithm string, key []byte) (*Key, error) {
	nonceSize, err := native.AeadNonceLen(algorithm)
	if err != nil {
		return nil, err
	}
	made, err := native.AeadNew(algorithm, key)
	if err != nil {
		return nil, err
	}
	return &Key{made, nonceSize}, nil
}

// KeySize returns the length of an algorithm's keys, in bytes; 0 where the algorithm is unknown.
func KeySize(algorithm string) int {
	size, _ := native.AeadKeyLen(algorithm)
	return size
}

// NonceSize returns the length of a nonce, in bytes.
func (k *Key) NonceSize() int { return k.nonceSize }

// Overhead returns the length of the tag, in bytes.
func (k *Key) Overhead() int { return Overhead }

// Seal encrypts plaintext, authenticates it with additionalData, and appends ciphertext and tag to dst, as crypto/cipher.AEAD says. It panics
// where the nonce has another length, where memory overlaps otherwise than from its beginning, and where the plaintext is too long.
func (k *Key) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	if len(nonce) != k.nonceSize {
		panic("aead: incorrect nonce length given to Seal")
	}
	all, room := alias.Append(dst, len(plaintext)+Overhead)
	if alias.InexactOverlap(room, plaintext) {
		panic("aead: invalid buffer overlap of output and input")
	}
	if alias.Overlap(room, additionalData) {
		panic("aead: invalid buffer overlap of output and additional data")
	}
	if alias.Overlap(room, nonce) {
		// As crypto/cipher's, it has read the nonce before it writes.
		nonce = bytes.Clone(nonce)
	}
	if err := native.AeadSeal(k.key, nonce, additionalData, plaintext, room); err != nil {
		panic(err.Error())
	}
	return all
}

// Open authenticates ciphertext with additionalData, and appends the plaintext to dst, as crypto/cipher.AEAD says. When it fails, its memory
// behind dst holds no plaintext; the error is not_authentic. It panics where the nonce has another length, and where memory overlaps
// otherwise than from its beginning.
func (k *Key) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	if len(nonce) != k.nonceSize {
		panic("aead: incorrect nonce length given to Open")
	}
	if len(ciphertext) < Overhead {
		return nil, native.AeadOpen(k.key, nonce, additionalData, ciphertext, nil)
	}
	all, room := alias.Append(dst, len(ciphertext)-Overhead)
	if alias.InexactOverlap(room, ciphertext) {
		panic("aead: invalid buffer overlap of output and input")
	}
	if alias.Overlap(room, additionalData) {
		panic("aead: invalid buffer overlap of output and additional data")
	}
	if alias.Overlap(room, nonce) {
		// As crypto/cipher's, it has read the nonce before it writes.
		nonce = bytes.Clone(nonce)
	}
	if err := native.AeadOpen(k.key, nonce, additionalData, ciphertext, room); err != nil {
		return nil, err
	}
	return all, nil
}

// SealBatch seals many plaintexts in one call of native code. Each result is a nonce that was drawn, the ciphertext and the tag. The results lie
// one behind the other in one piece of memory.
func (k *Key) SealBatch(plaintexts [][]byte, additionalData []byte) ([][]byte, error) {
	data, lengths, err := items.Join(plaintexts)
	if err != nil {
		return nil, err
	}
	more := k.nonceSize + Overhead
	out := make([]byte, len(data)+more*len(plaintexts))
	if err := native.AeadSealBatch(k.key, additionalData, data, lengths, out); err != nil {
		return nil, err
	}
	return split(out, lengths, func(length int) int { return length + more }), nil
}

// OpenBatch opens the results of SealBatch. Of one that is not authentic the plaintext is nil, and errs has the error at its place; errs
// is nil where all are authentic.
func (k *Key) OpenBatch(sealed [][]byte, additionalData []byte) (plaintexts [][]byte, errs []error) {
	data, lengths, err := items.Join(sealed)
	less := k.nonceSize + Overhead
	total := 0
	for _, one := range sealed {
		total += max(len(one)-less, 0)
	}
	out := make([]byte, total)
	var opened []byte
	if err == nil {
		opened, err = native.AeadOpenBatch(k.key, additionalData, data, lengths, out)
	}
	if err != nil {
		errs = make([]error, len(sealed))
		for i := range errs {
			errs[i] = err
		}
		return make([][]byte, len(sealed)), errs
	}
	plaintexts = split(out, lengths, func(length int) int { return max(length-less, 0) })
	for i, isOpen := range opened {
		if isOpen == 0 {
			if errs == nil {
				errs = make([]error, len(sealed))
			}
			plaintexts[i], errs[i] = nil, &fault.Error{Code: "not_authentic", Message: "not authentic", Chunk: -1}
		}
	}
	return plaintexts, errs
}

// String names the type, and shows nothing of the key.
func (k *Key) String() string { return "aead.Key(..)" }

// GoString is as String.
func (k *Key) GoString() string { return k.String() }

func split(all []byte, lengths []uint32, of func(int) int) [][]byte {
	parts := make([][]byte, len(lengths))
	for i, length := range lengths {
		n := of(int(length))
		parts[i], all = all[:n:n], all[n:]
	}
	return parts
}
