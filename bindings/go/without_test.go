//go:build !cgo

package sealstone_test

import (
	"errors"
	"testing"

	sealstone "sealstone.example/go"
	"sealstone.example/go/aead"
	"sealstone.example/go/sm2"
	"sealstone.example/go/sm4"
)

func TestWithoutCgoConstructorsSaySo(t *testing.T) {
	key := make([]byte, 32)
	for name, call := range map[string]func() error{
		"sealstone.GenerateIdentity": func() error { _, err := sealstone.GenerateIdentity(""); return err },
		"aead.New":                   func() error { _, err := aead.New("aes-256-gcm", key); return err },
		"sm2.GenerateKey":            func() error { _, err := sm2.GenerateKey(); return err },
		"sm2.NewPrivateKey":          func() error { _, err := sm2.NewPrivateKey(key); return err },
		"sm2.ParsePrivateKey":        func() error { _, err := sm2.ParsePrivateKey(key, nil); return err },
		"sm2.NewPublicKey":           func() error { _, err := sm2.NewPublicKey(key); return err },
		"sm2.ParsePublicKey":         func() error { _, err := sm2.ParsePublicKey(key); return err },
		"sm4.NewCipher":              func() error { _, err := sm4.NewCipher(key[:16]); return err },
		"sm4.NewXTS":                 func() error { _, err := sm4.NewXTS(key, false); return err },
	} {
		if err := call(); !errors.Is(err, sealstone.ErrUnavailableBackend) {
			t.Error(name, err)
		}
	}
	if sealstone.Backend() != "none" {
		t.Error(sealstone.Backend())
	}
}
