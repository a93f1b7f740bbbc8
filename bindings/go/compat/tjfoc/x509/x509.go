// Package x509 has the functions for keys of github.com/tjfoc/gmsm/x509 1.4.1 over Sealstone's SM2: a program changes its import, and nothing
// else.
//
// What tjfoc's functions wrote, these read, and the other way round. Each key that is read is checked: the number is from 1 to n - 2, the point is
// on the curve.
//
// Not here: certificates, requests, revocation lists, PKCS #7, RSA, which crypto/x509 has, and the types of the parts of an encrypted key.
//
// New code uses ParsePrivateKey, ParsePublicKey and Export of sealstone.example/go/sm2. See docs/guide/from-gmsm.md.
package x509

import (
	"encoding/hex"
	"encoding/pem"
	"errors"
	"math/big"

	"sealstone.example/go/compat/tjfoc/sm2"
	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// The types of PEM blocks.
const (
	privateType   = "PRIVATE KEY"
	encryptedType = "ENCRYPTED PRIVATE KEY"
	publicType    = "PUBLIC KEY"
)

// ReadPrivateKeyFromPem reads a private key, which is encrypted where pwd is not nil, and not where it is.
func ReadPrivateKeyFromPem(privateKeyPem []byte, pwd []byte) (*sm2.PrivateKey, error) {
	block, _ := pem.Decode(privateKeyPem)
	if block == nil {
		return nil, errors.New("failed to decode private key")
	}
	return ParsePKCS8PrivateKey(block.Bytes, pwd)
}

// WritePrivateKeyToPem writes a private key, and encrypts it where pwd is not nil, as MarshalSm2EcryptedPrivateKey does.
func WritePrivateKeyToPem(key *sm2.PrivateKey, pwd []byte) ([]byte, error) {
	der, err := MarshalSm2PrivateKey(key, pwd)
	if err != nil {
		return nil, err
	}
	block := &pem.Block{Type: privateType, Bytes: der}
	if pwd != nil {
		block.Type = encryptedType
	}
	return pem.EncodeToMemory(block), nil
}

// ReadPublicKeyFromPem reads a public key.
func ReadPublicKeyFromPem(publicKeyPem []byte) (*sm2.PublicKey, error) {
	block, _ := pem.Decode(publicKeyPem)
	if block == nil || block.Type != publicType {
		return nil, errors.New("failed to decode public key")
	}
	return ParseSm2PublicKey(block.Bytes)
}

// WritePublicKeyToPem writes a public key.
func WritePublicKeyToPem(key *sm2.PublicKey) ([]byte, error) {
	der, err := MarshalSm2PublicKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: publicType, Bytes: der}), nil
}

// ReadPrivateKeyFromHex reads a private key of hexadecimal digits, also of those that WritePrivateKeyToHex left short. tjfoc's refuses an odd
// number of digits, which its own WritePrivateKeyToHex writes for 1 key of 16.
func ReadPrivateKeyFromHex(Dhex string) (*sm2.PrivateKey, error) {
	if len(Dhex)%2 != 0 {
		Dhex = "0" + Dhex
	}
	number, err := hex.DecodeString(Dhex)
	if err != nil {
		return nil, err
	}
	defer clear(number)
	return privateOf(number)
}

// WritePrivateKeyToHex writes a private key as hexadecimal digits. As tjfoc's it leaves out leading zeros, so that 1 key of 16 has under 64 digits.
func WritePrivateKeyToHex(key *sm2.PrivateKey) string { return key.D.Text(16) }

// ReadPublicKeyFromHex reads a public key of 128 hexadecimal digits, or of 130 that begin with 04. Unlike tjfoc's it refuses a point that is not on
// the curve.
func ReadPublicKeyFromHex(Qhex string) (*sm2.PublicKey, error) {
	point, err := hex.DecodeString(Qhex)
	if err != nil {
		return nil, err
	}
	if len(point) == 64 {
		point = append([]byte{4}, point...)
	}
	if len(point) != 65 || point[0] != 4 {
		return nil, errors.New("publicKey is not uncompressed.")
	}
	return publicOf(point)
}

// WritePublicKeyToHex writes a public key as 130 hexadecimal digits that begin with 04.
func WritePublicKeyToHex(key *sm2.PublicKey) string { return hex.EncodeToString(pointOf(key)) }

// privateOf makes a key of a number, whose leading zeros may be missing or too many.
func privateOf(number []byte) (*sm2.PrivateKey, error) {
	for len(number) > 32 && number[0] == 0 {
		number = number[1:]
	}
	if len(number) > 32 {
		return nil, fault.New("invalid_key", "the private key is outside the range 1 to n - 2")
	}
	var whole [32]byte
	defer clear(whole[:])
	copy(whole[32-len(number):], number)
	private, err := native.Sm2PrivateOf(whole[:])
	if err != nil {
		return nil, err
	}
	defer private.Free()
	public, err := native.Sm2PublicKey(private)
	if err != nil {
		return nil, err
	}
	defer public.Free()
	point, err := native.Sm2PublicBytes(public)
	if err != nil {
		return nil, err
	}
	return &sm2.PrivateKey{PublicKey: *publicKey(point), D: new(big.Int).SetBytes(number)}, nil
}

// publicOf makes a key of a point, 65 bytes or compressed ones, which has to be on the curve.
func publicOf(point []byte) (*sm2.PublicKey, error) {
	public, err := native.Sm2PublicOf(point)
	if err != nil {
		return nil, err
	}
	defer public.Free()
	if point, err = native.Sm2PublicBytes(public); err != nil {
		return nil, err
	}
	return publicKey(point), nil
}

func publicKey(point []byte) *sm2.PublicKey {
	return &sm2.PublicKey{Curve: sm2.P256Sm2(), X: new(big.Int).SetBytes(point[1:33]), Y: new(big.Int).SetBytes(point[33:])}
}

func pointOf(key *sm2.PublicKey) []byte {
	point := make([]byte, 65)
	point[0] = 4
	key.X.FillBytes(point[1:33])
	key.Y.FillBytes(point[33:])
	return point
}
