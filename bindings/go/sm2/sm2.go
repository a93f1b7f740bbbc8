// Package sm2 has SM2 (GB/T 32918): signatures, encryption and key exchange with one pair of keys, and SM3.
//
// A private key is a crypto.Signer and a crypto.Decrypter. Randomness is always the system's, so functions that take an io.Reader for it, as
// these interfaces do, ignore it. Keys may be used by several goroutines at the same time.
package sm2

import (
	"bytes"
	"crypto"
	"crypto/subtle"
	"io"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// DefaultID is the user id of those who have none (GB/T 35276). A nil id stands for it.
const DefaultID = "1234567812345678"

// Form is the form of a ciphertext.
type Form string

// The forms of a ciphertext: its three parts in either order (GB/T 32918.4, and the draft before it), and as ASN.1 (GM/T 0009).
const (
	C1C3C2 Form = "c1c3c2"
	C1C2C3 Form = "c1c2c3"
	ASN1   Form = "der"
)

// PrivateKey is a private key. It prints as sm2.PrivateKey(..).
type PrivateKey struct {
	key    *native.Sm2Private
	public *PublicKey
}

// PublicKey is a public key.
type PublicKey struct {
	key   *native.Sm2Public
	point [65]byte
}

// GenerateKey makes a new key.
func GenerateKey() (*PrivateKey, error) { return private(native.Sm2Generate()) }

// NewPrivateKey makes a key of its number, 32 bytes with the highest first. The errors are wrong_length and invalid_key.
func NewPrivateKey(number []byte) (*PrivateKey, error) { return private(native.Sm2PrivateOf(number)) }

// ParsePrivateKey reads a key as PEM or DER (PKCS #8 or SEC 1). A key that is encrypted has a passphrase; else that is nil.
func ParsePrivateKey(file, passphrase []byte) (*PrivateKey, error) {
	return private(native.Sm2PrivateParse(file, passphrase))
}

func private(key *native.Sm2Private, err error) (*PrivateKey, error) {
	if err != nil {
		return nil, err
	}
	public, err := public(native.Sm2PublicKey(key))
	if err != nil {
		return nil, err
	}
	return &PrivateKey{key, public}, nil
}

// NewPublicKey makes a key of its point: 65 bytes that begin with 04, 64 without it, or 33 of a compressed point. The errors are wrong_length
// and invalid_key.
func NewPublicKey(point []byte) (*PublicKey, error) { return public(native.Sm2PublicOf(point)) }

// ParsePublicKey reads a key as PEM or DER (SubjectPublicKeyInfo), or the key of a certificate, which is not verified.
func ParsePublicKey(file []byte) (*PublicKey, error) { return public(native.Sm2PublicParse(file)) }

func public(key *native.Sm2Public, err error) (*PublicKey, error) {
	if err != nil {
		return nil, err
	}
	point, err := native.Sm2PublicBytes(key)
	if err != nil {
		return nil, err
	}
	return &PublicKey{key, [65]byte(point)}, nil
}

// Bytes returns the number, 32 bytes, a secret.
func (k *PrivateKey) Bytes() []byte {
	number, err := native.Sm2PrivateBytes(k.key)
	check(err)
	return number
}

// Export writes the key as "pem" or "der"; with a passphrase, which is nil where there is none, it is encrypted.
func (k *PrivateKey) Export(form string, passphrase []byte) ([]byte, error) {
	return native.Sm2PrivateExport(k.key, form, passphrase)
}

// PublicKey returns the public key.
func (k *PrivateKey) PublicKey() *PublicKey { return k.public }

// Public returns the public key, a *PublicKey, as crypto.Signer has it.
func (k *PrivateKey) Public() crypto.PublicKey { return k.public }

// Equal reports whether other is the same key.
func (k *PrivateKey) Equal(other crypto.PrivateKey) bool {
	o, ok := other.(*PrivateKey)
	return ok && subtle.ConstantTimeCompare(k.Bytes(), o.Bytes()) == 1
}

// String names the type, and shows nothing of the key.
func (k *PrivateKey) String() string { return "sm2.PrivateKey(..)" }

// GoString is as String.
func (k *PrivateKey) GoString() string { return k.String() }

// Sign signs a digest of 32 bytes, which Digest computes of a message, and returns the signature in ASN.1, as crypto.Signer has it. It
// does not show its message: sign only a digest that you computed yourself.
func (k *PrivateKey) Sign(_ io.Reader, digest []byte, _ crypto.SignerOpts) ([]byte, error) {
	return native.Sm2SignDigest(k.key, digest, "der")
}

// SignMessage signs a message as a user, in ASN.1. A nil id is DefaultID.
func (k *PrivateKey) SignMessage(message, id []byte) ([]byte, error) {
	return native.Sm2Sign(k.key, message, id, "der")
}

// DecrypterOpts says the form of a ciphertext for Decrypt; without it, that is C1C3C2.
type DecrypterOpts struct{ Form Form }

// Decrypt decrypts, as crypto.Decrypter has it; opts is nil, a Form, or a *DecrypterOpts. The errors are malformed_ciphertext and
// not_authentic.
func (k *PrivateKey) Decrypt(_ io.Reader, ciphertext []byte, opts crypto.DecrypterOpts) ([]byte, error) {
	form := C1C3C2
	switch opts := opts.(type) {
	case nil:
	case Form:
		form = opts
	case *DecrypterOpts:
		form = opts.Form
	default:
		return nil, fault.New("invalid_option", "options of another algorithm")
	}
	return native.Sm2Decrypt(k.key, ciphertext, string(form))
}

// Bytes returns the point, 65 bytes that begin with 04.
func (k *PublicKey) Bytes() []byte { return bytes.Clone(k.point[:]) }

// Compressed returns the point as 33 bytes that begin with 02 or 03.
func (k *PublicKey) Compressed() []byte {
	return append([]byte{2 | k.point[64]&1}, k.point[1:33]...)
}

// Export writes the key as "pem" or "der".
func (k *PublicKey) Export(form string) ([]byte, error) {
	return native.Sm2PublicExport(k.key, form)
}

// Equal reports whether other is the same key.
func (k *PublicKey) Equal(other crypto.PublicKey) bool {
	o, ok := other.(*PublicKey)
	return ok && k.point == o.point
}

// Digest returns the digest, 32 bytes, that a user's signature of a message signs: SM3 of the user's hash and the message. A nil id is
// DefaultID.
func Digest(key *PublicKey, message, id []byte) ([]byte, error) {
	return native.Sm2Digest(key.key, message, id)
}

// Verify returns nil if signature, in ASN.1, is one of this digest; else invalid_signature.
func Verify(key *PublicKey, digest, signature []byte) error {
	return native.Sm2VerifyDigest(key.key, digest, signature, "der")
}

// VerifyMessage returns nil if signature, in ASN.1, is a user's signature of this message; else invalid_signature. A nil id is DefaultID.
func VerifyMessage(key *PublicKey, message, id, signature []byte) error {
	return native.Sm2Verify(key.key, message, signature, id, "der")
}

// Encrypt encrypts a short plaintext, such as a key. The errors are empty_plaintext, too_long and no_randomness.
func Encrypt(key *PublicKey, plaintext []byte, form Form) ([]byte, error) {
	return native.Sm2Encrypt(key.key, plaintext, string(form))
}

// Peer is the other user of a key exchange.
type Peer struct {
	// ID is the user's id; nil stands for DefaultID.
	ID []byte
	// Key belongs to that user: the caller knows it.
	Key *PublicKey
	// Ephemeral is the key that this user made for the exchange, as it came.
	Ephemeral *PublicKey
}

// Exchanged is the result of a key exchange.
type Exchanged struct {
	// Key is the key that both users have, a secret.
	Key []byte
	// Confirmation, 32 bytes, shows the other user that this one has the key. It is no secret.
	Confirmation []byte
	exchanged    *native.Sm2Exchanged
}

// Exchange agrees with a peer on a key of length bytes (GB/T 32918.3). Each user makes an ephemeral key for this exchange alone, by GenerateKey,
// and sends its public key; one of the two is the initiator. A nil id is DefaultID.
func (k *PrivateKey) Exchange(isInitiator bool, id []byte, ephemeral *PrivateKey, peer Peer, length int) (*Exchanged, error) {
	if peer.Key == nil || peer.Ephemeral == nil || ephemeral == nil {
		return nil, fault.New("invalid_argument", "a key of the exchange is nil")
	}
	if length < 0 {
		return nil, fault.New("wrong_length", "a key has no length below 0")
	}
	exchanged, err := native.Sm2Exchange(k.key, isInitiator, id, ephemeral.key, peer.Key.key, peer.ID, peer.Ephemeral.key, length)
	if err != nil {
		return nil, err
	}
	key, err := native.Sm2ExchangedKey(exchanged)
	if err != nil {
		return nil, err
	}
	confirmation, err := native.Sm2ExchangedConfirmation(exchanged)
	return &Exchanged{key, confirmation, exchanged}, err
}

// Verify returns nil if this is the peer's confirmation, which has the key then; else not_authentic, and the key is not to be used.
func (e *Exchanged) Verify(confirmation []byte) error {
	return native.Sm2ExchangedVerify(e.exchanged, confirmation)
}

// check panics where native code cannot fail: of a key that is there.
func check(err error) {
	if err != nil {
		panic("sm2: " + err.Error())
	}
}
