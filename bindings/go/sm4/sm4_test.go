//go:build cgo

package sm4

import (
	"bytes"
	"crypto/cipher"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"sealstone.example/go/aead"
	"sealstone.example/go/internal/fault"
)

var example = unhex("0123456789abcdeffedcba9876543210")

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

func block(t testing.TB) cipher.Block {
	t.Helper()
	b, err := NewCipher(example)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// plain is the same cipher of which crypto/cipher knows no more, so that its own modes are the model.
func plain(t testing.TB) cipher.Block { return single{block(t)} }

// panics is the message of the panic, or an empty one.
func panics(call func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	call()
	return ""
}

func TestTheStandardsExample(t *testing.T) {
	got := make([]byte, 16)
	block(t).Encrypt(got, example)
	if hex.EncodeToString(got) != "681edf34d206965e86b3e94f536e4246" {
		t.Fatalf("%x", got)
	}
	block(t).Decrypt(got, got)
	if !bytes.Equal(got, example) {
		t.Fatalf("%x", got)
	}
}

func TestKeysHave16Bytes(t *testing.T) {
	for n := range 40 {
		_, err := NewCipher(make([]byte, n))
		var size KeySizeError
		if isError := errors.As(err, &size); isError != (n != 16) || isError && (int(size) != n || err.Error() != fmt.Sprintf("sm4: invalid key size %d", n)) {
			t.Fatal(n, err)
		}
	}
}

func TestABlockPrintsNothing(t *testing.T) {
	b := block(t).(*Cipher)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X"} {
		// A copy, which go vet would refuse, as another package might make it.
		for _, value := range []any{b, reflect.ValueOf(b).Elem().Interface(), struct{ B cipher.Block }{b}, []*Cipher{b}} {
			text := fmt.Sprintf(verb, value)
			for _, secret := range []string{"[1 35 69", "0x1, 0x23", "0123456789", "1, 35", "[1 23 45", "0x1,0x23"} {
				if bytes.Contains([]byte(text), []byte(secret)) {
					t.Fatalf("%s of %T: %s", verb, value, text)
				}
			}
		}
	}
}

// Our modes and those of crypto/cipher over single blocks give the same, in place, elsewhere and in parts.
func TestModesAreTheStandardLibrarys(t *testing.T) {
	iv := pattern(16)
	for _, mode := range []struct {
		name         string
		ours, theirs func() cipher.BlockMode
	}{
		{"CBC encrypts", func() cipher.BlockMode { return NewCBCEncrypter(block(t), iv) }, func() cipher.BlockMode { return cipher.NewCBCEncrypter(plain(t), iv) }},
		{"CBC decrypts", func() cipher.BlockMode { return NewCBCDecrypter(block(t), iv) }, func() cipher.BlockMode { return cipher.NewCBCDecrypter(plain(t), iv) }},
		{"ECB encrypts", func() cipher.BlockMode { return NewECBEncrypter(block(t)) }, func() cipher.BlockMode { return loop(block(t).Encrypt) }},
		{"ECB decrypts", func() cipher.BlockMode { return NewECBDecrypter(block(t)) }, func() cipher.BlockMode { return loop(block(t).Decrypt) }},
	} {
		t.Run(mode.name, func(t *testing.T) {
			for n := 0; n <= 16*40; n += 16 {
				data, want := pattern(n), make([]byte, n)
				mode.theirs().CryptBlocks(want, data)
				got := make([]byte, n)
				mode.ours().CryptBlocks(got, data)
				if !bytes.Equal(got, want) || !bytes.Equal(data, pattern(n)) {
					t.Fatal(n)
				}
				mode.ours().CryptBlocks(data, data)
				if !bytes.Equal(data, want) {
					t.Fatal(n, "in place")
				}
				// In parts of 16, 32, 48 bytes and so on, with an output that is longer.
				m, rest := mode.ours(), pattern(n)
				out := make([]byte, n+1)
				for at, step := 0, 16; at < n; at, step = at+step, step+16 {
					step = min(step, n-at)
					m.CryptBlocks(out[at:], rest[at:at+step])
				}
				if !bytes.Equal(out[:n], want) || out[n] != 0 {
					t.Fatal(n, "in parts")
				}
			}
			m := mode.ours()
			if m.BlockSize() != 16 {
				t.Fatal(m.BlockSize())
			}
			memory := make([]byte, 64)
			for _, call := range []struct{ dst, src []byte }{
				{memory[:15], memory[:16]}, {memory[:32], memory[:17]}, {memory[:0], memory[:16]}, {memory[1:33], memory[:32]}, {memory[:32], memory[1:33]}, {memory[16:48], memory[:32]},
			} {
				if panics(func() { m.CryptBlocks(call.dst, call.src) }) == "" {
					t.Fatal("no panic of", len(call.dst), len(call.src))
				}
			}
			m.CryptBlocks(memory[32:], memory[:32])
			m.CryptBlocks(nil, nil)
			if setter, ok := m.(interface{ SetIV([]byte) }); ok {
				setter.SetIV(iv)
				if got, want := make([]byte, 16), make([]byte, 16); true {
					m.CryptBlocks(got, iv)
					mode.theirs().CryptBlocks(want, iv)
					if !bytes.Equal(got, want) {
						t.Fatal("SetIV")
					}
				}
				if panics(func() { setter.SetIV(iv[:15]) }) == "" {
					t.Fatal("SetIV takes 15 bytes")
				}
			}
		})
	}
}

type loop func(dst, src []byte)

func (l loop) BlockSize() int { return 16 }

func (l loop) CryptBlocks(dst, src []byte) {
	for at := 0; at < len(src); at += 16 {
		l(dst[at:], src[at:])
	}
}

func TestSingleBlocksPanicWhereTheyMust(t *testing.T) {
	b, memory := block(t), make([]byte, 64)
	for _, call := range []func(dst, src []byte){b.Encrypt, b.Decrypt} {
		for _, wrong := range []struct{ dst, src []byte }{{memory[:15], memory[:16]}, {memory[:16], memory[:15]}, {nil, nil}, {memory[1:], memory}, {memory, memory[15:]}} {
			if panics(func() { call(wrong.dst, wrong.src) }) == "" {
				t.Fatal("no panic of", len(wrong.dst), len(wrong.src))
			}
		}
		call(memory, memory)
		call(memory[16:], memory)
	}
	for n := range 40 {
		for _, call := range []func(){
			func() { NewCBCEncrypter(b, make([]byte, n)) }, func() { NewCBCDecrypter(b, make([]byte, n)) }, func() { NewCTR(b, make([]byte, n)) },
		} {
			if (panics(call) == "") != (n == 16) {
				t.Fatal("an IV of", n)
			}
		}
	}
	if panics(func() { NewECBEncrypter(plain(t)) }) == "" {
		t.Fatal("another block")
	}
}

func TestCTRGoesOnAtEachOffset(t *testing.T) {
	// The last one wraps 64 and 128 bits.
	for _, iv := range [][]byte{pattern(16), append(make([]byte, 8), bytes.Repeat([]byte{0xff}, 8)...), bytes.Repeat([]byte{0xff}, 16)} {
		data, want := pattern(200), make([]byte, 200)
		cipher.NewCTR(plain(t), iv).XORKeyStream(want, data)
		for first := range 41 {
			for second := range 41 {
				s, got := NewCTR(block(t), iv), make([]byte, 200)
				s.XORKeyStream(got, data[:first])
				s.XORKeyStream(got[first:], data[first:first+second])
				s.XORKeyStream(got[first+second:], data[first+second:])
				if !bytes.Equal(got, want) {
					t.Fatal(first, second)
				}
			}
		}
		in := bytes.Clone(data)
		s := NewCTR(block(t), iv)
		for at := range in {
			s.XORKeyStream(in[at:at+1], in[at:at+1])
		}
		if !bytes.Equal(in, want) {
			t.Fatal("byte by byte, in place")
		}
	}
	s, memory := NewCTR(block(t), pattern(16)), make([]byte, 64)
	if panics(func() { s.XORKeyStream(memory[:3], memory[:4]) }) == "" || panics(func() { s.XORKeyStream(memory[1:], memory[:4]) }) == "" {
		t.Fatal("no panic")
	}
}

// RFC 8998, appendix A.
func TestRFC8998(t *testing.T) {
	nonce, aad := unhex("00001234567800000000abcd"), unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
	plaintext := unhex("aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccddddddddddddddddeeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa")
	for name, c := range map[string]struct {
		of   func(cipher.Block) (cipher.AEAD, error)
		want string
	}{
		"GCM": {NewGCM, "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d83de3541e4c2b58177e065a9bf7b62ec"},
		"CCM": {NewCCM, "48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b16842d4fa186f56ab33256971fa110f4"},
		"CCM in Go": {
			func(b cipher.Block) (cipher.AEAD, error) {
				c := of(b)
				return &ccm{c.in(&c.cbc, "sm4-cbc"), c.in(&c.ctr, "sm4-ctr"), 12, 16}, nil
			},
			"48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b16842d4fa186f56ab33256971fa110f4",
		},
	} {
		a, err := c.of(block(t))
		if err != nil {
			t.Fatal(name, err)
		}
		if got := a.Seal(nil, nonce, plaintext, aad); hex.EncodeToString(got) != c.want {
			t.Fatalf("%s: %x", name, got)
		}
		opened, err := a.Open(nil, nonce, unhex(c.want), aad)
		if err != nil || !bytes.Equal(opened, plaintext) {
			t.Fatal(name, err)
		}
	}
}

// What crypto/cipher says of an AEAD: memory, appended results, changes.
func checkAEAD(t *testing.T, a cipher.AEAD) {
	t.Helper()
	nonce, aad := pattern(a.NonceSize()), pattern(13)
	for _, n := range []int{0, 1, 15, 16, 17, 33, 300} {
		plaintext := pattern(n)
		sealed := a.Seal(nil, nonce, plaintext, aad)
		if len(sealed) != n+a.Overhead() {
			t.Fatal(n, len(sealed))
		}
		for _, room := range []int{0, n, n + a.Overhead(), n + 100} {
			dst := append(make([]byte, 0, 3+room), "abc"...)
			all := a.Seal(dst, nonce, plaintext, aad)
			if !bytes.Equal(all, append([]byte("abc"), sealed...)) || cap(dst) >= len(all) && &dst[0] != &all[0] {
				t.Fatal(n, room, "Seal")
			}
			all, err := a.Open(dst, nonce, sealed, aad)
			if err != nil || !bytes.Equal(all, append([]byte("abc"), plaintext...)) {
				t.Fatal(n, room, "Open", err)
			}
		}
		// In place.
		memory := append(make([]byte, 0, n+a.Overhead()), plaintext...)
		memory = a.Seal(memory[:0], nonce, memory, aad)
		if !bytes.Equal(memory, sealed) {
			t.Fatal(n, "Seal in place")
		}
		opened, err := a.Open(memory[:0], nonce, memory, aad)
		if err != nil || !bytes.Equal(opened, plaintext) {
			t.Fatal(n, "Open in place", err)
		}
		for _, at := range []int{0, n / 2, len(sealed) - 1} {
			changed := bytes.Clone(sealed)
			changed[at] ^= 0x80
			dst := make([]byte, 0, n+16)
			out, err := a.Open(dst, nonce, changed, aad)
			if err == nil || out != nil {
				t.Fatal(n, at, "it opens when changed")
			}
			if !bytes.Equal(dst[:cap(dst)], make([]byte, cap(dst))) {
				t.Fatal(n, at, "a plaintext that is not authentic is in dst")
			}
		}
		if _, err := a.Open(nil, nonce, sealed, aad[1:]); err == nil {
			t.Fatal(n, "other additional data")
		}
		if _, err := a.Open(nil, nonce, sealed[:max(a.Overhead()-1, 0)], aad); err == nil {
			t.Fatal(n, "shorter than a tag")
		}
		if n == 0 {
			continue
		}
		shared := make([]byte, n+64)
		if panics(func() { a.Seal(shared[1:1], nonce, shared[:n+1], aad) }) == "" || panics(func() { a.Seal(shared[:0], nonce, plaintext, shared[:1]) }) == "" {
			t.Fatal(n, "Seal takes overlapping memory")
		}
		copy(shared, sealed)
		if panics(func() { a.Open(shared[1:1], nonce, shared[:len(sealed)], aad) }) == "" {
			t.Fatal(n, "Open takes overlapping memory")
		}
	}
	for _, n := range []int{0, a.NonceSize() - 1, a.NonceSize() + 1} {
		if panics(func() { a.Seal(nil, make([]byte, n), nil, nil) }) == "" || panics(func() { a.Open(nil, make([]byte, n), make([]byte, 40), nil) }) == "" {
			t.Fatal("a nonce of", n)
		}
	}
}

func TestAEADs(t *testing.T) {
	c := block(t).(*Cipher)
	for nonceSize := 7; nonceSize <= 13; nonceSize++ {
		for tagSize := 4; tagSize <= 16; tagSize += 2 {
			t.Run(fmt.Sprint("CCM ", nonceSize, " ", tagSize), func(t *testing.T) {
				a, err := c.NewCCM(nonceSize, tagSize)
				if err != nil || a.NonceSize() != nonceSize || a.Overhead() != tagSize {
					t.Fatal(err)
				}
				checkAEAD(t, a)
			})
		}
	}
	for _, wrong := range [][2]int{{6, 16}, {14, 16}, {12, 2}, {12, 18}, {12, 5}, {12, 0}, {0, 0}} {
		if _, err := c.NewCCM(wrong[0], wrong[1]); !errors.Is(err, fault.New("wrong_length", "")) {
			t.Fatal(wrong, err)
		}
	}
	for _, sizes := range [][2]int{{12, 16}, {16, 16}, {1, 16}, {12, 12}, {12, 15}} {
		t.Run(fmt.Sprint("GCM ", sizes), func(t *testing.T) {
			a, err := c.NewGCM(sizes[0], sizes[1])
			if err != nil || a.NonceSize() != sizes[0] || a.Overhead() != sizes[1] {
				t.Fatal(err)
			}
			checkAEAD(t, a)
		})
	}
	for _, wrong := range [][2]int{{0, 16}, {12, 11}, {12, 17}, {16, 12}} {
		if _, err := c.NewGCM(wrong[0], wrong[1]); err == nil {
			t.Fatal(wrong)
		}
	}
}

// Both ways of CCM, and each length of the field of the additional data's length that fits into memory.
func TestCCMInGoIsThatOfNativeCode(t *testing.T) {
	c := block(t).(*Cipher)
	theirs, err := NewCCM(c)
	if err != nil {
		t.Fatal(err)
	}
	ours := &ccm{c.in(&c.cbc, "sm4-cbc"), c.in(&c.ctr, "sm4-ctr"), 12, 16}
	nonce := pattern(12)
	for _, n := range []int{0, 1, 16, 17, 1000} {
		for _, aad := range []int{0, 1, 13, 14, 15, 16, 30, 0xfeff, 0xff00, 0xff01, 70000} {
			if !bytes.Equal(ours.Seal(nil, nonce, pattern(n), pattern(aad)), theirs.Seal(nil, nonce, pattern(n), pattern(aad))) {
				t.Fatal(n, aad)
			}
		}
	}
	small, err := c.NewCCM(13, 4)
	if err != nil {
		t.Fatal(err)
	}
	// The field of the length has two bytes.
	small.Seal(nil, pattern(13), pattern(65535), nil)
	if panics(func() { small.Seal(nil, pattern(13), pattern(65536), nil) }) == "" {
		t.Fatal("65,536 bytes fit into two")
	}
	if _, err := small.Open(nil, pattern(13), pattern(65540), nil); err == nil {
		t.Fatal("65,536 bytes open")
	}
}

func TestGCMOfOtherLengthsIsTheStandardLibrarys(t *testing.T) {
	for _, n := range []int{1, 8, 16, 60} {
		ours, err := cipher.NewGCMWithNonceSize(block(t), n)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := cipher.NewGCMWithNonceSize(plain(t), n)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours.Seal(nil, pattern(n), pattern(100), nil), theirs.Seal(nil, pattern(n), pattern(100), nil)) {
			t.Fatal(n)
		}
	}
}

func TestWithRoomNothingIsAllocated(t *testing.T) {
	b := block(t)
	gcm, err := cipher.NewGCM(b)
	if err != nil {
		t.Fatal(err)
	}
	nonce, aad, data := pattern(12), pattern(20), pattern(1024)
	sealed := gcm.Seal(nil, nonce, data, aad)
	room := make([]byte, 0, 2000)
	cbc, cbcBack, ctr, ecb := NewCBCEncrypter(b, pattern(16)), NewCBCDecrypter(b, pattern(16)), NewCTR(b, pattern(16)), NewECBEncrypter(b)
	for name, call := range map[string]func(){
		"Seal": func() { gcm.Seal(room, nonce, data, aad) },
		"Open": func() {
			if _, err := gcm.Open(room, nonce, sealed, aad); err != nil {
				t.Error(err)
			}
		},
		"a block":      func() { b.Encrypt(data, data) },
		"CBC encrypts": func() { cbc.CryptBlocks(data, data) },
		"CBC decrypts": func() { cbcBack.CryptBlocks(data, data) },
		"ECB encrypts": func() { ecb.CryptBlocks(data, data) },
		"CTR":          func() { ctr.XORKeyStream(data[:1000], data[:1000]) },
	} {
		if n := testing.AllocsPerRun(20, call); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func TestOneBlockForManyGoroutines(t *testing.T) {
	b := block(t)
	gcm, err := cipher.NewGCM(b)
	if err != nil {
		t.Fatal(err)
	}
	want := gcm.Seal(nil, pattern(12), pattern(100), nil)
	wantBlock := make([]byte, 16)
	b.Encrypt(wantBlock, example)
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			for range 20 {
				got := make([]byte, 16)
				b.Encrypt(got, example)
				if !bytes.Equal(got, wantBlock) || !bytes.Equal(gcm.Seal(nil, pattern(12), pattern(100), nil), want) {
					t.Error("another result")
				}
				NewCBCEncrypter(b, got).CryptBlocks(got, got)
			}
		})
	}
	group.Wait()
}

func TestBatchesOfCBC(t *testing.T) {
	var ivs, messages, want [][]byte
	for i := range 40 {
		iv, message := pattern(16), pattern(16*(i%7))
		iv[0] = byte(i)
		out := make([]byte, len(message))
		NewCBCEncrypter(block(t), iv).CryptBlocks(out, message)
		ivs, messages, want = append(ivs, iv), append(messages, message), append(want, out)
	}
	if err := EncryptCBCBatch(block(t), ivs, messages); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !bytes.Equal(messages[i], want[i]) {
			t.Fatal(i)
		}
	}
	if err := EncryptCBCBatch(block(t), nil, nil); err != nil {
		t.Fatal(err)
	}
	for code, call := range map[string]func() error{
		"invalid_argument": func() error { return EncryptCBCBatch(block(t), ivs, messages[1:]) },
		"wrong_length":     func() error { return EncryptCBCBatch(block(t), [][]byte{{1}}, messages[1:2]) },
		"partial_block":    func() error { return EncryptCBCBatch(block(t), ivs[:2], [][]byte{messages[1], pattern(17)}) },
	} {
		before := bytes.Clone(messages[1])
		if err := call(); !errors.Is(err, fault.New(code, "")) || !bytes.Equal(messages[1], before) {
			t.Fatal(code, err)
		}
	}
}

func TestXTS(t *testing.T) {
	for _, isIEEE := range []bool{false, true} {
		x, err := NewXTS(pattern(32), isIEEE)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{16, 17, 31, 32, 512, 513} {
			out := make([]byte, n+1)
			if err := x.Encrypt(out, pattern(n), pattern(16)); err != nil || out[n] != 0 {
				t.Fatal(n, err)
			}
			if err := x.Decrypt(out, out[:n], pattern(16)); err != nil || !bytes.Equal(out[:n], pattern(n)) {
				t.Fatal(n, err)
			}
		}
		if x.Encrypt(make([]byte, 15), make([]byte, 16), pattern(16)) == nil || x.Encrypt(make([]byte, 15), make([]byte, 15), pattern(16)) == nil {
			t.Fatal("it takes a short unit, or a short output")
		}
		if x.Encrypt(make([]byte, 16), make([]byte, 16), pattern(15)) == nil {
			t.Fatal("it takes a tweak of 15 bytes")
		}
	}
	if _, err := NewXTS(pattern(16), false); err == nil {
		t.Fatal("a key of 16 bytes")
	}
}

// A test that fails when a new Go's crypto/cipher no longer asks a block for its modes: then users call ours by name.
func TestCryptoCipherTakesOurModes(t *testing.T) {
	b := block(t)
	gcm, err := cipher.NewGCM(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := gcm.(*aead.Key); !ok {
		t.Errorf("cipher.NewGCM makes a %T", gcm)
	}
	for name, mode := range map[string]any{
		"*sm4.cbcEncrypter": cipher.NewCBCEncrypter(b, example),
		"*sm4.cbcDecrypter": cipher.NewCBCDecrypter(b, example),
		"*sm4.ctr":          cipher.NewCTR(b, example),
	} {
		if fmt.Sprintf("%T", mode) != name {
			t.Errorf("crypto/cipher makes a %T in place of %s", mode, name)
		}
	}
}
