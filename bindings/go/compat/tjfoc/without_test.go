//go:build !cgo

package tjfoc

import (
	"errors"
	"os"
	"testing"

	sealstone "sealstone.example/go"
	"sealstone.example/go/compat/tjfoc/sm2"
	"sealstone.example/go/compat/tjfoc/sm3"
	"sealstone.example/go/compat/tjfoc/sm4"
	"sealstone.example/go/compat/tjfoc/x509"
)

func TestWithoutCgoEachFunctionSaysSo(t *testing.T) {
	key := make([]byte, 16)
	for name, call := range map[string]func() error{
		"NewCipher":   func() error { _, err := sm4.NewCipher(key); return err },
		"Sm4Cbc":      func() error { _, err := sm4.Sm4Cbc(key, key, true); return err },
		"Sm4GCM":      func() error { _, _, err := sm4.Sm4GCM(key, key, key, key, true); return err },
		"OpenGCM":     func() error { _, err := sm4.OpenGCM(key, key, key, key, key); return err },
		"GenerateKey": func() error { _, err := sm2.GenerateKey(nil); return err },
		"ReadPrivateKeyFromHex": func() error {
			_, err := x509.ReadPrivateKeyFromHex("1234")
			return err
		},
		// With the right password: it is no wrong one.
		"ReadPrivateKeyFromPem": func() error {
			file, err := os.ReadFile("../../../../examples/go/move/before/signer.pem")
			if err != nil {
				return err
			}
			_, err = x509.ReadPrivateKeyFromPem(file, []byte("password of the keys"))
			return err
		},
	} {
		if err := call(); !errors.Is(err, sealstone.ErrUnavailableBackend) {
			t.Error(name, err)
		}
	}
	// hash.Hash has no errors.
	defer func() {
		if recover() == nil {
			t.Error("sm3.New does not panic")
		}
	}()
	sm3.New()
}
