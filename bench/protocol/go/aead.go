package protocol

import "crypto/cipher"

const (
	NonceSize = 12 // of most
	TagSize   = 16
)

// Key is the key of every operation that says no other: bytes 0, 1, 2, …
func Key(size int) []byte {
	return counting(0, size)
}

// Nonce is the nonce of every operation on one buffer: bytes 0x40, 0x41, …
func Nonce(size int) []byte {
	return counting(0x40, size)
}

func counting(from byte, size int) []byte {
	bytes := make([]byte, size)
	for i := range bytes {
		bytes[i] = from + byte(i)
	}
	return bytes
}

// Seal seals the input in place. To seal again what is sealed already is the same work, so nothing is restored between
// two runs.
func Seal(aead cipher.AEAD, input []byte) (*Trial, error) {
	nonce := Nonce(aead.NonceSize())
	return &Trial{Run: func() ([]byte, error) {
		return aead.Seal(input[:0], nonce, input, nil), nil
	}}, nil
}

// Open opens in place what the input was sealed to. That destroys it, so every run begins with a copy.
func Open(aead cipher.AEAD, input []byte) (*Trial, error) {
	nonce := Nonce(aead.NonceSize())
	sealed := aead.Seal(input[:0], nonce, input, nil)
	work := Buffer(len(sealed))
	return &Trial{Run: func() ([]byte, error) {
		copy(work, sealed)
		return aead.Open(work[:0], nonce, work, nil)
	}}, nil
}
