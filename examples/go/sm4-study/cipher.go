package main

import (
	"crypto/cipher"
	"crypto/subtle"
	"errors"
	"slices"
)

const blockSize = 16

// errCiphertext says that a ciphertext has a wrong length, wrong padding or a wrong tag.
var errCiphertext = errors.New("the ciphertext is damaged, or the key is another one")

// A keyedCipher is a library's cipher in one mode, with a key and an IV. Each call begins with the same IV again, as the study
// does: never do that with data of your own.
type keyedCipher struct {
	// encrypt returns the ciphertext, in the memory of dst where it has room. In a mode with padding, it writes the padding
	// behind the plaintext, where the slice has room for a block more; newBuffer makes such slices. dst may begin where the
	// plaintext does.
	encrypt func(dst, plaintext []byte) []byte
	// decrypt returns the plaintext, in the memory of dst where it has room.
	decrypt func(dst, ciphertext []byte) ([]byte, error)
	// newEncrypter returns an encrypter for whole blocks in pieces. It is nil where the library or the mode has none.
	newEncrypter func() cipher.BlockMode
}

// A newCipher makes a cipher for a key and an IV of 16 bytes each.
type newCipher func(key, iv []byte) (*keyedCipher, error)

// A library is an SM4 block, and the library's ECB, for which crypto/cipher has no function.
type library struct {
	newBlock                         func(key []byte) (cipher.Block, error)
	newECBEncrypter, newECBDecrypter func(block cipher.Block) cipher.BlockMode
}

// allModes runs a library in all modes. CBC, CTR and GCM are those of crypto/cipher, which calls the library's own code
// where its block has the methods for it.
func (l library) allModes() map[string]newCipher {
	return map[string]newCipher{
		"ecb": l.padded(
			func(block cipher.Block, _ []byte) cipher.BlockMode { return l.newECBEncrypter(block) },
			func(block cipher.Block, _ []byte) cipher.BlockMode { return l.newECBDecrypter(block) },
		),
		"cbc": l.padded(cipher.NewCBCEncrypter, cipher.NewCBCDecrypter),
		"ctr": l.newCTR,
		"gcm": l.newGCM,
	}
}

// padded makes a mode on whole blocks, with PKCS #7.
func (l library) padded(newEncrypter, newDecrypter func(block cipher.Block, iv []byte) cipher.BlockMode) newCipher {
	return func(key, iv []byte) (*keyedCipher, error) {
		block, err := l.newBlock(key)
		if err != nil {
			return nil, err
		}
		return &keyedCipher{
			encrypt: func(dst, plaintext []byte) []byte {
				padded := pad(plaintext)
				dst = resize(dst, len(padded))
				newEncrypter(block, iv).CryptBlocks(dst, padded)
				return dst
			},
			decrypt: func(dst, ciphertext []byte) ([]byte, error) {
				if len(ciphertext) == 0 || len(ciphertext)%blockSize != 0 {
					return nil, errCiphertext
				}
				dst = resize(dst, len(ciphertext))
				newDecrypter(block, iv).CryptBlocks(dst, ciphertext)
				return unpad(dst)
			},
			newEncrypter: func() cipher.BlockMode { return newEncrypter(block, iv) },
		}, nil
	}
}

// newCTR makes counter mode. The IV is the first counter block.
func (l library) newCTR(key, iv []byte) (*keyedCipher, error) {
	block, err := l.newBlock(key)
	if err != nil {
		return nil, err
	}
	apply := func(dst, src []byte) []byte {
		dst = resize(dst, len(src))
		cipher.NewCTR(block, iv).XORKeyStream(dst, src)
		return dst
	}
	return &keyedCipher{
		encrypt: apply,
		decrypt: func(dst, ciphertext []byte) ([]byte, error) { return apply(dst, ciphertext), nil },
	}, nil
}

// newGCM makes GCM with tags of 16 bytes. The first 12 bytes of the IV are the nonce.
func (l library) newGCM(key, iv []byte) (*keyedCipher, error) {
	block, err := l.newBlock(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	nonce := iv[:aead.NonceSize()]
	return &keyedCipher{
		encrypt: func(dst, plaintext []byte) []byte { return aead.Seal(dst[:0], nonce, plaintext, nil) },
		decrypt: func(dst, ciphertext []byte) ([]byte, error) {
			plaintext, err := aead.Open(dst[:0], nonce, ciphertext, nil)
			if err != nil {
				return nil, errCiphertext
			}
			return plaintext, nil
		},
	}, nil
}

// newBuffer makes a buffer of some length, with room for padding or a tag behind it.
func newBuffer(length int) []byte {
	return make([]byte, length, length+blockSize)
}

// newSample copies a plaintext into a buffer of its own.
func newSample(plaintext []byte) []byte {
	buffer := newBuffer(len(plaintext))
	copy(buffer, plaintext)
	return buffer
}

// pad appends PKCS #7's padding: 1 to 16 bytes, each of which is their number.
func pad(plaintext []byte) []byte {
	count := blockSize - len(plaintext)%blockSize
	for range count {
		plaintext = append(plaintext, byte(count))
	}
	return plaintext
}

// unpad removes PKCS #7's padding from whole blocks. Its time does not tell how the padding is wrong.
func unpad(padded []byte) ([]byte, error) {
	last := padded[len(padded)-blockSize:]
	count := int(last[blockSize-1])
	right := subtle.ConstantTimeLessOrEq(1, count) & subtle.ConstantTimeLessOrEq(count, blockSize)
	for i, value := range last {
		isPadding := subtle.ConstantTimeLessOrEq(blockSize-count, i)
		right &= subtle.ConstantTimeSelect(isPadding, subtle.ConstantTimeByteEq(value, byte(count)), 1)
	}
	if right != 1 {
		return nil, errCiphertext
	}
	return padded[:len(padded)-count], nil
}

// resize returns a slice of some length, in the memory of dst where it has room.
func resize(dst []byte, length int) []byte {
	return slices.Grow(dst[:0], length)[:length]
}
