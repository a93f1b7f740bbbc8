package peers

import (
	"bytes"
	"crypto/cipher"
	"crypto/subtle"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	emmanmodes "github.com/emmansun/gmsm/cipher"
	emmansun "github.com/emmansun/gmsm/sm4"
	tjfoc "github.com/tjfoc/gmsm/sm4"

	"sealstone.example/go/aead"
	compat "sealstone.example/go/compat/tjfoc/sm4"
	"sealstone.example/go/sm4"
)

var functions = []struct {
	name         string
	ours, theirs func(key, in []byte, mode bool) ([]byte, error)
}{
	{"Sm4Ecb", compat.Sm4Ecb, tjfoc.Sm4Ecb},
	{"Sm4Cbc", compat.Sm4Cbc, tjfoc.Sm4Cbc},
	{"Sm4CFB", compat.Sm4CFB, tjfoc.Sm4CFB},
	{"Sm4OFB", compat.Sm4OFB, tjfoc.Sm4OFB},
}

func TestModesOfTjfoc(t *testing.T) {
	d := seeded(t)
	setIV := func(iv []byte) {
		must(0, compat.SetIV(iv))
		must(0, tjfoc.SetIV(tight(iv)))
	}
	t.Cleanup(func() { setIV(make([]byte, 16)) })
	for round := range 3 {
		// The first round has the IV that the process begins with.
		if round > 0 {
			setIV(d.bytes(16))
		}
		for _, f := range functions {
			for _, n := range lengths(d) {
				key, plaintext := d.bytes(16), d.bytes(n)
				ours, theirs := must(f.ours(key, plaintext, true)), must(f.theirs(key, tight(plaintext), true))
				if !bytes.Equal(ours, theirs) {
					t.Fatal(f.name, n, "write")
				}
				if !bytes.Equal(must(f.ours(key, theirs, false)), plaintext) || !bytes.Equal(must(f.theirs(key, tight(ours), false)), plaintext) {
					t.Fatal(f.name, n, "read")
				}
			}
			for _, n := range []int{0, 15, 17} {
				_, ours := f.ours(make([]byte, n), nil, true)
				_, theirs := f.theirs(make([]byte, n), nil, true)
				if ours == nil || theirs == nil || ours.Error() != theirs.Error() {
					t.Fatal(ours, theirs)
				}
			}
		}
	}
}

// Where tjfoc's returns nil and no error, ours returns nil and an error; nothing else differs.
func TestPaddingOfTjfoc(t *testing.T) {
	d, wrong := seeded(t), 0
	for _, f := range functions {
		for range 2000 {
			key, in := d.bytes(16), d.bytes(16*(1+d.IntN(3)))
			ours, err := f.ours(key, in, false)
			theirs := must(f.theirs(key, tight(in), false))
			if !bytes.Equal(ours, theirs) || (err != nil) != (theirs == nil) {
				t.Fatalf("%s: %x %x %v", f.name, ours, theirs, err)
			}
			if err != nil {
				wrong++
			}
		}
	}
	if wrong == 0 || wrong == 8000 {
		t.Fatal(wrong)
	}
}

func ivOf(d draws) []byte {
	iv := d.bytes([]int{12, 12, 12, 12, 16, 0, 1, 8, 33}[d.IntN(9)])
	for i := range iv {
		// The counter treats FF in its own way.
		if d.IntN(4) == 0 {
			iv[i] = 0xff
		}
	}
	return iv
}

func TestSm4GCMOfTjfoc(t *testing.T) {
	d := seeded(t)
	for _, n := range append(lengths(d), 4080, 4096, 66000) {
		key, iv, plaintext, aad := d.bytes(16), ivOf(d), d.bytes(n), d.bytes(d.IntN(60))
		checkGCM(t, key, iv, plaintext, aad)
	}
}

func checkGCM(t *testing.T, key, iv, plaintext, aad []byte) {
	t.Helper()
	ciphertext, tag, err := compat.Sm4GCM(key, iv, plaintext, aad, true)
	theirs, theirTag := tjfoc.GCMEncrypt(key, tight(iv), tight(plaintext), tight(aad))
	if err != nil || !bytes.Equal(ciphertext, theirs) || !bytes.Equal(tag, theirTag) {
		t.Fatalf("key %x, iv %x, aad %x: write %x, %v", key, iv, aad, plaintext, err)
	}
	opened, tag, err := compat.Sm4GCM(key, iv, theirs, aad, false)
	if err != nil || !bytes.Equal(opened, plaintext) || !bytes.Equal(tag, theirTag) {
		t.Fatalf("key %x, iv %x, aad %x: read %x, %v", key, iv, aad, plaintext, err)
	}
	theirs, theirTag = tjfoc.GCMDecrypt(key, tight(iv), roomy(ciphertext), tight(aad))
	if !bytes.Equal(theirs[:len(plaintext)], plaintext) || !bytes.Equal(theirTag, tag) {
		t.Fatalf("key %x, iv %x, aad %x: tjfoc's reads %x", key, iv, aad, plaintext)
	}
	if opened, err = compat.OpenGCM(key, iv, ciphertext, aad, theirTag); err != nil || !bytes.Equal(opened, plaintext) {
		t.Fatal(err)
	}
	// Of what was changed both compute the same, and OpenGCM refuses it.
	if len(ciphertext) > 0 {
		ciphertext[len(ciphertext)/2] ^= 1
		opened, tag, err = compat.Sm4GCM(key, iv, ciphertext, aad, false)
		theirs, theirTag = tjfoc.GCMDecrypt(key, tight(iv), roomy(ciphertext), tight(aad))
		if err != nil || !bytes.Equal(opened, theirs[:len(opened)]) || !bytes.Equal(tag, theirTag) {
			t.Fatal("changed:", err)
		}
		ciphertext[len(ciphertext)/2] ^= 1
	}
	theirTag = bytes.Clone(tag)
	theirTag[3] ^= 1
	if _, err := compat.OpenGCM(key, iv, ciphertext, aad, theirTag); err == nil {
		t.Fatal("a wrong tag opens")
	}
}

func TestKeysOfSM4InPEM(t *testing.T) {
	d := seeded(t)
	for i, password := range [][]byte{nil, {}, []byte("correct horse"), d.bytes(40)} {
		key := d.bytes(16)
		ours, theirs := must(compat.WriteKeyToPem(key, password)), must(tjfoc.WriteKeyToPem(key, password))
		if password == nil && !bytes.Equal(ours, theirs) {
			t.Fatalf("%s %s", ours, theirs)
		}
		if !bytes.Equal(must(compat.ReadKeyFromPem(theirs, password)), key) || !bytes.Equal(must(tjfoc.ReadKeyFromPem(ours, password)), key) {
			t.Fatal(i)
		}
		name := filepath.Join(t.TempDir(), "key.pem")
		must(0, tjfoc.WriteKeyToPemFile(name, key, password))
		if !bytes.Equal(must(compat.ReadKeyFromPemFile(name, password)), key) {
			t.Fatal(i)
		}
		must(0, os.Remove(name))
		must(0, compat.WriteKeyToPemFile(name, key, password))
		if !bytes.Equal(must(tjfoc.ReadKeyFromPemFile(name, password)), key) {
			t.Fatal(i)
		}
		_, err := compat.ReadKeyFromPem(ours, []byte("another"))
		_, theirErr := tjfoc.ReadKeyFromPem(ours, []byte("another"))
		if (err == nil) != (theirErr == nil) {
			t.Fatal(err, theirErr)
		}
	}
}

// The hooks: what crypto/cipher and emmansun's cipher make of our block is ours.
func TestHooks(t *testing.T) {
	for _, newCipher := range []func([]byte) (cipher.Block, error){sm4.NewCipher, compat.NewCipher} {
		block := must(newCipher(make([]byte, 16)))
		iv := make([]byte, 16)
		for name, made := range map[string]any{
			"*sm4.cbcEncrypter": cipher.NewCBCEncrypter(block, iv),
			"*sm4.cbcDecrypter": cipher.NewCBCDecrypter(block, iv),
			"*sm4.ctr":          cipher.NewCTR(block, iv),
			"sm4.ecbEncrypter":  emmanmodes.NewECBEncrypter(block),
			"sm4.ecbDecrypter":  emmanmodes.NewECBDecrypter(block),
			"*sm4.ccm":          must(emmanmodes.NewCCMWithTagSize(block, 8)),
		} {
			if fmt.Sprintf("%T", made) != name {
				t.Errorf("a hook makes a %T in place of %s", made, name)
			}
		}
		for name, made := range map[string]cipher.AEAD{"GCM": must(cipher.NewGCM(block)), "CCM": must(emmanmodes.NewCCM(block))} {
			if _, ok := made.(*aead.Key); !ok {
				t.Errorf("%s is a %T", name, made)
			}
		}
	}
}

// Our block and emmansun's, by the same functions of crypto/cipher and of emmansun's.
func TestModesOfEmmansun(t *testing.T) {
	d := seeded(t)
	for _, n := range lengths(d) {
		key, iv, aad, data := d.bytes(16), d.bytes(16), d.bytes(d.IntN(50)), d.bytes(n)
		ours, theirs := must(sm4.NewCipher(key)), must(emmansun.NewCipher(key))
		for name, of := range map[string]func(cipher.Block) (cipher.AEAD, error){
			"GCM":              cipher.NewGCM,
			"GCM, 16 of nonce": func(b cipher.Block) (cipher.AEAD, error) { return cipher.NewGCMWithNonceSize(b, 16) },
			"GCM, 13 of tag":   func(b cipher.Block) (cipher.AEAD, error) { return cipher.NewGCMWithTagSize(b, 13) },
			"CCM":              emmanmodes.NewCCM,
			"CCM, 7 of nonce":  func(b cipher.Block) (cipher.AEAD, error) { return emmanmodes.NewCCMWithNonceSize(b, 7) },
			"CCM, 4 of tag":    func(b cipher.Block) (cipher.AEAD, error) { return emmanmodes.NewCCMWithTagSize(b, 4) },
			"CCM, 13 and 6":    func(b cipher.Block) (cipher.AEAD, error) { return emmanmodes.NewCCMWithNonceAndTagSize(b, 13, 6) },
		} {
			a, b := must(of(ours)), must(of(theirs))
			nonce := iv[:a.NonceSize()]
			sealed := b.Seal(nil, nonce, data, aad)
			if !bytes.Equal(a.Seal(nil, nonce, data, aad), sealed) || !bytes.Equal(must(a.Open(nil, nonce, sealed, aad)), data) {
				t.Fatal(name, n)
			}
		}
		got, want := make([]byte, n), make([]byte, n)
		cipher.NewCTR(ours, iv).XORKeyStream(got, data)
		cipher.NewCTR(theirs, iv).XORKeyStream(want, data)
		if !bytes.Equal(got, want) {
			t.Fatal("CTR", n)
		}
		whole := data[:n/16*16]
		for name, of := range map[string]func(cipher.Block) cipher.BlockMode{
			"CBC encrypts": func(b cipher.Block) cipher.BlockMode { return cipher.NewCBCEncrypter(b, iv) },
			"CBC decrypts": func(b cipher.Block) cipher.BlockMode { return cipher.NewCBCDecrypter(b, iv) },
			"ECB encrypts": func(b cipher.Block) cipher.BlockMode { return emmanmodes.NewECBEncrypter(b) },
			"ECB decrypts": func(b cipher.Block) cipher.BlockMode { return emmanmodes.NewECBDecrypter(b) },
		} {
			of(ours).CryptBlocks(got, whole)
			of(theirs).CryptBlocks(want, whole)
			if !bytes.Equal(got, want) {
				t.Fatal(name, n)
			}
		}
		if n >= 16 {
			tweak := d.bytes(16)
			long := append(bytes.Clone(key), d.bytes(16)...)
			for isIEEE, of := range map[bool]func(key, tweak []byte) (cipher.BlockMode, error){
				true: func(key, tweak []byte) (cipher.BlockMode, error) {
					return emmanmodes.NewXTSEncrypter(emmansun.NewCipher, key[:16], key[16:], tweak)
				},
				false: func(key, tweak []byte) (cipher.BlockMode, error) {
					return emmanmodes.NewGBXTSEncrypter(emmansun.NewCipher, key[:16], key[16:], tweak)
				},
			} {
				must(0, must(sm4.NewXTS(long, isIEEE)).Encrypt(got, data, tweak))
				must(of(long, tweak)).CryptBlocks(want, data)
				if subtle.ConstantTimeCompare(got, want) != 1 {
					t.Fatal("XTS", isIEEE, n)
				}
			}
		}
	}
}

func FuzzModes(f *testing.F) {
	f.Add(byte(0), make([]byte, 16), []byte("plaintext"))
	f.Add(byte(3), []byte("1234567890abcdef"), make([]byte, 48))
	f.Fuzz(func(t *testing.T, which byte, key, data []byte) {
		function := functions[which%4]
		ours, err := function.ours(key, data, true)
		theirs, theirErr := function.theirs(key, tight(data), true)
		if (err == nil) != (theirErr == nil) || !bytes.Equal(ours, theirs) {
			t.Fatal(function.name, err, theirErr)
		}
		// tjfoc's panics where there are no bytes, and where they are not whole blocks it reads beyond them.
		if len(data) == 0 || len(data)%16 != 0 || err != nil {
			if out, err := function.ours(key, data, false); err == nil || out != nil {
				t.Fatal(function.name, "takes", len(data))
			}
			return
		}
		ours, err = function.ours(key, data, false)
		theirs = must(function.theirs(key, tight(data), false))
		if !bytes.Equal(ours, theirs) || (err != nil) != (theirs == nil) {
			t.Fatal(function.name, err)
		}
	})
}

func FuzzSm4GCM(f *testing.F) {
	f.Add([]byte("1234567890abcdef"), []byte("an iv of 12!"), []byte("attack at dawn"), []byte("header"))
	f.Add(make([]byte, 16), bytes.Repeat([]byte{0xff}, 12), make([]byte, 33), []byte{})
	f.Fuzz(func(t *testing.T, key, iv, plaintext, aad []byte) {
		if len(key) != 16 {
			if _, _, err := compat.Sm4GCM(key, iv, plaintext, aad, true); err == nil {
				t.Fatal("a key of", len(key))
			}
			return
		}
		checkGCM(t, key, iv, plaintext, aad)
	})
}

func FuzzGCMAndCCM(f *testing.F) {
	f.Add([]byte("1234567890abcdef"), []byte("a nonce of12"), []byte("attack at dawn"), []byte("header"))
	f.Fuzz(func(t *testing.T, key, nonce, data, aad []byte) {
		if len(key) != 16 || len(nonce) != 12 {
			return
		}
		ours, theirs := must(sm4.NewCipher(key)), must(emmansun.NewCipher(key))
		for _, of := range []func(cipher.Block) (cipher.AEAD, error){cipher.NewGCM, emmanmodes.NewCCM} {
			a, b := must(of(ours)), must(of(theirs))
			if !bytes.Equal(a.Seal(nil, nonce, data, aad), b.Seal(nil, nonce, data, aad)) {
				t.Fatal("they seal otherwise")
			}
			opened, err := a.Open(nil, nonce, data, aad)
			theirOpened, theirErr := b.Open(nil, nonce, data, aad)
			if (err == nil) != (theirErr == nil) || !bytes.Equal(opened, theirOpened) {
				t.Fatal("they open otherwise")
			}
		}
	})
}
