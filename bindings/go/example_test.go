//go:build cgo

package sealstone_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"sealstone.example/go"
)

// A file is encrypted to a public key, and decrypted with the identity.
func ExampleEncryptFile() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	film := filepath.Join(folder, "film.mkv")
	if err := os.WriteFile(film, []byte("attack at dawn"), 0o600); err != nil {
		panic(err)
	}

	alice, err := sealstone.GenerateIdentity("")
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	done, err := sealstone.EncryptFile(ctx, film, film+".seal", sealstone.To(alice.Recipient()))
	if err != nil {
		panic(err)
	}
	_, err = sealstone.DecryptFile(ctx, film+".seal", film+".copy", sealstone.With(alice))
	fmt.Println(done.Plaintext, err)
	// Output: 14 <nil>
}

// A stream ends with Close, and its reader ends with io.EOF only when all of it was authentic.
func ExampleEncrypt() {
	alice, err := sealstone.GenerateIdentity("")
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	w, err := sealstone.Encrypt(&file, sealstone.To(alice.Recipient()))
	if err != nil {
		panic(err)
	}
	if _, err := io.WriteString(w, "attack at dawn"); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}

	cut := file.Bytes()[:file.Len()-1]
	r, err := sealstone.Decrypt(bytes.NewReader(cut), sealstone.With(alice))
	if err != nil {
		panic(err)
	}
	_, err = io.ReadAll(r)
	fmt.Println(errors.Is(err, sealstone.ErrNotAuthentic))

	r, err = sealstone.Decrypt(&file, sealstone.With(alice))
	if err != nil {
		panic(err)
	}
	plain, err := io.ReadAll(r)
	fmt.Println(string(plain), err)
	// Output:
	// true
	// attack at dawn <nil>
}

// Parts of a file are read in any order, such as for a server of ranges.
func ExampleDecryptReaderAt() {
	alice, err := sealstone.GenerateIdentity("")
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	w, err := sealstone.Encrypt(&file, sealstone.To(alice.Recipient()))
	if err != nil {
		panic(err)
	}
	if _, err := w.Write(bytes.Repeat([]byte("0123456789"), 100_000)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}

	r, size, err := sealstone.DecryptReaderAt(bytes.NewReader(file.Bytes()), int64(file.Len()), sealstone.With(alice))
	if err != nil {
		panic(err)
	}
	part := make([]byte, 5)
	_, err = r.ReadAt(part, 999_990)
	fmt.Println(size, string(part), err)
	// Output: 1000000 01234 <nil>
}

// A message is short, and has one recipient.
func ExampleSealMessage() {
	alice, err := sealstone.GenerateIdentity("x25519")
	if err != nil {
		panic(err)
	}
	message, err := sealstone.SealMessage(alice.Recipient(), []byte("attack at dawn"), []byte("order 66"))
	if err != nil {
		panic(err)
	}
	plain, err := sealstone.OpenMessage(alice, message, []byte("order 66"))
	fmt.Println(string(plain), err)
	// Output: attack at dawn <nil>
}
