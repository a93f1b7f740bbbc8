//go:build cgo

package sm4_test

import (
	"crypto/cipher"
	"crypto/rand"
	"fmt"

	"sealstone.example/go/sm4"
)

// Code over crypto/cipher changes its import: cipher.NewGCM finds the code of this package.
func ExampleNewCipher() {
	block, err := sm4.NewCipher([]byte("1234567890abcdef"))
	if err != nil {
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	nonce := make([]byte, gcm.NonceSize())
	rand.Read(nonce)
	sealed := gcm.Seal(nil, nonce, []byte("attack at dawn"), nil)
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	fmt.Println(string(plain), err)
	// Output: attack at dawn <nil>
}

// Many messages in CBC are encrypted together.
func ExampleEncryptCBCBatch() {
	block, err := sm4.NewCipher([]byte("1234567890abcdef"))
	if err != nil {
		panic(err)
	}
	messages, ivs := make([][]byte, 16), make([][]byte, 16)
	for i := range messages {
		messages[i], ivs[i] = make([]byte, 1024), make([]byte, sm4.BlockSize)
		rand.Read(ivs[i])
	}
	fmt.Println(sm4.EncryptCBCBatch(block, ivs, messages))
	// Output: <nil>
}
