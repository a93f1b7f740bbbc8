package x509

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"hash"

	"sealstone.example/go/compat/tjfoc/sm2"
	"sealstone.example/go/internal/fault"
)

var (
	oidKey       = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidSM2       = asn1.ObjectIdentifier{1, 2, 156, 10197, 1, 301}
	oidPBES2     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
	oidMD5       = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 5}
	oidSHA1      = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 7}
	oidSHA256    = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 9}
	oidSHA512    = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 11}
	oidAES128CBC = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 2}
	oidAES256CBC = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 42}
)

// What tjfoc's encrypts private keys with.
const (
	iterations = 2048
	saltLen    = 8
	// mostIterations bounds the time that a file can ask for.
	mostIterations = 10_000_000
)

// privateKey is a private key of an elliptic curve (RFC 5915).
type privateKey struct {
	Version int
	Number  []byte
	Curve   asn1.ObjectIdentifier `asn1:"optional,explicit,tag:0"`
	Public  asn1.BitString        `asn1:"optional,explicit,tag:1"`
}

// pkcs8 is a private key with its algorithm (RFC 5958).
type pkcs8 struct {
	Version   int
	Algorithm pkix.AlgorithmIdentifier
	Key       []byte
}

// encrypted is an encrypted private key (RFC 5958) of PBES2 (RFC 8018).
type encrypted struct {
	Algorithm struct {
		Scheme     asn1.ObjectIdentifier
		Parameters struct {
			Derivation struct {
				Function   asn1.ObjectIdentifier
				Parameters pbkdf2Parameters
			}
			Encryption struct {
				Cipher asn1.ObjectIdentifier
				IV     []byte
			}
		}
	}
	Data []byte
}

type pbkdf2Parameters struct {
	Salt       []byte
	Iterations int
	KeyLen     int                      `asn1:"optional"`
	PRF        pkix.AlgorithmIdentifier `asn1:"optional"`
}

type publicKeyInfo struct {
	Algorithm pkix.AlgorithmIdentifier
	Point     asn1.BitString
}

func unmarshal(der []byte, value any) error {
	rest, err := asn1.Unmarshal(der, value)
	if err == nil && len(rest) > 0 {
		err = asn1.SyntaxError{Msg: "trailing data"}
	}
	return err
}

func algorithm() pkix.AlgorithmIdentifier {
	curve, _ := asn1.Marshal(oidSM2)
	return pkix.AlgorithmIdentifier{Algorithm: oidKey, Parameters: asn1.RawValue{FullBytes: curve}}
}

// isSM2 reports whether the algorithm is SM2. tjfoc's functions do not look at the curve.
func isSM2(found pkix.AlgorithmIdentifier) bool {
	var curve asn1.ObjectIdentifier
	return found.Algorithm.Equal(oidKey) && unmarshal(found.Parameters.FullBytes, &curve) == nil && curve.Equal(oidSM2)
}

var errNotSM2 = errors.New("x509: not sm2 elliptic curve")

// ParseSm2PublicKey reads a public key in DER (SubjectPublicKeyInfo). Unlike tjfoc's it refuses other curves and points that are not on it, and takes
// compressed points.
func ParseSm2PublicKey(der []byte) (*sm2.PublicKey, error) {
	var read publicKeyInfo
	if err := unmarshal(der, &read); err != nil {
		return nil, err
	}
	if !isSM2(read.Algorithm) {
		return nil, errNotSM2
	}
	return publicOf(read.Point.RightAlign())
}

// MarshalSm2PublicKey writes a public key in DER (SubjectPublicKeyInfo).
func MarshalSm2PublicKey(key *sm2.PublicKey) ([]byte, error) {
	if !isPublic(key) {
		return nil, errNotSM2
	}
	point := pointOf(key)
	return asn1.Marshal(publicKeyInfo{algorithm(), asn1.BitString{Bytes: point, BitLength: 8 * len(point)}})
}

func isPublic(key *sm2.PublicKey) bool {
	return key != nil && key.X != nil && key.Y != nil && sm2.P256Sm2().IsOnCurve(key.X, key.Y)
}

// ParsePKIXPublicKey reads a public key in DER of SM2, or of an algorithm of crypto/x509. As tjfoc's it returns a *ecdsa.PublicKey for SM2, whose
// curve is P256Sm2; do not verify with it by crypto/ecdsa.
func ParsePKIXPublicKey(derBytes []byte) (pub interface{}, err error) {
	key, err := ParseSm2PublicKey(derBytes)
	if err == nil {
		return &ecdsa.PublicKey{Curve: key.Curve, X: key.X, Y: key.Y}, nil
	}
	if errors.Is(err, errNotSM2) {
		return x509.ParsePKIXPublicKey(derBytes)
	}
	return nil, err
}

// MarshalPKIXPublicKey writes a public key in DER: a *sm2.PublicKey, or a key of crypto/x509.
func MarshalPKIXPublicKey(pub interface{}) ([]byte, error) {
	switch key := pub.(type) {
	case *sm2.PublicKey:
		return MarshalSm2PublicKey(key)
	case *ecdsa.PublicKey:
		if key.Curve == sm2.P256Sm2() {
			return MarshalSm2PublicKey(&sm2.PublicKey{Curve: key.Curve, X: key.X, Y: key.Y})
		}
	}
	return x509.MarshalPKIXPublicKey(pub)
}

// ParseSm2PrivateKey reads a private key in DER of RFC 5915, the inner part of PKCS #8. Its number may lack leading zeros, as tjfoc's functions write
// it.
func ParseSm2PrivateKey(der []byte) (*sm2.PrivateKey, error) {
	var read privateKey
	if err := unmarshal(der, &read); err != nil {
		return nil, errors.New("x509: failed to parse SM2 private key: " + err.Error())
	}
	if len(read.Curve) > 0 && !read.Curve.Equal(oidSM2) {
		return nil, errNotSM2
	}
	return privateOf(read.Number)
}

// ParsePKCS8UnecryptedPrivateKey reads a private key in DER of PKCS #8.
func ParsePKCS8UnecryptedPrivateKey(der []byte) (*sm2.PrivateKey, error) {
	var read pkcs8
	if err := unmarshal(der, &read); err != nil {
		return nil, err
	}
	if !isSM2(read.Algorithm) {
		return nil, errNotSM2
	}
	return ParseSm2PrivateKey(read.Key)
}

// ParsePKCS8EcryptedPrivateKey reads a private key in DER of PKCS #8 that is encrypted with PBES2: PBKDF2 with HMAC-SHA-1, SHA-256, SHA-512 or MD5, and
// AES-256-CBC or AES-128-CBC, which tjfoc's cannot decrypt.
func ParsePKCS8EcryptedPrivateKey(der, pwd []byte) (*sm2.PrivateKey, error) {
	var read encrypted
	if err := unmarshal(der, &read); err != nil {
		return nil, errors.New("x509: unknown format")
	}
	parameters := read.Algorithm.Parameters
	derivation, encryption := parameters.Derivation, parameters.Encryption
	if !read.Algorithm.Scheme.Equal(oidPBES2) {
		return nil, errors.New("x509: only support PBES2")
	}
	if !derivation.Function.Equal(oidPBKDF2) {
		return nil, errors.New("x509: only support PBKDF2")
	}
	keyLen := 0
	switch {
	case encryption.Cipher.Equal(oidAES128CBC):
		keyLen = 16
	case encryption.Cipher.Equal(oidAES256CBC):
		keyLen = 32
	}
	if keyLen == 0 || len(encryption.IV) != aes.BlockSize || derivation.Parameters.KeyLen != 0 && derivation.Parameters.KeyLen != keyLen {
		return nil, errors.New("x509: unknow encryption algorithm")
	}
	newHash, err := hashOf(derivation.Parameters.PRF.Algorithm)
	if err != nil {
		return nil, err
	}
	if n := derivation.Parameters.Iterations; n < 1 || n > mostIterations {
		return nil, fault.New("cost_too_high", "the key asks for %d iterations; the most are %d", n, mostIterations)
	}
	block, err := blockOf(newHash, pwd, derivation.Parameters.Salt, derivation.Parameters.Iterations, keyLen)
	if err != nil {
		return nil, err
	}
	incorrect := errors.New("pkcs8: incorrect password")
	if len(read.Data) == 0 || len(read.Data)%aes.BlockSize != 0 {
		return nil, incorrect
	}
	plain := make([]byte, len(read.Data))
	defer clear(plain)
	cipher.NewCBCDecrypter(block, encryption.IV).CryptBlocks(plain, read.Data)
	padding := int(plain[len(plain)-1])
	if padding == 0 || padding > aes.BlockSize {
		return nil, incorrect
	}
	key, err := ParsePKCS8UnecryptedPrivateKey(plain[:len(plain)-padding])
	if errors.Is(err, fault.New("unavailable_backend", "")) {
		return nil, err
	}
	if err != nil {
		return nil, incorrect
	}
	return key, nil
}

func hashOf(prf asn1.ObjectIdentifier) (func() hash.Hash, error) {
	switch {
	case len(prf) == 0, prf.Equal(oidSHA1):
		return sha1.New, nil
	case prf.Equal(oidMD5):
		return md5.New, nil
	case prf.Equal(oidSHA256):
		return sha256.New, nil
	case prf.Equal(oidSHA512):
		return sha512.New, nil
	}
	return nil, errors.New("x509: unknown hash algorithm")
}

func blockOf(newHash func() hash.Hash, pwd, salt []byte, iterations, keyLen int) (cipher.Block, error) {
	key, err := pbkdf2.Key(newHash, string(pwd), salt, iterations, keyLen)
	if err != nil {
		return nil, err
	}
	defer clear(key)
	return aes.NewCipher(key)
}

// ParsePKCS8PrivateKey reads a private key in DER of PKCS #8, which is encrypted where pwd is not nil, and not where it is.
func ParsePKCS8PrivateKey(der, pwd []byte) (*sm2.PrivateKey, error) {
	if pwd == nil {
		return ParsePKCS8UnecryptedPrivateKey(der)
	}
	return ParsePKCS8EcryptedPrivateKey(der, pwd)
}

// MarshalSm2UnecryptedPrivateKey writes a private key in DER of PKCS #8. Its number has 32 bytes always, as RFC 5915 says; tjfoc's leaves out leading
// zeros, in 1 key of 256.
func MarshalSm2UnecryptedPrivateKey(key *sm2.PrivateKey) ([]byte, error) {
	if key == nil || key.D == nil || key.D.Sign() <= 0 || key.D.BitLen() > 256 || !isPublic(&key.PublicKey) {
		return nil, fault.New("invalid_key", "the private key is outside the range 1 to n - 2, or has no public key")
	}
	point := pointOf(&key.PublicKey)
	number := key.D.FillBytes(make([]byte, 32))
	defer clear(number)
	inner, err := asn1.Marshal(privateKey{1, number, oidSM2, asn1.BitString{Bytes: point, BitLength: 8 * len(point)}})
	if err != nil {
		return nil, err
	}
	defer clear(inner)
	return asn1.Marshal(pkcs8{0, algorithm(), inner})
}

// MarshalSm2EcryptedPrivateKey writes a private key in DER of PKCS #8, encrypted as tjfoc's does: PBKDF2 with HMAC-SHA-1 and 2048 iterations, behind
// which passwords are guessed fast, and AES-256-CBC. Export of sealstone.example/go/sm2 encrypts with 1,000,000 iterations of HMAC-SM3, which tjfoc
// does not read.
func MarshalSm2EcryptedPrivateKey(PrivKey *sm2.PrivateKey, pwd []byte) ([]byte, error) {
	plain, err := MarshalSm2UnecryptedPrivateKey(PrivKey)
	if err != nil {
		return nil, err
	}
	defer clear(plain)
	salt, iv := make([]byte, saltLen), make([]byte, aes.BlockSize)
	rand.Read(salt)
	rand.Read(iv)
	block, err := blockOf(sha1.New, pwd, salt, iterations, 32)
	if err != nil {
		return nil, err
	}
	padding := aes.BlockSize - len(plain)%aes.BlockSize
	var out encrypted
	out.Data = make([]byte, len(plain)+padding)
	for i := copy(out.Data, plain); i < len(out.Data); i++ {
		out.Data[i] = byte(padding)
	}
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(out.Data, out.Data)
	out.Algorithm.Scheme = oidPBES2
	parameters := &out.Algorithm.Parameters
	parameters.Derivation.Function = oidPBKDF2
	parameters.Derivation.Parameters = pbkdf2Parameters{
		Salt: salt, Iterations: iterations, PRF: pkix.AlgorithmIdentifier{Algorithm: oidSHA1, Parameters: asn1.NullRawValue},
	}
	parameters.Encryption.Cipher, parameters.Encryption.IV = oidAES256CBC, iv
	return asn1.Marshal(out)
}

// MarshalSm2PrivateKey writes a private key in DER of PKCS #8, and encrypts it where pwd is not nil.
func MarshalSm2PrivateKey(key *sm2.PrivateKey, pwd []byte) ([]byte, error) {
	if pwd == nil {
		return MarshalSm2UnecryptedPrivateKey(key)
	}
	return MarshalSm2EcryptedPrivateKey(key, pwd)
}
