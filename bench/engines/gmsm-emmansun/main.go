// SM2, SM3 and SM4 of github.com/emmansun/gmsm, behind the protocol of docs/design/bench.md.
//
// Its documentation recommends its own ECB and otherwise the modes of crypto/cipher, which find its assembly for each.
package main

import (
	"crypto/rand"
	"errors"
	"runtime"
	"slices"

	gmsm "github.com/emmansun/gmsm/cipher"
	"github.com/emmansun/gmsm/sm2"
	"github.com/emmansun/gmsm/sm3"
	"github.com/emmansun/gmsm/sm4"
	"sealstone.example/bench/protocol"
)

func main() {
	about := protocol.About{
		Name:    "gmsm-emmansun",
		Version: protocol.ModuleVersion("github.com/emmansun/gmsm"),
		Backend: runtime.Version(),
	}
	hash := protocol.HashOperation("hash/sm3", sm3.Size, func(data, digest []byte) {
		sum := sm3.Sum(data)
		copy(digest, sum[:])
	})
	sm4, sm2 := protocol.SM4Operations(newKey), protocol.SM2Operations(newSM2)
	protocol.Serve(about, slices.Concat(sm4, sm2, []protocol.Operation{hash}))
}

// The functions that its README shows, which allocate what they return.
func newSM2(private []byte) (*protocol.SM2, error) {
	key, err := sm2.NewPrivateKey(private)
	if err != nil {
		return nil, err
	}
	return &protocol.SM2{
		Sign: func(message []byte) ([]byte, error) {
			return key.Sign(rand.Reader, message, sm2.DefaultSM2SignerOpts)
		},
		Verify: func(message, signature []byte) error {
			if !sm2.VerifyASN1WithSM2(&key.PublicKey, nil, message, signature) {
				return errors.New("it is no signature of it")
			}
			return nil
		},
		Encrypt: func(plaintext []byte) ([]byte, error) { return sm2.EncryptASN1(rand.Reader, &key.PublicKey, plaintext) },
		Decrypt: func(ciphertext []byte) ([]byte, error) { return sm2.Decrypt(key, ciphertext) },
	}, nil
}

func newKey(key []byte) (*protocol.SM4, error) {
	block, err := sm4.NewCipher(key)
	if err != nil {
		return nil, err
	}
	// Nothing is chained in this mode, so one of each serves all messages.
	encrypter, decrypter := gmsm.NewECBEncrypter(block), gmsm.NewECBDecrypter(block)
	return &protocol.SM4{
		Block:      block,
		IsShared:   true,
		EncryptECB: func(data []byte) { encrypter.CryptBlocks(data, data) },
		DecryptECB: func(data []byte) { decrypter.CryptBlocks(data, data) },
	}, nil
}
