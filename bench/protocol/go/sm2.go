package protocol

import "encoding/hex"

// The private key of the examples in GB/T 32918.5.
const sm2PrivateKey = "3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"

// SM2ID is the user id of whoever has agreed on no other.
const SM2ID = "1234567812345678"

// SM2 is a key of a library, there before the clock; signatures and ciphertexts are DER, and the user is SM2ID.
type SM2 struct {
	Sign    func(message []byte) ([]byte, error)
	Verify  func(message, signature []byte) error
	Encrypt func(plaintext []byte) ([]byte, error)
	Decrypt func(ciphertext []byte) ([]byte, error)
}

// SM2Operations are all of SM2. What is verified and decrypted is the library's own, made before the clock.
func SM2Operations(newKey func(private []byte) (*SM2, error)) []Operation {
	operation := func(name string, setUp func(key *SM2, input []byte) (*Trial, error)) Operation {
		return Operation{Name: name, SetUp: func(input []byte) (*Trial, error) {
			private, err := hex.DecodeString(sm2PrivateKey)
			if err != nil {
				return nil, err
			}
			key, err := newKey(private)
			if err != nil {
				return nil, err
			}
			return setUp(key, input)
		}}
	}
	return []Operation{
		operation("sm2/sign", func(key *SM2, message []byte) (*Trial, error) {
			return &Trial{
				Run:    func() ([]byte, error) { return key.Sign(message) },
				Reveal: func(signature []byte) ([]byte, error) { return message, key.Verify(message, signature) },
			}, nil
		}),
		operation("sm2/verify", func(key *SM2, message []byte) (*Trial, error) {
			signature, err := key.Sign(message)
			if err != nil {
				return nil, err
			}
			return &Trial{Run: func() ([]byte, error) { return message, key.Verify(message, signature) }}, nil
		}),
		operation("sm2/encrypt", func(key *SM2, plaintext []byte) (*Trial, error) {
			return &Trial{Run: func() ([]byte, error) { return key.Encrypt(plaintext) }, Reveal: key.Decrypt}, nil
		}),
		operation("sm2/decrypt", func(key *SM2, plaintext []byte) (*Trial, error) {
			ciphertext, err := key.Encrypt(plaintext)
			if err != nil {
				return nil, err
			}
			return &Trial{Run: func() ([]byte, error) { return key.Decrypt(ciphertext) }}, nil
		}),
	}
}
