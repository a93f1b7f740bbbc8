package sm4

import (
	"crypto/subtle"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// tagSize is the length of a tag, in bytes.
const tagSize = 16

// Sm4GCM encrypts in where mode is true, and returns the ciphertext and the tag; else it decrypts in, and returns the plaintext and the tag that
// belongs to it, which the caller has to compare. Both are the bytes of tjfoc's function, and not those of GCM.
//
// It decrypts what anyone has changed, without an error, as tjfoc's does. The plaintext is as long as the ciphertext; tjfoc's fills its last block
// with bytes from behind the ciphertext, or panics where there are none. Decryption takes three times as long as encryption.
//
// Deprecated: read old data with OpenGCM, which compares the tag. Two IVs can give one keystream here: write new data with cipher.NewGCM of a
// block of NewCipher.
func Sm4GCM(key []byte, IV, in, A []byte, mode bool) ([]byte, []byte, error) {
	if err := checkKey(key); err != nil {
		return nil, nil, err
	}
	if mode {
		return sealGCM(key, IV, in, A)
	}
	// Zeros encrypt to the keystream, and the plaintext to ciphertext and tag.
	out, _, err := sealGCM(key, IV, make([]byte, len(in)), nil)
	if err != nil {
		return nil, nil, err
	}
	subtle.XORBytes(out, out, in)
	_, tag, err := sealGCM(key, IV, out, A)
	if err != nil {
		return nil, nil, err
	}
	return out, tag, nil
}

func sealGCM(key, iv, plaintext, aad []byte) (ciphertext, tag []byte, err error) {
	sealed, err := native.GmsmGcmSeal(key, iv, aad, plaintext)
	if err != nil {
		return nil, nil, err
	}
	length := len(sealed) - tagSize
	return sealed[:length:length], sealed[length:], nil
}

// OpenGCM decrypts what Sm4GCM wrote, after it has compared the tag in constant time. The error of a wrong one is not_authentic. tjfoc has no
// such function.
func OpenGCM(key, iv, in, aad, tag []byte) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if len(tag) != tagSize {
		return nil, fault.New("wrong_length", "the tag has %d bytes, not %d", len(tag), tagSize)
	}
	return native.GmsmGcmOpen(key, iv, aad, in, tag)
}

// GCMEncrypt is Sm4GCM with mode true. As tjfoc's it panics where the key does not have 16 bytes.
//
// Deprecated: as Sm4GCM.
func GCMEncrypt(K, IV, P, A []byte) (C, T []byte) { return mustGCM(K, IV, P, A, true) }

// GCMDecrypt is Sm4GCM with mode false. As tjfoc's it panics where the key does not have 16 bytes.
//
// Deprecated: as Sm4GCM.
func GCMDecrypt(K, IV, C, A []byte) (P, _T []byte) { return mustGCM(K, IV, C, A, false) }

func mustGCM(key, iv, in, aad []byte, mode bool) ([]byte, []byte) {
	out, tag, err := Sm4GCM(key, iv, in, aad, mode)
	if err != nil {
		panic(err)
	}
	return out, tag
}
