//go:build cgo

package sm2_test

import (
	"fmt"

	"sealstone.example/go/sm2"
)

// A message is signed as a user, and verified.
func Example() {
	key, err := sm2.GenerateKey()
	if err != nil {
		panic(err)
	}
	signature, err := key.SignMessage([]byte("attack at dawn"), nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(sm2.VerifyMessage(key.PublicKey(), []byte("attack at dawn"), nil, signature))

	ciphertext, err := sm2.Encrypt(key.PublicKey(), []byte("a key"), sm2.C1C3C2)
	if err != nil {
		panic(err)
	}
	plain, err := key.Decrypt(nil, ciphertext, sm2.C1C3C2)
	fmt.Println(string(plain), err)
	// Output:
	// <nil>
	// a key <nil>
}
