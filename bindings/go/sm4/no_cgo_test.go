//go:build !cgo

package sm4

import (
	"errors"
	"testing"

	"sealstone.example/go"
)

func TestWithoutCgoThereIsNoCipher(t *testing.T) {
	if _, err := NewCipher(make([]byte, KeySize)); !errors.Is(err, sealstone.ErrUnavailableBackend) {
		t.Error(err)
	}
}
