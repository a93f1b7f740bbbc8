package sm2

import (
	"crypto"
	"encoding/asn1"
	"io"
	"math/big"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// Encrypt encrypts a short plaintext, in the order C1C3C2 unless mode is C1C2C3. The reader is ignored.
//
// An empty plaintext gives the error empty_plaintext; tjfoc's function never returns then.
func Encrypt(pub *PublicKey, data []byte, random io.Reader, mode int) ([]byte, error) {
	return encrypt(pub, data, formOf(mode))
}

// Decrypt decrypts a ciphertext, in the order C1C3C2 unless mode is C1C2C3.
//
// Where the key, the order or the ciphertext is another one, the error is not_authentic or malformed_ciphertext and there is no plaintext;
// tjfoc's returns one, or panics, and takes points that are not on the curve, which reveals the key to whoever sees its answers.
func Decrypt(priv *PrivateKey, data []byte, mode int) ([]byte, error) {
	if len(data) == 0 || data[0] != 4 {
		return nil, fault.New("malformed_ciphertext", "malformed ciphertext: it does not begin with 04")
	}
	return decrypt(priv, data, formOf(mode))
}

// Decrypt decrypts a ciphertext in the order C1C3C2, as crypto.Decrypter has it. Reader and options are ignored.
func (priv *PrivateKey) Decrypt(_ io.Reader, msg []byte, _ crypto.DecrypterOpts) (plaintext []byte, err error) {
	return Decrypt(priv, msg, C1C3C2)
}

// EncryptAsn1 encrypts a short plaintext as ASN.1 (GM/T 0009). The reader is ignored.
func EncryptAsn1(pub *PublicKey, data []byte, rand io.Reader) ([]byte, error) {
	return encrypt(pub, data, "der")
}

// DecryptAsn1 decrypts a ciphertext in ASN.1. Errors are those of Decrypt.
func DecryptAsn1(pub *PrivateKey, data []byte) ([]byte, error) { return decrypt(pub, data, "der") }

// EncryptAsn1 is the function EncryptAsn1.
func (pub *PublicKey) EncryptAsn1(data []byte, random io.Reader) ([]byte, error) {
	return EncryptAsn1(pub, data, random)
}

// DecryptAsn1 is the function DecryptAsn1.
func (priv *PrivateKey) DecryptAsn1(data []byte) ([]byte, error) { return DecryptAsn1(priv, data) }

func encrypt(pub *PublicKey, data []byte, form string) ([]byte, error) {
	key, err := pub.native()
	if err != nil {
		return nil, err
	}
	defer key.Free()
	return native.Sm2Encrypt(key, data, form)
}

func decrypt(priv *PrivateKey, data []byte, form string) ([]byte, error) {
	key, err := priv.native()
	if err != nil {
		return nil, err
	}
	defer key.Free()
	return native.Sm2Decrypt(key, data, form)
}

func formOf(mode int) string {
	if mode == C1C2C3 {
		return "c1c2c3"
	}
	return "c1c3c2"
}

// ciphertext is a ciphertext in ASN.1.
type ciphertext struct {
	X, Y   *big.Int
	C3, C2 []byte
}

// headLen is the length of 04, C1 and C3.
const headLen = 1 + 64 + 32

// CipherMarshal writes a ciphertext of the order C1C3C2 as ASN.1. Of one that is too short it returns malformed_ciphertext; tjfoc's panics.
func CipherMarshal(data []byte) ([]byte, error) {
	if len(data) < headLen || data[0] != 4 {
		return nil, fault.New("malformed_ciphertext", "malformed ciphertext: it has under %d bytes, or does not begin with 04", headLen)
	}
	x, y := new(big.Int).SetBytes(data[1:33]), new(big.Int).SetBytes(data[33:65])
	return asn1.Marshal(ciphertext{x, y, data[65:headLen], data[headLen:]})
}

// CipherUnmarshal writes a ciphertext in ASN.1 in the order C1C3C2. Unlike tjfoc's it refuses parts of other lengths, and bytes behind them.
func CipherUnmarshal(data []byte) ([]byte, error) {
	var read ciphertext
	if err := unmarshal(data, &read); err != nil {
		return nil, err
	}
	point, err := (&PublicKey{X: read.X, Y: read.Y}).point()
	if err != nil || len(read.C3) != 32 {
		return nil, fault.New("malformed_ciphertext", "malformed ciphertext: a part of it has another length")
	}
	return append(append(point, read.C3...), read.C2...), nil
}
