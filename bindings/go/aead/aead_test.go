//go:build cgo

package aead

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sealstone.example/go/internal/fault"
)

var _ cipher.AEAD = (*Key)(nil)

// lengths has each algorithm with the length of its keys and nonces.
var lengths = map[string][2]int{
	"aes-128-gcm": {16, 12}, "aes-192-gcm": {24, 12}, "aes-256-gcm": {32, 12}, "aes-128-gcm-siv": {16, 12}, "aes-256-gcm-siv": {32, 12},
	"chacha20-poly1305": {32, 12}, "xchacha20-poly1305": {32, 24}, "sm4-gcm": {16, 12}, "sm4-ccm": {16, 12},
}

func unhex(digits string) []byte {
	b, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return b
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

func isCode(err error, code string) bool { return errors.Is(err, fault.New(code, "")) }

func key(t testing.TB, algorithm string) *Key {
	t.Helper()
	k, err := New(algorithm, pattern(KeySize(algorithm)))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// all runs the test with each algorithm.
func all(t *testing.T, test func(t *testing.T, k *Key)) {
	t.Helper()
	for algorithm := range lengths {
		t.Run(algorithm, func(t *testing.T) { test(t, key(t, algorithm)) })
	}
}

func panics(call func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	call()
	return ""
}

const (
	sunscreen = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
	// Of the description of GCM that NIST's submission has, cases 4, 10 and 16.
	gcmText = "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
	gcmAAD  = "feedfacedeadbeeffeedfacedeadbeefabaddad2"
	gcmKey  = "feffe9928665731c6d6a8f9467308308"
	// Of RFC 8998, appendix A.
	sm4Text = "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"
)

func TestKnownAnswers(t *testing.T) {
	rfc8439 := "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
	seen := map[string]bool{}
	for _, c := range []struct{ algorithm, key, nonce, aad, plaintext, sealed string }{
		// RFC 8439, section 2.8.2.
		{
			"chacha20-poly1305", rfc8439, "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7", hex.EncodeToString([]byte(sunscreen)),
			"d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691",
		},
		// draft-irtf-cfrg-xchacha-03, appendix A.3.1.
		{
			"xchacha20-poly1305", rfc8439, "404142434445464748494a4b4c4d4e4f5051525354555657", "50515253c0c1c2c3c4c5c6c7", hex.EncodeToString([]byte(sunscreen)),
			"bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49",
		},
		{
			"aes-128-gcm", gcmKey, "cafebabefacedbaddecaf888", gcmAAD, gcmText,
			"42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47",
		},
		{
			"aes-192-gcm", gcmKey + gcmKey[:16], "cafebabefacedbaddecaf888", gcmAAD, gcmText,
			"3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda27102519498e80f1478f37ba55bd6d27618c",
		},
		{
			"aes-256-gcm", gcmKey + gcmKey, "cafebabefacedbaddecaf888", gcmAAD, gcmText,
			"522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b",
		},
		// RFC 8452, appendices C.1 and C.2.
		{"aes-128-gcm-siv", "01" + strings.Repeat("00", 15), "030000000000000000000000", "", "", "dc20e2d83f25705bb49e439eca56de25"},
		{"aes-128-gcm-siv", "01" + strings.Repeat("00", 15), "030000000000000000000000", "", "0100000000000000", "b5d839330ac7b786578782fff6013b815b287c22493a364c"},
		{"aes-256-gcm-siv", "01" + strings.Repeat("00", 31), "030000000000000000000000", "", "", "07f5f4169bbf55a8400cd47ea6fd400f"},
		{"aes-256-gcm-siv", "01" + strings.Repeat("00", 31), "030000000000000000000000", "", "0100000000000000", "c2ef328e5c71c83b843122130f7364b761e0b97427e3df28"},
		{
			"sm4-gcm", "0123456789abcdeffedcba9876543210", "00001234567800000000abcd", gcmAAD, sm4Text,
			"17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d83de3541e4c2b58177e065a9bf7b62ec",
		},
		{
			"sm4-ccm", "0123456789abcdeffedcba9876543210", "00001234567800000000abcd", gcmAAD, sm4Text,
			"48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b16842d4fa186f56ab33256971fa110f4",
		},
	} {
		k, err := New(c.algorithm, unhex(c.key))
		if err != nil {
			t.Fatal(c.algorithm, err)
		}
		if got := k.Seal(nil, unhex(c.nonce), unhex(c.plaintext), unhex(c.aad)); hex.EncodeToString(got) != c.sealed {
			t.Errorf("%s: %x", c.algorithm, got)
		}
		opened, err := k.Open(nil, unhex(c.nonce), unhex(c.sealed), unhex(c.aad))
		if err != nil || hex.EncodeToString(opened) != c.plaintext {
			t.Errorf("%s: %x, %v", c.algorithm, opened, err)
		}
		seen[c.algorithm] = true
	}
	if len(seen) != len(lengths) {
		t.Fatal("an algorithm has no known answer", seen)
	}
}

func TestLengths(t *testing.T) {
	for algorithm, want := range lengths {
		k := key(t, algorithm)
		if KeySize(algorithm) != want[0] || k.NonceSize() != want[1] || k.Overhead() != Overhead {
			t.Error(algorithm, KeySize(algorithm), k.NonceSize(), k.Overhead())
		}
		for _, n := range []int{0, want[0] - 1, want[0] + 1} {
			if _, err := New(algorithm, make([]byte, n)); !isCode(err, "wrong_length") {
				t.Error(algorithm, n, err)
			}
		}
	}
	if _, err := New("aes-256-ecb", make([]byte, 32)); !isCode(err, "unknown_algorithm") || KeySize("aes-256-ecb") != 0 {
		t.Error(err)
	}
	// The error names all algorithms: one that comes is to be tested here.
	_, err := New("", nil)
	_, names, _ := strings.Cut(err.Error(), "expected one of: ")
	for _, name := range strings.Split(names, ", ") {
		if _, ok := lengths[name]; !ok {
			t.Errorf("no test has %q", name)
		}
	}
}

func TestAESGCMIsTheStandardLibrarys(t *testing.T) {
	for _, n := range []int{16, 24, 32} {
		block, err := aes.NewCipher(pattern(n))
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := cipher.NewGCM(block)
		if err != nil {
			t.Fatal(err)
		}
		ours := key(t, fmt.Sprintf("aes-%d-gcm", 8*n))
		for length := range 300 {
			nonce, aad := pattern(12), pattern(length%40)
			if !bytes.Equal(ours.Seal(nil, nonce, pattern(length), aad), theirs.Seal(nil, nonce, pattern(length), aad)) {
				t.Fatal(n, length)
			}
		}
	}
}

func TestWhatCryptoCipherSays(t *testing.T) {
	all(t, func(t *testing.T, k *Key) {
		nonce, aad := pattern(k.NonceSize()), pattern(13)
		for _, n := range []int{0, 1, 15, 16, 17, 300} {
			sealed := k.Seal(nil, nonce, pattern(n), aad)
			if len(sealed) != n+Overhead {
				t.Fatal(n, len(sealed))
			}
			for _, room := range []int{0, n, n + Overhead, n + 100} {
				dst := append(make([]byte, 0, 3+room), "abc"...)
				if all := k.Seal(dst, nonce, pattern(n), aad); !bytes.Equal(all, append([]byte("abc"), sealed...)) {
					t.Fatal(n, room, "Seal")
				}
				if all, err := k.Open(dst, nonce, sealed, aad); err != nil || !bytes.Equal(all, append([]byte("abc"), pattern(n)...)) {
					t.Fatal(n, room, "Open", err)
				}
			}
			memory := append(make([]byte, 0, n+Overhead), pattern(n)...)
			if memory = k.Seal(memory[:0], nonce, memory, aad); !bytes.Equal(memory, sealed) {
				t.Fatal(n, "Seal in place")
			}
			if opened, err := k.Open(memory[:0], nonce, memory, aad); err != nil || !bytes.Equal(opened, pattern(n)) {
				t.Fatal(n, "Open in place", err)
			}
			for at := range sealed {
				changed := bytes.Clone(sealed)
				changed[at] ^= 1
				dst := make([]byte, n+8)
				if out, err := k.Open(dst[:0], nonce, changed, aad); !isCode(err, "not_authentic") || out != nil || !bytes.Equal(dst, make([]byte, n+8)) {
					t.Fatal(n, at, err)
				}
			}
			for cut := range Overhead + 1 {
				if _, err := k.Open(nil, nonce, sealed[:min(cut, len(sealed)-1)], aad); !isCode(err, "not_authentic") {
					t.Fatal(n, cut, err)
				}
			}
			if _, err := k.Open(nil, nonce, sealed, nil); !isCode(err, "not_authentic") {
				t.Fatal(n, "without additional data", err)
			}
		}
		shared := make([]byte, 200)
		for name, call := range map[string]func(){
			"Seal behind":        func() { k.Seal(shared[1:1], nonce, shared[:50], nil) },
			"Seal before":        func() { k.Seal(shared[:0], nonce, shared[1:50], nil) },
			"Seal, aad":          func() { k.Seal(shared[:0], nonce, nil, shared[10:20]) },
			"Open behind":        func() { k.Open(shared[1:1], nonce, shared[:50], nil) },
			"Open, aad":          func() { k.Open(shared[:0], nonce, make([]byte, 50), shared[10:20]) },
			"Seal, short nonce":  func() { k.Seal(nil, nonce[1:], nil, nil) },
			"Open, no nonce":     func() { k.Open(nil, nil, make([]byte, 16), nil) },
			"Seal, longer nonce": func() { k.Seal(nil, append(nonce[:len(nonce):len(nonce)], 0), nil, nil) },
		} {
			if panics(call) == "" {
				t.Error("no panic:", name)
			}
		}
	})
}

func TestBatches(t *testing.T) {
	all(t, func(t *testing.T, k *Key) {
		var plaintexts [][]byte
		for n := range 50 {
			plaintexts = append(plaintexts, pattern(n*7%130))
		}
		sealed, err := k.SealBatch(plaintexts, pattern(5))
		if err != nil || len(sealed) != 50 {
			t.Fatal(err)
		}
		nonces := map[string]bool{}
		for i, one := range sealed {
			nonces[string(one[:k.NonceSize()])] = true
			opened, err := k.Open(nil, one[:k.NonceSize()], one[k.NonceSize():], pattern(5))
			if err != nil || !bytes.Equal(opened, plaintexts[i]) {
				t.Fatal(i, err)
			}
		}
		if len(nonces) != 50 {
			t.Fatal("a nonce was drawn twice")
		}
		opened, errs := k.OpenBatch(sealed, pattern(5))
		if errs != nil {
			t.Fatal(errs)
		}
		for i := range opened {
			if !bytes.Equal(opened[i], plaintexts[i]) {
				t.Fatal(i)
			}
		}
		// One is changed, one cut, one empty: the others open.
		sealed[3][len(sealed[3])-1] ^= 1
		sealed[4] = sealed[4][:5]
		sealed[5] = nil
		opened, errs = k.OpenBatch(sealed, pattern(5))
		for i := range sealed {
			isWrong := i >= 3 && i <= 5
			if isCode(errs[i], "not_authentic") != isWrong || (errs[i] != nil) != isWrong || isWrong && opened[i] != nil || !isWrong && !bytes.Equal(opened[i], plaintexts[i]) {
				t.Fatal(i, errs[i])
			}
		}
		if none, err := k.SealBatch(nil, nil); err != nil || len(none) != 0 {
			t.Fatal(err)
		}
		if none, errs := k.OpenBatch(nil, nil); errs != nil || len(none) != 0 {
			t.Fatal(errs)
		}
	})
}

func TestWithRoomNothingIsAllocated(t *testing.T) {
	all(t, func(t *testing.T, k *Key) {
		nonce, data, room := pattern(k.NonceSize()), pattern(1024), make([]byte, 0, 2048)
		sealed := k.Seal(nil, nonce, data, data[:20])
		if n := testing.AllocsPerRun(20, func() { k.Seal(room, nonce, data, data[:20]) }); n != 0 {
			t.Error("Seal allocates", n)
		}
		if n := testing.AllocsPerRun(20, func() {
			if _, err := k.Open(room, nonce, sealed, data[:20]); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Error("Open allocates", n)
		}
	})
}

func TestAKeyPrintsNothing(t *testing.T) {
	k, err := New("aes-128-gcm", unhex("0123456789abcdeffedcba9876543210"))
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x"} {
		for _, value := range []any{k, *k, struct{ K *Key }{k}} {
			for _, secret := range []string{"0123456789", "1 35 69", "1 23 45", "0x1, 0x23"} {
				if text := fmt.Sprintf(verb, value); strings.Contains(text, secret) {
					t.Fatal(verb, text)
				}
			}
		}
	}
}

func TestOneKeyForManyGoroutines(t *testing.T) {
	all(t, func(t *testing.T, k *Key) {
		nonce := pattern(k.NonceSize())
		want := k.Seal(nil, nonce, pattern(100), nil)
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				for range 20 {
					if !bytes.Equal(k.Seal(nil, nonce, pattern(100), nil), want) {
						t.Error("another result")
					}
				}
			})
		}
		group.Wait()
	})
}

// crypto/cipher's AEADs have read the nonce before they write, so it may lie where the output goes.
func TestANonceMayLieInTheOutput(t *testing.T) {
	for _, algorithm := range []string{"aes-256-gcm", "chacha20-poly1305", "aes-256-gcm-siv"} {
		key, err := New(algorithm, make([]byte, 32))
		if err != nil {
			t.Fatal(err)
		}
		plain := []byte("the plaintext")
		for at := range 40 {
			memory := make([]byte, 64)
			for i := range memory {
				memory[i] = byte(i)
			}
			nonce := memory[at : at+key.NonceSize()]
			copied := bytes.Clone(nonce)
			sealed := key.Seal(memory[:5], nonce, plain, nil)
			if want := key.Seal(nil, copied, plain, nil); !bytes.Equal(sealed[5:], want) {
				t.Fatal(algorithm, at)
			}
			memory = append(bytes.Clone(copied), sealed[5:]...)
			opened, err := key.Open(memory[:0], memory[:len(copied)], bytes.Clone(sealed[5:]), nil)
			if err != nil || !bytes.Equal(opened, plain) {
				t.Fatal(algorithm, at, err)
			}
		}
	}
}
