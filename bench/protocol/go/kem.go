package protocol

// PublicKey is a key pair of a library, there before the clock.
type PublicKey struct {
	Encrypt func(plaintext []byte) ([]byte, error)
	Decrypt func(ciphertext []byte) ([]byte, error)
}

// KEMOperations encrypt to a public key of a kind, and decrypt what the library itself made before the clock.
func KEMOperations(kind string, newKey func() (*PublicKey, error)) []Operation {
	return []Operation{
		{Name: "kem/" + kind + "/encrypt", SetUp: func(plaintext []byte) (*Trial, error) {
			key, err := newKey()
			if err != nil {
				return nil, err
			}
			return &Trial{Run: func() ([]byte, error) { return key.Encrypt(plaintext) }, Reveal: key.Decrypt}, nil
		}},
		{Name: "kem/" + kind + "/decrypt", SetUp: func(plaintext []byte) (*Trial, error) {
			key, err := newKey()
			if err != nil {
				return nil, err
			}
			ciphertext, err := key.Encrypt(plaintext)
			if err != nil {
				return nil, err
			}
			return &Trial{Run: func() ([]byte, error) { return key.Decrypt(ciphertext) }}, nil
		}},
	}
}
