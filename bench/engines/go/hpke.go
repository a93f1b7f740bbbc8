package main

import (
	"crypto/ecdh"
	"crypto/hpke"

	"sealstone.example/bench/protocol"
)

// HPKE of one text, as Sealstone's messages: HKDF-SHA256 and AES-256-GCM.
func hpkeOperations() []protocol.Operation {
	var operations []protocol.Operation
	for _, kind := range []struct {
		name string
		kem  hpke.KEM
	}{
		{"x25519", hpke.DHKEM(ecdh.X25519())},
		{"p256", hpke.DHKEM(ecdh.P256())},
		{"ml-kem-768", hpke.MLKEM768()},
		{"hybrid", hpke.MLKEM768X25519()},
	} {
		operations = append(operations, protocol.KEMOperations(kind.name, func() (*protocol.PublicKey, error) {
			private, err := kind.kem.GenerateKey()
			if err != nil {
				return nil, err
			}
			public, kdf, aead, info := private.PublicKey(), hpke.HKDFSHA256(), hpke.AES256GCM(), []byte("bench")
			return &protocol.PublicKey{
				Encrypt: func(plaintext []byte) ([]byte, error) { return hpke.Seal(public, kdf, aead, info, plaintext) },
				Decrypt: func(ciphertext []byte) ([]byte, error) { return hpke.Open(private, kdf, aead, info, ciphertext) },
			}, nil
		})...)
	}
	return operations
}
