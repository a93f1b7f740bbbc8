//go:build cgo

package sm4

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	sealstone "sealstone.example/go"
)

var (
	key       = []byte("1234567890abcdef")
	functions = map[string]func(key, in []byte, mode bool) ([]byte, error){"ecb": Sm4Ecb, "cbc": Sm4Cbc, "cfb": Sm4CFB, "ofb": Sm4OFB}
)

// With the last byte 0 to 255 and each byte of the padding changed, the verdict is that of a search without regard to time.
func TestPaddingIsTakenExactly(t *testing.T) {
	taken := 0
	for last := range 256 {
		for changed := -1; changed < 16; changed++ {
			block := bytes.Repeat([]byte{byte(last)}, 32)
			if changed >= 0 {
				block[16+changed] ^= 0x40
			}
			n := int(block[31])
			good := n >= 1 && n <= 16 && bytes.Equal(block[32-min(n, 16):], bytes.Repeat([]byte{byte(n)}, min(n, 16)))
			out, err := unpad(block)
			if good != (err == nil) || good && len(out) != 32-n {
				t.Fatal(last, changed, err)
			}
			if !good && (!errors.Is(err, sealstone.ErrInvalidPadding) || out != nil || !bytes.Equal(block, make([]byte, 32))) {
				t.Fatal(last, changed, "is not refused as it should be")
			}
			if good {
				taken++
			}
		}
	}
	// Unchanged; changed before the padding, 16 - n places of each n; and 41 that was changed to 01.
	if taken != 16+120+1 {
		t.Fatal(taken)
	}
}

func TestWhatIsNoCiphertextIsAnError(t *testing.T) {
	for name, function := range functions {
		for _, n := range []int{1, 15, 17, 31} {
			if out, err := function(key, make([]byte, n), false); !errors.Is(err, sealstone.ErrPartialBlock) || out != nil {
				t.Fatal(name, n, err)
			}
		}
		for _, n := range []int{0, 16, 64} {
			if out, err := function(key, make([]byte, n), false); !errors.Is(err, sealstone.ErrInvalidPadding) || out != nil {
				t.Fatal(name, n, err)
			}
		}
		for _, n := range []int{0, 15, 17, 32} {
			if out, err := function(make([]byte, n), key, true); err == nil || out != nil {
				t.Fatal(name, "takes a key of", n)
			}
		}
	}
	if _, err := NewCipher(key[:15]); err == nil || err.Error() != "SM4: invalid key size 15" {
		t.Fatal(err)
	}
	if SetIV(key[:15]) == nil {
		t.Fatal("SetIV takes 15 bytes")
	}
}

func TestArgumentsStayAsTheyAre(t *testing.T) {
	for name, function := range functions {
		whole := bytes.Repeat([]byte{7}, 64)
		if _, err := function(key, whole[:20], true); err != nil || !bytes.Equal(whole, bytes.Repeat([]byte{7}, 64)) {
			t.Fatal(name, "writes behind its input", err)
		}
	}
	iv := bytes.Repeat([]byte{7}, 32)
	if _, _, err := Sm4GCM(key, iv[:12], iv[:5], iv[:3], true); err != nil || !bytes.Equal(iv, bytes.Repeat([]byte{7}, 32)) {
		t.Fatal("Sm4GCM writes behind its IV", err)
	}
}

func TestGCMOfOneFunctionIsThatOfTheOthers(t *testing.T) {
	ciphertext, tag, err := Sm4GCM(key, nil, []byte("text"), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	c, tag2 := GCMEncrypt(key, nil, []byte("text"), nil)
	p, tag3 := GCMDecrypt(key, nil, c, nil)
	if !bytes.Equal(c, ciphertext) || !bytes.Equal(tag, tag2) || !bytes.Equal(tag, tag3) || string(p) != "text" {
		t.Fatal("they differ")
	}
	for _, n := range []int{0, 12, 15, 17} {
		if _, err := OpenGCM(key, nil, ciphertext, nil, make([]byte, n)); !errors.Is(err, sealstone.ErrWrongLength) {
			t.Fatal(n, err)
		}
	}
	if _, err := OpenGCM(key[:3], nil, ciphertext, nil, tag); err == nil {
		t.Fatal("a key of 3 bytes")
	}
	defer func() {
		if recover() == nil {
			t.Fatal("GCMEncrypt takes a key of 3 bytes")
		}
	}()
	GCMEncrypt(key[:3], nil, nil, nil)
}

func TestModesAreThoseOfCryptoCipher(t *testing.T) {
	block, err := NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	plaintext := bytes.Repeat([]byte("0123456789abcdef"), 5)
	padded := append(bytes.Clone(plaintext), bytes.Repeat([]byte{16}, 16)...)
	want := make([]byte, len(padded))
	cipher.NewCBCEncrypter(block, make([]byte, 16)).CryptBlocks(want, padded)
	if got, err := Sm4Cbc(key, plaintext, true); err != nil || !bytes.Equal(got, want) {
		t.Fatal("CBC", err)
	}
	cipher.NewCFBEncrypter(block, make([]byte, 16)).XORKeyStream(want, padded)
	if got, err := Sm4CFB(key, plaintext, true); err != nil || !bytes.Equal(got, want) {
		t.Fatal("CFB", err)
	}
	cipher.NewOFB(block, make([]byte, 16)).XORKeyStream(want, padded)
	if got, err := Sm4OFB(key, plaintext, true); err != nil || !bytes.Equal(got, want) {
		t.Fatal("OFB", err)
	}
}

func TestManyGoroutinesMaySetTheIV(t *testing.T) {
	t.Cleanup(func() { SetIV(make([]byte, 16)) })
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			SetIV(bytes.Repeat([]byte{byte(i)}, 16))
			if _, err := Sm4Cbc(key, key, true); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	// It is one of them, whole.
	if iv := currentIV(); iv[0] >= 16 || !bytes.Equal(iv, bytes.Repeat(iv[:1], 16)) {
		t.Fatal(iv)
	}
}

func TestKeysInPEM(t *testing.T) {
	for _, password := range [][]byte{nil, {}, []byte("correct horse")} {
		name := filepath.Join(t.TempDir(), "key.pem")
		if err := WriteKeyToPemFile(name, key, password); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Fatal(info.Mode(), err)
		}
		read, err := ReadKeyFromPemFile(name, password)
		if err != nil || !bytes.Equal(read, key) {
			t.Fatal(password, err)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if read, err := ReadKeyFromPem(data, nil); (err == nil) != (password == nil) || password != nil && read != nil {
			t.Fatal("without a password:", err)
		}
	}
	for _, text := range []string{"", "key", "-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n"} {
		if _, err := ReadKeyFromPem([]byte(text), nil); err == nil {
			t.Fatal(text)
		}
	}
	if _, err := ReadKeyFromPemFile(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}
