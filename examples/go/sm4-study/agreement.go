package main

import (
	"bytes"
	"fmt"
)

// compareEngines encrypts a plaintext with each engine that has the mode, and compares the ciphertexts byte by byte with the
// first engine's. Each engine also decrypts the first engine's ciphertext.
func compareEngines(m mode, plaintext []byte) error {
	opened, err := openEngines(m)
	if err != nil {
		return err
	}
	expected := opened[0].cipher.encrypt(nil, newSample(plaintext))
	if length := m.ciphertextLen(len(plaintext)); len(expected) != length {
		return fmt.Errorf("%s, %s: %d bytes become %d, not %d", opened[0].name, m.name, len(plaintext), len(expected), length)
	}
	for _, e := range opened {
		if ciphertext := e.cipher.encrypt(nil, newSample(plaintext)); !bytes.Equal(ciphertext, expected) {
			return fmt.Errorf("%s and %s disagree on %s of %d bytes, from byte %d on",
				opened[0].name, e.name, m.name, len(plaintext), firstDifference(expected, ciphertext))
		}
		decrypted, err := e.cipher.decrypt(nil, expected)
		if err != nil {
			return fmt.Errorf("%s, %s of %d bytes: %w", e.name, m.name, len(plaintext), err)
		}
		if !bytes.Equal(decrypted, plaintext) {
			return fmt.Errorf("%s decrypts %s of %d bytes to another plaintext", e.name, m.name, len(plaintext))
		}
	}
	return nil
}

// ciphertextLen is the length of the ciphertext of a plaintext, with padding or tag.
func (m mode) ciphertextLen(plaintextLen int) int {
	switch {
	case m.isPadded:
		return (plaintextLen/blockSize + 1) * blockSize
	case m.name == "gcm":
		return plaintextLen + blockSize
	}
	return plaintextLen
}

func firstDifference(one, other []byte) int {
	for i := range min(len(one), len(other)) {
		if one[i] != other[i] {
			return i
		}
	}
	return min(len(one), len(other))
}
