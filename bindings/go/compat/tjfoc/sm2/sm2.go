// Package sm2 has the names of github.com/tjfoc/gmsm/sm2 1.4.1 over Sealstone's SM2: a program changes its import, and nothing else.
//
// What tjfoc's functions wrote, these read, and the other way round. What differs is said at each function; of all of them:
//
//   - Randomness is the system's. Arguments that are an io.Reader are ignored.
//   - What is damaged gives an error, where tjfoc's functions panic or go on: a ciphertext that is too short, a point that is not on the curve.
//   - Signing, decryption and key exchange are native code in constant time. D of a private key is a big.Int, as tjfoc has it: it lies in Go's
//     memory, is not zeroed, and is taken in by each call anew. Keys of sealstone.example/go/sm2 lie in native memory.
//
// Not here: WNafReversed, which the exported names of tjfoc's arithmetic include.
//
// New code uses sealstone.example/go/sm2. See docs/guide/from-gmsm.md.
package sm2

import (
	"bytes"
	"crypto"
	"crypto/elliptic"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"
	"math/big"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
	"sealstone.example/go/sm3"
)

// The orders of the parts of a ciphertext: C1C3C2 is that of GB/T 32918.4, C1C2C3 that of the draft before it.
const (
	C1C3C2 = 0
	C1C2C3 = 1
)

// defaultID is the user id of those who have none (GB/T 35276).
const defaultID = "1234567812345678"

// PublicKey is a public key. Its Curve is not looked at: all keys are of SM2.
type PublicKey struct {
	elliptic.Curve
	X, Y *big.Int
}

// PrivateKey is a private key. D is secret, X and Y follow from it: signatures and decryption take D alone.
//
// It prints as sm2.PrivateKey(..) under each verb of fmt, where tjfoc's shows D. Its fields are exported, so encoding/json shows D.
type PrivateKey struct {
	PublicKey
	D *big.Int
}

// Format prints the name of the type.
func (priv PrivateKey) Format(state fmt.State, _ rune) { fmt.Fprint(state, priv.String()) }

// String names the type, and shows nothing of the key.
func (priv PrivateKey) String() string { return "sm2.PrivateKey(..)" }

// GenerateKey makes a key. The reader is ignored.
func GenerateKey(random io.Reader) (*PrivateKey, error) {
	private, err := native.Sm2Generate()
	if err != nil {
		return nil, err
	}
	defer private.Free()
	public, err := publicKeyOf(private)
	if err != nil {
		return nil, err
	}
	d, err := native.Sm2PrivateBytes(private)
	if err != nil {
		return nil, err
	}
	defer clear(d)
	return &PrivateKey{*public, new(big.Int).SetBytes(d)}, nil
}

// Public returns the public key, a *PublicKey, as crypto.Signer has it.
func (priv *PrivateKey) Public() crypto.PublicKey { return &priv.PublicKey }

// Sign signs a message with the default user id, and returns the signature in ASN.1. Reader and options are ignored.
//
// As tjfoc's it takes the message, where crypto.Signer has its digest.
func (priv *PrivateKey) Sign(random io.Reader, msg []byte, signer crypto.SignerOpts) ([]byte, error) {
	return sign(priv, msg, nil, "der")
}

// Verify reports whether sign is a signature of the message with the default user id, in ASN.1. Unlike tjfoc's it refuses bytes behind the
// signature.
func (pub *PublicKey) Verify(msg []byte, sign []byte) bool {
	key, err := pub.native()
	if err != nil {
		return false
	}
	defer key.Free()
	return native.Sm2Verify(key, msg, sign, nil, "der") == nil
}

// Sm3Digest returns the digest that a user's signature of the message signs. An empty uid stands for the default.
//
// As tjfoc's it leaves out zero bytes at the front, so that 1 digest of 256 has 31 bytes; Verify takes them like that. sm2.Digest of
// sealstone.example/go/sm2 has 32 bytes always.
func (pub *PublicKey) Sm3Digest(msg, uid []byte) ([]byte, error) {
	key, err := pub.native()
	if err != nil {
		return nil, err
	}
	defer key.Free()
	digest, err := native.Sm2Digest(key, msg, idOf(uid))
	if err != nil {
		return nil, err
	}
	return bytes.TrimLeft(digest, "\x00"), nil
}

// Sm2Sign signs a message as a user, and returns the two numbers of the signature. An empty uid stands for the default; the reader is ignored.
func Sm2Sign(priv *PrivateKey, msg, uid []byte, random io.Reader) (r, s *big.Int, err error) {
	signature, err := sign(priv, msg, uid, "fixed")
	if err != nil {
		return nil, nil, err
	}
	return new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]), nil
}

func sign(priv *PrivateKey, msg, uid []byte, encoding string) ([]byte, error) {
	key, err := priv.native()
	if err != nil {
		return nil, err
	}
	defer key.Free()
	return native.Sm2Sign(key, msg, idOf(uid), encoding)
}

// Sm2Verify reports whether r and s are a user's signature of the message. An empty uid stands for the default.
func Sm2Verify(pub *PublicKey, msg, uid []byte, r, s *big.Int) bool {
	signature, ok := fixed(r, s)
	key, err := pub.native()
	if err != nil || !ok {
		return false
	}
	defer key.Free()
	return native.Sm2Verify(key, msg, signature, idOf(uid), "fixed") == nil
}

// Verify reports whether r and s are a signature of this digest, which Sm3Digest computes. As in tjfoc's, a digest is a number and may have any
// length.
func Verify(pub *PublicKey, hash []byte, r, s *big.Int) bool {
	signature, ok := fixed(r, s)
	key, err := pub.native()
	if err != nil || !ok {
		return false
	}
	defer key.Free()
	digest := new(big.Int).SetBytes(hash)
	digest.Mod(digest, p256.N)
	return native.Sm2VerifyDigest(key, digest.FillBytes(make([]byte, 32)), signature, "fixed") == nil
}

// SignDigitToSignData writes the two numbers of a signature in ASN.1.
func SignDigitToSignData(r, s *big.Int) ([]byte, error) {
	if r == nil || s == nil {
		return nil, fault.New("invalid_argument", "a number of the signature is nil")
	}
	return asn1.Marshal(signature{r, s})
}

// SignDataToSignDigit reads the two numbers of a signature in ASN.1. Unlike tjfoc's it refuses bytes behind them.
func SignDataToSignDigit(sign []byte) (*big.Int, *big.Int, error) {
	var read signature
	if err := unmarshal(sign, &read); err != nil {
		return nil, nil, err
	}
	return read.R, read.S, nil
}

// ZA returns the hash of a user's id, the curve and the public key. As in tjfoc's, an empty uid is no id, and not the default.
func ZA(pub *PublicKey, uid []byte) ([]byte, error) {
	if len(uid) >= 8192 {
		return []byte{}, errors.New("SM2: uid too large")
	}
	point, err := pub.point()
	if err != nil {
		return nil, err
	}
	bits := 8 * len(uid)
	input := append([]byte{byte(bits >> 8), byte(bits)}, uid...)
	a := new(big.Int).Sub(p256.P, big.NewInt(3))
	for _, n := range []*big.Int{a, p256.B, p256.Gx, p256.Gy} {
		input = append(input, n.FillBytes(make([]byte, 32))...)
	}
	za := sm3.Sum(append(input, point[1:]...))
	return za[:], nil
}

// Compress returns the point of a public key as 33 bytes that begin with 00 or 01, as tjfoc's does; elsewhere they begin with 02 or 03. It returns
// nil for a key that is none.
func Compress(a *PublicKey) []byte {
	point, err := a.point()
	if err != nil {
		return nil
	}
	return append([]byte{point[64] & 1}, point[1:33]...)
}

// Decompress makes a public key of 33 bytes that begin with 00 or 01, as Compress writes them, or with 02 or 03, as others do, which tjfoc's gets
// wrong for half of the keys. It returns nil where they are no point of the curve; tjfoc's panics.
func Decompress(a []byte) *PublicKey {
	if len(a) != 33 || a[0] > 3 {
		return nil
	}
	key, err := native.Sm2PublicOf(append([]byte{a[0] | 2}, a[1:]...))
	if err != nil {
		return nil
	}
	defer key.Free()
	point, err := native.Sm2PublicBytes(key)
	if err != nil {
		return nil
	}
	return publicOfPoint(point)
}

// BytesCombine returns its arguments one after the other.
func BytesCombine(pBytes ...[]byte) []byte { return bytes.Join(pBytes, nil) }

type signature struct{ R, S *big.Int }

// fixed returns r and s with 32 bytes each.
func fixed(r, s *big.Int) ([]byte, bool) {
	signature := make([]byte, 64)
	for i, n := range []*big.Int{r, s} {
		if n == nil || n.Sign() <= 0 || n.BitLen() > 256 {
			return nil, false
		}
		n.FillBytes(signature[32*i : 32*i+32])
	}
	return signature, true
}

// idOf is what native code takes: an empty id is no id there, and nil is the default.
func idOf(uid []byte) []byte {
	if len(uid) == 0 {
		return []byte(defaultID)
	}
	return uid
}

// unmarshal refuses bytes behind the value.
func unmarshal(data []byte, value any) error {
	rest, err := asn1.Unmarshal(data, value)
	if err == nil && len(rest) > 0 {
		err = asn1.SyntaxError{Msg: "trailing data"}
	}
	return err
}

var (
	errNoPrivate = fault.New("invalid_key", "the private key is outside the range 1 to n - 2")
	errNoPublic  = fault.New("invalid_key", "the public key is no point of the curve")
)

// native takes the number in. The caller frees it.
func (priv *PrivateKey) native() (*native.Sm2Private, error) {
	if priv == nil {
		return nil, errNoPrivate
	}
	return privateOf(priv.D)
}

func privateOf(d *big.Int) (*native.Sm2Private, error) {
	if d == nil || d.Sign() <= 0 || d.BitLen() > 256 {
		return nil, errNoPrivate
	}
	number := d.FillBytes(make([]byte, 32))
	defer clear(number)
	return native.Sm2PrivateOf(number)
}

// point returns 65 bytes that begin with 04. Whether they are on the curve says native code.
func (pub *PublicKey) point() ([]byte, error) {
	if pub == nil || pub.X == nil || pub.Y == nil || pub.X.Sign() < 0 || pub.Y.Sign() < 0 || pub.X.BitLen() > 256 || pub.Y.BitLen() > 256 {
		return nil, errNoPublic
	}
	point := make([]byte, 65)
	point[0] = 4
	pub.X.FillBytes(point[1:33])
	pub.Y.FillBytes(point[33:])
	return point, nil
}

// native takes the point in. The caller frees it.
func (pub *PublicKey) native() (*native.Sm2Public, error) {
	point, err := pub.point()
	if err != nil {
		return nil, err
	}
	return native.Sm2PublicOf(point)
}
