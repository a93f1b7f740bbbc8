//go:build cgo

package sm2

import (
	"bytes"
	"crypto"
	"crypto/elliptic"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	sealstone "sealstone.example/go"
	"sealstone.example/go/sm3"
)

var (
	_ crypto.Signer    = (*PrivateKey)(nil)
	_ crypto.Decrypter = (*PrivateKey)(nil)
)

func generate(t *testing.T) *PrivateKey {
	t.Helper()
	key, err := GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestThePrivateKeyDoesNotPrint(t *testing.T) {
	key := generate(t)
	secrets := []string{key.D.String(), key.D.Text(16), strings.ToUpper(key.D.Text(16)), key.D.Text(8)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%o", "%p", "%T"} {
		for _, value := range []any{key, *key, []*PrivateKey{key}, []PrivateKey{*key}, struct{ K *PrivateKey }{key}, struct{ K PrivateKey }{*key}} {
			text := fmt.Sprintf(verb, value)
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Fatalf("%s of %T prints the key", verb, value)
				}
			}
		}
	}
	if fmt.Sprint(key) != "sm2.PrivateKey(..)" || fmt.Sprintf("%#v", key) != "sm2.PrivateKey(..)" {
		t.Fatal(fmt.Sprint(key))
	}
}

func TestTheCurve(t *testing.T) {
	key, params := generate(t), P256Sm2().Params()
	if !P256Sm2().IsOnCurve(params.Gx, params.Gy) || !key.IsOnCurve(key.X, key.Y) || key.Curve != P256Sm2() {
		t.Fatal("the base point is not on the curve")
	}
	// By native code, and by crypto/elliptic, which tells that a is p - 3.
	x, y := P256Sm2().ScalarBaseMult(key.D.Bytes())
	x2, y2 := params.ScalarBaseMult(key.D.Bytes())
	if x.Cmp(key.X) != 0 || y.Cmp(key.Y) != 0 || x2.Cmp(x) != 0 || y2.Cmp(y) != 0 {
		t.Fatal("the multiples differ")
	}
	if x, y := P256Sm2().ScalarBaseMult(new(big.Int).Sub(params.N, big.NewInt(1)).Bytes()); x.Cmp(params.Gx) != 0 || new(big.Int).Add(y, params.Gy).Cmp(params.P) != 0 {
		t.Fatal("(n - 1) G is not -G")
	}
	point := elliptic.Marshal(key.Curve, key.X, key.Y)
	if x, y := elliptic.Unmarshal(P256Sm2(), point); x.Cmp(key.X) != 0 || y.Cmp(key.Y) != 0 {
		t.Fatal("Unmarshal")
	}
}

func TestKeysThatAreNoneAreErrors(t *testing.T) {
	good, n := generate(t), P256Sm2().Params().N
	one := big.NewInt(1)
	for _, d := range []*big.Int{nil, new(big.Int), big.NewInt(-1), new(big.Int).Sub(n, one), n, new(big.Int).Lsh(one, 256), new(big.Int).Lsh(one, 300)} {
		key := &PrivateKey{PublicKey: good.PublicKey, D: d}
		if _, err := key.Sign(nil, nil, nil); !errors.Is(err, sealstone.ErrInvalidKey) {
			t.Fatal(d, err)
		}
		if _, err := key.DecryptAsn1(nil); !errors.Is(err, sealstone.ErrInvalidKey) {
			t.Fatal(d, err)
		}
	}
	for _, key := range []*PublicKey{nil, {}, {X: good.X}, {X: good.X, Y: good.X}, {X: big.NewInt(-1), Y: good.Y}, {X: new(big.Int).Lsh(one, 256), Y: good.Y}} {
		if _, err := Encrypt(key, []byte("m"), nil, C1C3C2); !errors.Is(err, sealstone.ErrInvalidKey) {
			t.Fatal(key, err)
		}
		if key.Verify(nil, nil) || Verify(key, nil, one, one) || Sm2Verify(key, nil, nil, one, one) {
			t.Fatal(key, "verifies")
		}
		if _, err := key.Sm3Digest(nil, nil); !errors.Is(err, sealstone.ErrInvalidKey) {
			t.Fatal(key, err)
		}
		if Compress(key) != nil && !(key.X.Cmp(key.Y) == 0) {
			t.Fatal(key, "is compressed")
		}
	}
}

func TestSignatures(t *testing.T) {
	key, message := generate(t), []byte("message")
	for _, uid := range [][]byte{nil, {}, []byte("alice@example.com"), []byte(defaultID)} {
		r, s, err := Sm2Sign(key, message, uid, nil)
		if err != nil || !Sm2Verify(&key.PublicKey, message, uid, r, s) {
			t.Fatal(err)
		}
		isDefault := string(uid) != "alice@example.com"
		if Sm2Verify(&key.PublicKey, message, nil, r, s) != isDefault {
			t.Fatal("the id")
		}
		der, err := SignDigitToSignData(r, s)
		if err != nil || key.PublicKey.Verify(message, der) != isDefault {
			t.Fatal(err)
		}
		r2, s2, err := SignDataToSignDigit(der)
		if err != nil || r2.Cmp(r) != 0 || s2.Cmp(s) != 0 {
			t.Fatal(err)
		}
		if _, _, err := SignDataToSignDigit(append(der, 0)); err == nil || key.PublicKey.Verify(message, append(der, 0)) {
			t.Fatal("a byte behind the signature")
		}
		n := P256Sm2().Params().N
		for _, wrong := range []*big.Int{nil, new(big.Int), big.NewInt(-1), n, new(big.Int).Add(r, n), new(big.Int).Lsh(n, 1), new(big.Int).Add(r, big.NewInt(1))} {
			if Sm2Verify(&key.PublicKey, message, uid, wrong, s) || Sm2Verify(&key.PublicKey, message, uid, r, wrong) || Verify(&key.PublicKey, nil, wrong, s) {
				t.Fatal(wrong)
			}
		}
	}
	if _, _, err := Sm2Sign(key, nil, make([]byte, 8192), nil); !errors.Is(err, sealstone.ErrInvalidUserId) {
		t.Fatal(err)
	}
	if _, err := SignDigitToSignData(nil, nil); err == nil {
		t.Fatal("nil")
	}
	if public, ok := key.Public().(*PublicKey); !ok || public != &key.PublicKey {
		t.Fatal("Public")
	}
}

func TestZA(t *testing.T) {
	key := generate(t)
	za, err := ZA(&key.PublicKey, []byte(defaultID))
	if err != nil {
		t.Fatal(err)
	}
	digest, err := key.Sm3Digest([]byte("message"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := sm3.Sum(append(za, "message"...)); !bytes.Equal(bytes.TrimLeft(want[:], "\x00"), digest) {
		t.Fatal("the digest is not of ZA")
	}
	if _, err := ZA(&key.PublicKey, make([]byte, 8192)); err == nil {
		t.Fatal("an id of 8192 bytes")
	}
}

func TestCiphertexts(t *testing.T) {
	key := generate(t)
	for _, n := range []int{1, 31, 32, 33, 1000} {
		message := bytes.Repeat([]byte{1}, n)
		for _, mode := range []int{C1C3C2, C1C2C3, 7, -1} {
			c, err := Encrypt(&key.PublicKey, message, nil, mode)
			if err != nil || len(c) != 97+n || c[0] != 4 {
				t.Fatal(n, mode, err)
			}
			opened, err := Decrypt(key, c, mode)
			if err != nil || !bytes.Equal(opened, message) {
				t.Fatal(n, mode, err)
			}
			for cut := range 98 {
				if opened, err := Decrypt(key, c[:min(cut, len(c)-1)], mode); err == nil || opened != nil {
					t.Fatal("it opens when cut to", cut)
				}
			}
			if mode == C1C2C3 {
				continue
			}
			if opened, err = key.Decrypt(nil, c, nil); err != nil || !bytes.Equal(opened, message) {
				t.Fatal(err)
			}
			der, err := CipherMarshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if opened, err = key.DecryptAsn1(der); err != nil || !bytes.Equal(opened, message) {
				t.Fatal(err)
			}
			if again, err := CipherUnmarshal(der); err != nil || !bytes.Equal(again, c) {
				t.Fatal(err)
			}
			if _, err := CipherUnmarshal(append(der, 0)); err == nil {
				t.Fatal("a byte behind the ciphertext")
			}
		}
		der, err := key.PublicKey.EncryptAsn1(message, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := CipherUnmarshal(der)
		if err != nil {
			t.Fatal(err)
		}
		if opened, err := Decrypt(key, c, C1C3C2); err != nil || !bytes.Equal(opened, message) {
			t.Fatal(err)
		}
	}
	if _, err := Encrypt(&key.PublicKey, nil, nil, C1C3C2); !errors.Is(err, sealstone.ErrEmptyPlaintext) {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 96} {
		if _, err := CipherMarshal(make([]byte, n)); !errors.Is(err, sealstone.ErrMalformedCiphertext) {
			t.Fatal(n, err)
		}
	}
}

func TestDecompressOfNoPointIsNil(t *testing.T) {
	key := generate(t)
	for _, wrong := range [][]byte{nil, {0}, make([]byte, 32), append([]byte{4}, make([]byte, 32)...), bytes.Repeat([]byte{0xff}, 33), Compress(&key.PublicKey)[1:]} {
		if Decompress(wrong) != nil {
			t.Fatalf("%x", wrong)
		}
	}
	if !bytes.Equal(BytesCombine([]byte("a"), nil, []byte("b")), []byte("ab")) {
		t.Fatal("BytesCombine")
	}
}

func TestBothUsersConfirmAnExchange(t *testing.T) {
	a, b, ofA, ofB := generate(t), generate(t), generate(t), generate(t)
	// An empty id is one, and another than the default.
	for _, id := range [][]byte{nil, {}, []byte("1234567812345678"), []byte("alice")} {
		kA, s1A, s2A, err := KeyExchangeA(16, id, []byte("b"), a, &b.PublicKey, ofA, &ofB.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		kB, s1B, s2B, err := KeyExchangeB(16, id, []byte("b"), b, &a.PublicKey, ofB, &ofA.PublicKey)
		if err != nil || !bytes.Equal(kA, kB) || !bytes.Equal(s1A, s1B) || !bytes.Equal(s2A, s2B) || bytes.Equal(s1A, s2A) {
			t.Fatal(id, err)
		}
	}
	if _, _, _, err := KeyExchangeB(-1, []byte("a"), []byte("b"), a, &b.PublicKey, a, &b.PublicKey); !errors.Is(err, sealstone.ErrWrongLength) {
		t.Fatal(err)
	}
	if _, _, _, err := KeyExchangeB(1, []byte("a"), []byte("b"), a, &PublicKey{}, a, &b.PublicKey); !errors.Is(err, sealstone.ErrInvalidKey) {
		t.Fatal(err)
	}
}
