//go:build !cgo

package sealstone

import (
	"bytes"
	"context"
	"errors"
	"testing"
)

func TestWithoutCgoEveryFunctionSaysSo(t *testing.T) {
	if Backend() != "none" {
		t.Error(Backend())
	}
	ctx := context.Background()
	for name, err := range map[string]error{
		"GenerateIdentity": second(GenerateIdentity("")),
		"ParseIdentities":  second(ParseIdentities(nil, nil)),
		"ParseRecipients":  second(ParseRecipients(nil)),
		"Encrypt":          second(Encrypt(&bytes.Buffer{})),
		"Decrypt":          second(Decrypt(&bytes.Buffer{})),
		"EncryptFile":      second(EncryptFile(ctx, "a", "b")),
		"InspectFile":      second(InspectFile(ctx, "a")),
		"NewChunkedKey":    second(NewChunkedKey("aes-256-gcm", nil)),
		"EncryptBatch":     second(EncryptBatch(ctx, nil)),
	} {
		if !errors.Is(err, ErrUnavailableBackend) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
