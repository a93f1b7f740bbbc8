package main

import (
	"bytes"
	"crypto/cipher"

	"github.com/tjfoc/gmsm/sm4"
)

// tjfocModes are the block of tjfoc/gmsm in the modes of crypto/cipher, made once for a key. Its block has room for one
// call, so goroutines may not share it.
var tjfocModes = library{
	newBlock:        sm4.NewCipher,
	newECBEncrypter: func(block cipher.Block) cipher.BlockMode { return eachBlock(block.Encrypt) },
	newECBDecrypter: func(block cipher.Block) cipher.BlockMode { return eachBlock(block.Decrypt) },
}.allModes()

// eachBlock calls a function for each block. This is ECB, which tjfoc/gmsm has only as Sm4Ecb.
type eachBlock func(dst, src []byte)

func (crypt eachBlock) BlockSize() int { return blockSize }

func (crypt eachBlock) CryptBlocks(dst, src []byte) {
	for ; len(src) > 0; dst, src = dst[blockSize:], src[blockSize:] {
		crypt(dst[:blockSize], src[:blockSize])
	}
}

// tjfocFunctions are Sm4Ecb and Sm4Cbc, the functions that the documentation of tjfoc/gmsm shows. They take the key in each
// call, and return new memory. Its Sm4GCM has no part: its tags are not those of GCM.
var tjfocFunctions = map[string]newCipher{
	"ecb": func(key, _ []byte) (*keyedCipher, error) { return callFunction(sm4.Sm4Ecb, key), nil },
	"cbc": func(key, iv []byte) (*keyedCipher, error) {
		// One IV for the whole process. Setting it while another goroutine encrypts would be a race.
		if err := sm4.SetIV(bytes.Clone(iv)); err != nil {
			return nil, err
		}
		return callFunction(sm4.Sm4Cbc, key), nil
	},
}

// callFunction makes a cipher of a function that encrypts when its last argument is true, and pads by itself.
func callFunction(crypt func(key, in []byte, encrypts bool) ([]byte, error), key []byte) *keyedCipher {
	return &keyedCipher{
		encrypt: func(_, plaintext []byte) []byte {
			ciphertext, err := crypt(key, plaintext, true)
			if err != nil {
				panic("tjfoc-functions: " + err.Error()) // the key has 16 bytes, and nothing else can fail
			}
			return ciphertext
		},
		decrypt: func(_, ciphertext []byte) ([]byte, error) {
			if len(ciphertext) == 0 || len(ciphertext)%blockSize != 0 {
				return nil, errCiphertext
			}
			plaintext, err := crypt(key, ciphertext, false)
			// Wrong padding is no error there: the plaintext is nil.
			if err != nil || plaintext == nil {
				return nil, errCiphertext
			}
			return plaintext, nil
		},
	}
}
