package sm2

import (
	"crypto/elliptic"
	"math/big"

	"sealstone.example/go/internal/native"
)

// curve is the curve of SM2 (GB/T 32918.5) for elliptic.Curve: crypto/elliptic computes with the points of public keys, native code makes a
// public key of a private one.
type curve struct{ *elliptic.CurveParams }

var p256 = &curve{&elliptic.CurveParams{
	P:       number("fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff"),
	N:       number("fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123"),
	B:       number("28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93"),
	Gx:      number("32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7"),
	Gy:      number("bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0"),
	BitSize: 256,
	Name:    "SM2-P-256",
}}

func number(digits string) *big.Int {
	n, _ := new(big.Int).SetString(digits, 16)
	return n
}

// P256Sm2 returns the curve of SM2, for its parameters and for IsOnCurve.
//
// Its ScalarBaseMult is native code for the numbers of private keys. Its other methods are those of elliptic.CurveParams: slow, not in constant
// time, and not for secrets.
func P256Sm2() elliptic.Curve { return p256 }

// ScalarBaseMult returns the point k·G, which is the public key of the private key k.
func (c *curve) ScalarBaseMult(k []byte) (x, y *big.Int) {
	private, err := privateOf(new(big.Int).SetBytes(k))
	if err != nil {
		// Not the number of a private key: 0, n - 1 or more.
		return c.CurveParams.ScalarBaseMult(k)
	}
	defer private.Free()
	public, err := publicKeyOf(private)
	if err != nil {
		return c.CurveParams.ScalarBaseMult(k)
	}
	return public.X, public.Y
}

func publicKeyOf(private *native.Sm2Private) (*PublicKey, error) {
	public, err := native.Sm2PublicKey(private)
	if err != nil {
		return nil, err
	}
	defer public.Free()
	point, err := native.Sm2PublicBytes(public)
	if err != nil {
		return nil, err
	}
	return publicOfPoint(point), nil
}

// publicOfPoint makes a key of 65 bytes that native code gave.
func publicOfPoint(point []byte) *PublicKey {
	return &PublicKey{Curve: p256, X: new(big.Int).SetBytes(point[1:33]), Y: new(big.Int).SetBytes(point[33:65])}
}
