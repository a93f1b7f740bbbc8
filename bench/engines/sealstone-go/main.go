// SM2, SM3 and SM4 of the Go module bindings/go, behind the protocol of docs/design/bench.md.
//
// Its documentation recommends the modes of crypto/cipher, which find its code for each, and its own ECB.
package main

import (
	"runtime"
	"slices"

	"sealstone.example/bench/protocol"
	"sealstone.example/go"
	"sealstone.example/go/sm2"
	"sealstone.example/go/sm3"
	"sealstone.example/go/sm4"
)

func main() {
	details, err := sealstone.Details()
	if err != nil {
		panic(err)
	}
	about := protocol.About{
		Name:    "sealstone-go",
		Version: protocol.ModuleVersion("sealstone.example/go"),
		Backend: runtime.Version() + ", " + details,
	}
	hash := protocol.HashOperation("hash/sm3", sm3.Size, func(data, digest []byte) {
		sum := sm3.Sum(data)
		copy(digest, sum[:])
	})
	protocol.Serve(about, slices.Concat(protocol.SM4Operations(newKey), protocol.SM2Operations(newSM2), []protocol.Operation{hash}))
}

// The functions return what they allocate.
func newSM2(private []byte) (*protocol.SM2, error) {
	key, err := sm2.NewPrivateKey(private)
	if err != nil {
		return nil, err
	}
	public := key.PublicKey()
	return &protocol.SM2{
		Sign:    func(message []byte) ([]byte, error) { return key.SignMessage(message, nil) },
		Verify:  func(message, signature []byte) error { return sm2.VerifyMessage(public, message, nil, signature) },
		Encrypt: func(plaintext []byte) ([]byte, error) { return sm2.Encrypt(public, plaintext, sm2.ASN1) },
		Decrypt: func(ciphertext []byte) ([]byte, error) { return key.Decrypt(nil, ciphertext, sm2.ASN1) },
	}, nil
}

func newKey(key []byte) (*protocol.SM4, error) {
	block, err := sm4.NewCipher(key)
	if err != nil {
		return nil, err
	}
	// Nothing is chained in this mode, so one of each serves all messages.
	encrypter, decrypter := sm4.NewECBEncrypter(block), sm4.NewECBDecrypter(block)
	return &protocol.SM4{
		Block:      block,
		IsShared:   true,
		EncryptECB: func(data []byte) { encrypter.CryptBlocks(data, data) },
		DecryptECB: func(data []byte) { decrypter.CryptBlocks(data, data) },
	}, nil
}
