// SM2, SM3 and SM4 of github.com/tjfoc/gmsm, behind the protocol of docs/design/bench.md.
//
// Its block in the modes of crypto/cipher is faster than its own functions for a mode, which take the key in each call
// and allocate for each block.
package main

import (
	"crypto/rand"
	"errors"
	"math/big"
	"runtime"
	"slices"

	"github.com/tjfoc/gmsm/sm2"
	"github.com/tjfoc/gmsm/sm3"
	"github.com/tjfoc/gmsm/sm4"
	"sealstone.example/bench/protocol"
)

func main() {
	about := protocol.About{
		Name:    "gmsm-tjfoc",
		Version: protocol.ModuleVersion("github.com/tjfoc/gmsm"),
		Backend: runtime.Version(),
	}
	hash := protocol.HashOperation("hash/sm3", 32, func(data, digest []byte) { copy(digest, sm3.Sm3Sum(data)) })
	sm4, sm2 := protocol.SM4Operations(newKey), protocol.SM2Operations(newSM2)
	protocol.Serve(about, slices.Concat(sm4, sm2, []protocol.Operation{hash}))
}

func newSM2(private []byte) (*protocol.SM2, error) {
	key := &sm2.PrivateKey{D: new(big.Int).SetBytes(private)}
	key.Curve = sm2.P256Sm2()
	key.X, key.Y = key.Curve.ScalarBaseMult(private)
	return &protocol.SM2{
		Sign: func(message []byte) ([]byte, error) { return key.Sign(rand.Reader, message, nil) },
		Verify: func(message, signature []byte) error {
			if !key.PublicKey.Verify(message, signature) {
				return errors.New("it is no signature of it")
			}
			return nil
		},
		Encrypt: func(plaintext []byte) ([]byte, error) { return key.PublicKey.EncryptAsn1(plaintext, rand.Reader) },
		Decrypt: func(ciphertext []byte) ([]byte, error) { return key.DecryptAsn1(ciphertext) },
	}, nil
}

func newKey(key []byte) (*protocol.SM4, error) {
	block, err := sm4.NewCipher(key)
	if err != nil {
		return nil, err
	}
	eachBlock := func(work func(dst, src []byte)) func(data []byte) {
		return func(data []byte) {
			for len(data) > 0 {
				work(data[:sm4.BlockSize], data)
				data = data[sm4.BlockSize:]
			}
		}
	}
	// Its block writes into room of its own, so that goroutines may not share it.
	return &protocol.SM4{Block: block, EncryptECB: eachBlock(block.Encrypt), DecryptECB: eachBlock(block.Decrypt)}, nil
}
