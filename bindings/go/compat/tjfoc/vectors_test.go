//go:build cgo

// Package tjfoc has the test of the packages below it with the known answers of tjfoc/gmsm 1.4.1 itself.
package tjfoc

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"testing"

	sealstone "sealstone.example/go"
	"sealstone.example/go/compat/tjfoc/sm2"
	"sealstone.example/go/compat/tjfoc/sm4"
	"sealstone.example/go/compat/tjfoc/x509"
)

const vectors = "../../../../vectors/compat/gmsm.json"

type known struct {
	GCM []struct {
		IV, Tag, Ciphertext, SHA256 string
		AAD, Len                    int
	}
	Modes []struct {
		Function, IV, Ciphertext string
		Len                      int
	}
	SM2 []struct {
		D, Public, Compressed, Hex, Signature, C1C3C2, C1C2C3, DER string
		Len                                                        int
		Exchange                                                   struct {
			B, RA, RB, Key, S1, S2 string
			IDA                    string `json:"id_a"`
			IDB                    string `json:"id_b"`
			Len                    int
		}
	}
}

func read(t *testing.T) (k known) {
	t.Helper()
	data, err := os.ReadFile(vectors)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &k); err != nil {
		t.Fatal(err)
	}
	return k
}

// stream is the rule of the file for input.
func stream(label string, length int) []byte {
	var out []byte
	for i := uint32(0); len(out) < length; i++ {
		block := sha256.Sum256(binary.BigEndian.AppendUint32([]byte(label), i))
		out = append(out, block[:]...)
	}
	return out[:length:length]
}

func unhex(t *testing.T, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSm4GCMIsTjfocs(t *testing.T) {
	cases := read(t).GCM
	if len(cases) != 208 {
		t.Fatal(len(cases), "cases")
	}
	key := stream("key", 16)
	for _, c := range cases {
		iv, aad, plaintext, want := unhex(t, c.IV), stream("aad", c.AAD), stream("plaintext", c.Len), unhex(t, c.Tag)
		ciphertext, tag, err := sm4.Sm4GCM(key, iv, plaintext, aad, true)
		if err != nil || !bytes.Equal(tag, want) {
			t.Fatalf("%+v: tag %x, %v", c, tag, err)
		}
		sum := sha256.Sum256(ciphertext)
		if c.SHA256 != "" && c.SHA256 != hex.EncodeToString(sum[:]) || c.SHA256 == "" && c.Ciphertext != hex.EncodeToString(ciphertext) {
			t.Fatalf("%+v: ciphertext", c)
		}
		opened, tag, err := sm4.Sm4GCM(key, iv, ciphertext, aad, false)
		if err != nil || !bytes.Equal(tag, want) || !bytes.Equal(opened, plaintext) {
			t.Fatalf("%+v: decrypted, %v", c, err)
		}
		opened, err = sm4.OpenGCM(key, iv, ciphertext, aad, tag)
		if err != nil || !bytes.Equal(opened, plaintext) {
			t.Fatalf("%+v: opened, %v", c, err)
		}
		tag[c.Len%16] ^= 1
		if opened, err = sm4.OpenGCM(key, iv, ciphertext, aad, tag); !errors.Is(err, sealstone.ErrNotAuthentic) || opened != nil {
			t.Fatalf("%+v: a wrong tag gives %v", c, err)
		}
	}
}

func TestModesAreTjfocs(t *testing.T) {
	cases := read(t).Modes
	if len(cases) != 72 {
		t.Fatal(len(cases), "cases")
	}
	t.Cleanup(func() { sm4.SetIV(make([]byte, 16)) })
	functions := map[string]func(key, in []byte, mode bool) ([]byte, error){
		"Sm4Ecb": sm4.Sm4Ecb, "Sm4Cbc": sm4.Sm4Cbc, "Sm4CFB": sm4.Sm4CFB, "Sm4OFB": sm4.Sm4OFB,
	}
	key, isSet := stream("key", 16), false
	for _, c := range cases {
		iv, plaintext := unhex(t, c.IV), stream("plaintext", c.Len)
		// The first cases are those of the IV that the process begins with.
		if isSet = isSet || !bytes.Equal(iv, make([]byte, 16)); isSet {
			if err := sm4.SetIV(iv); err != nil {
				t.Fatal(err)
			}
			// It was copied.
			iv[0] ^= 1
		}
		out, err := functions[c.Function](key, plaintext, true)
		if err != nil || hex.EncodeToString(out) != c.Ciphertext {
			t.Fatalf("%+v: %x, %v", c, out, err)
		}
		opened, err := functions[c.Function](key, out, false)
		if err != nil || !bytes.Equal(opened, plaintext) {
			t.Fatalf("%+v: %x, %v", c, opened, err)
		}
	}
}

func keyOf(t *testing.T, digits string) *sm2.PrivateKey {
	t.Helper()
	key, err := x509.ReadPrivateKeyFromHex(digits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestSM2IsTjfocs(t *testing.T) {
	cases := read(t).SM2
	if len(cases) != 6 {
		t.Fatal(len(cases), "cases")
	}
	for _, c := range cases {
		key := keyOf(t, c.D)
		if short := keyOf(t, c.Hex); short.D.Cmp(key.D) != 0 || x509.WritePrivateKeyToHex(short) != c.Hex {
			t.Fatal(c.Hex)
		}
		if x509.WritePublicKeyToHex(&key.PublicKey) != c.Public {
			t.Fatal(c.Public)
		}
		compressed := unhex(t, c.Compressed)
		if !bytes.Equal(sm2.Compress(&key.PublicKey), compressed) {
			t.Fatal(c.Compressed)
		}
		for range 2 {
			again := sm2.Decompress(compressed)
			if again == nil || again.X.Cmp(key.X) != 0 || again.Y.Cmp(key.Y) != 0 {
				t.Fatal(c.Compressed)
			}
			compressed[0] |= 2
		}
		message := stream("message", c.Len)
		if !key.Verify(message, unhex(t, c.Signature)) || key.Verify(append(message, 0), unhex(t, c.Signature)) {
			t.Fatal(c.Signature)
		}
		for form, ciphertext := range map[string][]byte{"c1c3c2": unhex(t, c.C1C3C2), "c1c2c3": unhex(t, c.C1C2C3), "der": unhex(t, c.DER)} {
			open := map[string]func([]byte) ([]byte, error){
				"c1c3c2": func(b []byte) ([]byte, error) { return sm2.Decrypt(key, b, sm2.C1C3C2) },
				"c1c2c3": func(b []byte) ([]byte, error) { return sm2.Decrypt(key, b, sm2.C1C2C3) },
				"der":    key.DecryptAsn1,
			}[form]
			opened, err := open(ciphertext)
			if err != nil || !bytes.Equal(opened, message) {
				t.Fatal(form, err)
			}
			ciphertext[len(ciphertext)-1] ^= 1
			if opened, err = open(ciphertext); !errors.Is(err, sealstone.ErrNotAuthentic) || opened != nil {
				t.Fatal(form, "changed:", err)
			}
		}
		e := c.Exchange
		b, ra, rb := keyOf(t, e.B), keyOf(t, e.RA), keyOf(t, e.RB)
		kA, s1A, s2A, err := sm2.KeyExchangeA(e.Len, []byte(e.IDA), []byte(e.IDB), key, &b.PublicKey, ra, &rb.PublicKey)
		if err != nil || hex.EncodeToString(kA) != e.Key {
			t.Fatalf("user A: %x, not %s, %v", kA, e.Key, err)
		}
		kB, s1B, s2B, err := sm2.KeyExchangeB(e.Len, []byte(e.IDA), []byte(e.IDB), b, &key.PublicKey, rb, &ra.PublicKey)
		if err != nil || !bytes.Equal(kA, kB) {
			t.Fatalf("user B: %x, not %s, %v", kB, e.Key, err)
		}
		// The documented difference: both users have the same confirmations, and these are not tjfoc's.
		if !bytes.Equal(s1A, s1B) || !bytes.Equal(s2A, s2B) {
			t.Fatal("two users have other confirmations")
		}
		if hex.EncodeToString(s2A) == e.S2 || hex.EncodeToString(s1A) == e.S1 {
			t.Fatal("a confirmation is tjfoc's: the guide says otherwise")
		}
	}
}

func TestDigestsOfAKeyAreThoseOfTheStandard(t *testing.T) {
	key := keyOf(t, read(t).SM2[0].D)
	r, s, err := sm2.Sm2Sign(key, []byte("m"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 600 {
		message := binary.BigEndian.AppendUint32(nil, uint32(i))
		digest, err := key.Sm3Digest(message, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r, s, err = sm2.Sm2Sign(key, message, nil, nil); err != nil || !sm2.Verify(&key.PublicKey, digest, r, s) {
			t.Fatal(i, err)
		}
		// It is a number: more digits of the same one are the same.
		more := new(big.Int).Add(new(big.Int).SetBytes(digest), new(big.Int).Lsh(sm2.P256Sm2().Params().N, 8))
		if !sm2.Verify(&key.PublicKey, more.Bytes(), r, s) {
			t.Fatal(i, "as a longer number")
		}
		if len(digest) < 32 && i > 1 {
			return
		}
	}
	t.Fatal("no digest began with a zero byte")
}
