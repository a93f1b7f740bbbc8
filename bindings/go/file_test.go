//go:build cgo

package sealstone

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sealstone.example/go/internal/native"
)

func generated(t testing.TB, kind string) *Identity {
	t.Helper()
	identity, err := GenerateIdentity(kind)
	if err != nil {
		t.Fatal(err)
	}
	return identity
}

func written(t testing.TB, name string, length int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, bytes.Repeat([]byte("attack at dawn "), length/15+1)[:length], 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFilesComeBack(t *testing.T) {
	ctx, alice, bob := context.Background(), generated(t, "hybrid"), generated(t, "x25519")
	for _, length := range []int{0, 1, 16384, 1_000_000} {
		from := written(t, "film", length)
		sealed, opened := from+".seal", from+".opened"
		var last [2]int64
		progress := OnProgress(func(done, total int64) { last = [2]int64{done, total} })
		done, err := EncryptFile(ctx, from, sealed, To(alice.Recipient()), Suite("chacha20-poly1305"), Context([]byte("tenant 7")), progress)
		if err != nil || done.Plaintext != int64(length) {
			t.Fatal(done, err)
		}
		if length > 0 && last != [2]int64{int64(length), int64(length)} {
			t.Errorf("the last progress was %v of %d", last, length)
		}
		if info, _ := os.Stat(sealed); info.Size() != done.Ciphertext {
			t.Errorf("the file has %d bytes, and %d were said", info.Size(), done.Ciphertext)
		}
		if _, err := DecryptFile(ctx, sealed, opened, With(alice)); !errors.Is(err, ErrContextRequired) {
			t.Error(err)
		}
		if _, err := os.Stat(opened); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a failed decryption left a file")
		}
		if _, err := DecryptFile(ctx, sealed, opened, With(alice), Context([]byte("tenant 7"))); err != nil {
			t.Fatal(err)
		}
		plain, _ := os.ReadFile(from)
		if got, _ := os.ReadFile(opened); !bytes.Equal(got, plain) {
			t.Error("other bytes came back")
		}
		if _, err := VerifyFile(ctx, sealed, With(bob), Context([]byte("tenant 7"))); !errors.Is(err, ErrNoMatchingIdentity) {
			t.Error(err)
		}
		if _, err := RewrapFile(ctx, sealed, With(alice), To(bob.Recipient()), Replace()); err != nil {
			t.Fatal(err)
		}
		if _, err := VerifyFile(ctx, sealed, With(bob), Context([]byte("tenant 7"))); err != nil {
			t.Error(err)
		}
		seen, err := InspectFile(ctx, sealed)
		if err != nil || seen.PlaintextLen != int64(length) || fmt.Sprint(seen.Kinds) != "[x25519]" || !seen.ContextBound {
			t.Error(seen, err)
		}
	}
}

func TestErrorsSayTheirCause(t *testing.T) {
	ctx, alice := context.Background(), generated(t, "")
	from := written(t, "film", 100_000)
	_, err := EncryptFile(ctx, from+".none", from+".seal", To(alice.Recipient()))
	if !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, ErrIo) {
		t.Errorf("%v is no fs.ErrNotExist", err)
	}
	if _, err := EncryptFile(ctx, from, from, To(alice.Recipient()), Replace()); !errors.Is(err, ErrSameFile) {
		t.Error(err)
	}
	sealed := from + ".seal"
	if _, err := EncryptFile(ctx, from, sealed, To(alice.Recipient())); err != nil {
		t.Fatal(err)
	}
	if _, err := EncryptFile(ctx, from, sealed, To(alice.Recipient())); !errors.Is(err, ErrOutputExists) || !errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	content, _ := os.ReadFile(sealed)
	content[len(content)-20_000] ^= 1
	if err := os.WriteFile(sealed, content, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = DecryptFile(ctx, sealed, from+".opened", With(alice))
	var own *Error
	if !errors.Is(err, ErrNotAuthentic) || !errors.As(err, &own) || own.Chunk != 4 && own.Chunk != 5 {
		t.Errorf("%#v", err)
	}
	if left, _ := filepath.Glob(from + ".opened*"); len(left) > 0 {
		t.Error("something partial is left:", left)
	}
	for name, err := range map[string]error{
		"no recipients":     second(Encrypt(&bytes.Buffer{})),
		"a nil recipient":   second(Encrypt(&bytes.Buffer{}, To(nil))),
		"a nil identity":    second(Decrypt(&bytes.Buffer{}, With(nil))),
		"another option":    second(Decrypt(&bytes.Buffer{}, To(alice.Recipient()))),
		"an unknown suite":  second(Encrypt(&bytes.Buffer{}, To(alice.Recipient()), Suite("rot13"))),
		"a zero byte":       second(Encrypt(&bytes.Buffer{}, To(alice.Recipient()), Suite("aes\x00"))),
		"a name with zero":  second(EncryptFile(ctx, "a\x00b", sealed, To(alice.Recipient()))),
		"an empty context":  second(Encrypt(&bytes.Buffer{}, To(alice.Recipient()), Context([]byte{}))),
		"a short key":       second(KeyIdentity(make([]byte, 31))),
		"an unknown kind":   second(GenerateIdentity("rot13")),
		"a file of nothing": second(Decrypt(&bytes.Buffer{}, With(alice))),
	} {
		if !errors.As(err, &own) || own.Code == "internal" || own.Code == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestAContextEndsWork(t *testing.T) {
	alice := generated(t, "")
	from := written(t, "film", 100_000)
	cause := errors.New("the user went away")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	if _, err := EncryptFile(ctx, from, from+".seal", To(alice.Recipient())); err != cause {
		t.Error(err)
	}
	// One that ends while the work runs: in the first call of its progress, of which the last one is certain.
	ctx, cancel = context.WithCancelCause(context.Background())
	_, err := EncryptFile(ctx, from, from+".seal", To(alice.Recipient()), OnProgress(func(int64, int64) { cancel(cause) }))
	if err != nil && err != cause {
		t.Error(err)
	}
	_, missing := os.Stat(from + ".seal")
	if (err == nil) != (missing == nil) {
		t.Errorf("the error is %v, and of the file %v", err, missing)
	}
}

func TestKeysAreReadWrittenAndNotShown(t *testing.T) {
	for _, kind := range []string{"hybrid", "x25519", "p256", "ml-kem-768", "sm2"} {
		identity := generated(t, kind)
		if identity.Kind() != kind || identity.Recipient().Kind() != kind {
			t.Errorf("%s is %s", kind, identity.Kind())
		}
		form, passphrase := "pem", []byte("correct horse")
		if kind == "hybrid" {
			// It has a string alone.
			form, passphrase = "age", nil
		}
		file, err := identity.Export(form, passphrase)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseIdentities(file, nil); (passphrase != nil) != errors.Is(err, ErrPassphraseRequired) {
			t.Error(err)
		}
		again, err := ParseIdentities(file, passphrase)
		if err != nil || again[0].Recipient().Fingerprint() != identity.Recipient().Fingerprint() {
			t.Error(kind, err)
		}
		recipients, err := ParseRecipients([]byte(identity.Recipient().String()))
		if err != nil || recipients[0].Fingerprint() != identity.Recipient().Fingerprint() {
			t.Error(kind, err)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if shown := fmt.Sprintf(verb, identity); shown != "Identity("+kind+")" {
				t.Errorf("%s shows %s", verb, shown)
			}
		}
		if err := identity.Close(); err != nil {
			t.Error(err)
		}
		if _, err := Decrypt(&bytes.Buffer{}, With(identity)); !errors.Is(err, ErrInvalidArgument) {
			t.Error("a closed identity:", err)
		}
		if identity.Recipient() != nil || identity.Close() != nil {
			t.Error("a closed identity has no recipient, and closes again")
		}
	}
	passphrase, _ := PassphraseIdentity([]byte("correct horse"))
	if passphrase.Recipient().Fingerprint() != "" || passphrase.Recipient().String() != "Recipient(passphrase)" {
		t.Error(passphrase.Recipient())
	}
}

func TestMessagesBatchesAndChunks(t *testing.T) {
	ctx, alice := context.Background(), generated(t, "")
	message, err := SealMessage(alice.Recipient(), []byte("attack at dawn"), []byte("header"))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := OpenMessage(alice, message, []byte("header")); err != nil || string(plain) != "attack at dawn" {
		t.Error(string(plain), err)
	}
	if _, err := OpenMessage(alice, message, nil); !errors.Is(err, ErrNotAuthentic) {
		t.Error(err)
	}
	items := [][]byte{[]byte("one"), {}, bytes.Repeat([]byte("three"), 10_000)}
	files, err := EncryptBatch(ctx, items, To(alice.Recipient()))
	if err != nil {
		t.Fatal(err)
	}
	files[0][len(files[0])-1] ^= 1
	plain, errs, err := DecryptBatch(ctx, files, With(alice))
	if err != nil || errs == nil || !errors.Is(errs[0], ErrNotAuthentic) || errs[1] != nil || plain[0] != nil {
		t.Fatal(errs, err)
	}
	if len(plain[1]) != 0 || !bytes.Equal(plain[2], items[2]) {
		t.Error("other bytes came back")
	}
	key, err := NewChunkedKey("aes-256-gcm", make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := key.Encrypt([]byte("column"), items[2])
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := key.Decrypt([]byte("column"), sealed); err != nil || !bytes.Equal(plain, items[2]) {
		t.Error(err)
	}
	if _, err := key.Decrypt([]byte("other"), sealed); !errors.Is(err, ErrNotAuthentic) {
		t.Error(err)
	}
}

// The command line and this module read each other's files. SEALSTONE_CLI names it; without it there is nothing to compare with.
func TestTheCommandLineReadsTheSame(t *testing.T) {
	program := os.Getenv("SEALSTONE_CLI")
	if program == "" {
		t.Skip("SEALSTONE_CLI is not set")
	}
	ctx, alice := context.Background(), generated(t, "")
	key, err := alice.Export("age", nil)
	if err != nil {
		t.Fatal(err)
	}
	from := written(t, "film", 700_000)
	keyFile := from + ".key"
	if err := os.WriteFile(keyFile, key, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	if _, err := EncryptFile(ctx, from, from+".seal", To(alice.Recipient()), Armour()); err != nil {
		t.Fatal(err)
	}
	run("decrypt", "-i", keyFile, "-o", from+".cli", from+".seal")
	run("encrypt", "-r", alice.Recipient().String(), "-o", from+".cli.seal", from)
	if _, err := DecryptFile(ctx, from+".cli.seal", from+".go", With(alice)); err != nil {
		t.Fatal(err)
	}
	plain, _ := os.ReadFile(from)
	for _, name := range []string{from + ".cli", from + ".go"} {
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s has other bytes: %v", name, err)
		}
	}
}

// OnProgress may run operations itself, while others take all the slots; and its panic comes out of the operation.
func TestWhatOnProgressMayDo(t *testing.T) {
	identity, err := GenerateIdentity("x25519")
	if err != nil {
		t.Fatal(err)
	}
	folder, ctx := t.TempDir(), context.Background()
	from := filepath.Join(folder, "from")
	if err := os.WriteFile(from, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	for range cap(slots) - 1 {
		slots <- struct{}{}
		defer func() { <-slots }()
	}
	done := make(chan error, 1)
	go func() {
		var within error
		_, err := EncryptFile(ctx, from, filepath.Join(folder, "to"), To(identity.Recipient()), OnProgress(func(int64, int64) {
			_, within = VerifyFile(ctx, filepath.Join(folder, "to"), With(identity))
		}))
		done <- errors.Join(err, within)
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for itself")
	}
	for range 3 {
		func() {
			defer func() {
				if came := recover(); came != "a panic" {
					t.Error(came)
				}
			}()
			// Some of its time, so that it is called from the other goroutine too.
			work := func(job *native.Job) (int, error) { time.Sleep(3 * progressInterval); return 0, nil }
			run(ctx, func(int64, int64) { panic("a panic") }, work)
		}()
	}
	if len(slots) != cap(slots)-1 {
		t.Fatal("a slot is not given back")
	}
}
