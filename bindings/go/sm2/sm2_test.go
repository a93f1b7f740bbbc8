//go:build cgo

package sm2

import (
	"bytes"
	"crypto"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"

	"sealstone.example/go/internal/fault"
)

var (
	_ crypto.Signer    = (*PrivateKey)(nil)
	_ crypto.Decrypter = (*PrivateKey)(nil)
)

func unhex(digits string) []byte {
	b, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return b
}

func isCode(err error, code string) bool { return errors.Is(err, fault.New(code, "")) }

func number(t *testing.T, digits string) *PrivateKey {
	t.Helper()
	key, err := NewPrivateKey(unhex(digits))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func generate(t *testing.T) *PrivateKey {
	t.Helper()
	key, err := GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

const (
	exampleKey    = "3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8"
	examplePublic = "0409f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13"
)

// GB/T 32918.5-2017, appendix A.2.
func TestTheStandardsSignature(t *testing.T) {
	key, message := number(t, exampleKey), []byte("message digest")
	if hex.EncodeToString(key.PublicKey().Bytes()) != examplePublic {
		t.Fatalf("%x", key.PublicKey().Bytes())
	}
	digest, err := Digest(key.PublicKey(), message, nil)
	if err != nil || hex.EncodeToString(digest) != "f0b43e94ba45accaace692ed534382eb17e6ab5a19ce7b31f4486fdfc0d28640" {
		t.Fatalf("%x, %v", digest, err)
	}
	r, _ := new(big.Int).SetString("f5a03b0648d2c4630eeac513e1bb81a15944da3827d5b74143ac7eaceee720b3", 16)
	s, _ := new(big.Int).SetString("b1b6aa29df212fd8763182bc0d421ca1bb9038fd1f7f42d4840b69c485bbc1aa", 16)
	signature, err := asn1.Marshal(struct{ R, S *big.Int }{r, s})
	if err != nil {
		t.Fatal(err)
	}
	if err := VerifyMessage(key.PublicKey(), message, nil, signature); err != nil {
		t.Fatal(err)
	}
	if err := Verify(key.PublicKey(), digest, signature); err != nil {
		t.Fatal(err)
	}
}

// GB/T 32918.5-2017, appendix C.2.
func TestTheStandardsCiphertext(t *testing.T) {
	key := number(t, exampleKey)
	c1 := "04ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73e858f9d81e5430a57b36daab8f950a3c64e6ee6a63094d99283aff767e124df0"
	c3, c2 := "59983c18f809e262923c53aec295d30383b54e39d609d160afcb1908d0bd8766", "21886ca989ca9c7d58087307ca93092d651efa"
	for form, ciphertext := range map[Form]string{C1C3C2: c1 + c3 + c2, C1C2C3: c1 + c2 + c3} {
		plaintext, err := key.Decrypt(nil, unhex(ciphertext), form)
		if err != nil || string(plaintext) != "encryption standard" {
			t.Fatal(form, err)
		}
	}
}

// GM/T 0003.5-2012, appendix B, whose users both have the default id.
func TestTheStandardsExchange(t *testing.T) {
	a, b := number(t, "81eb26e941bb5af16df116495f90695272ae2cd63d6c4ae1678418be48230029"), number(t, "785129917d45a9ea5437a59356b82338eaadda6ceb199088f14ae10defa229b5")
	ofA, ofB := number(t, "d4de15474db74d06491c440d305e012400990f3e390c7e87153c12db2ea60bb3"), number(t, "7e07124814b309489125eaed101113164ebf0f3458c5bd88335c1f9d596243d6")
	for _, id := range [][]byte{nil, []byte(DefaultID)} {
		atA, err := a.Exchange(true, id, ofA, Peer{id, b.PublicKey(), ofB.PublicKey()}, 16)
		if err != nil {
			t.Fatal(err)
		}
		atB, err := b.Exchange(false, id, ofB, Peer{id, a.PublicKey(), ofA.PublicKey()}, 16)
		if err != nil {
			t.Fatal(err)
		}
		if hex.EncodeToString(atA.Key) != "6c89347354de2484c60b4ab1fde4c6e5" || !bytes.Equal(atA.Key, atB.Key) {
			t.Fatalf("%x %x", atA.Key, atB.Key)
		}
		if hex.EncodeToString(atA.Confirmation) != "18c7894b3816df16cf07b05c5ec0bef5d655d58f779cc1b400a4f3884644db88" ||
			hex.EncodeToString(atB.Confirmation) != "d3a0fe15dee185ceae907a6b595cc32a266ed7b3367e9983a896dc32fa20f8eb" {
			t.Fatalf("%x %x", atA.Confirmation, atB.Confirmation)
		}
		if err := errors.Join(atA.Verify(atB.Confirmation), atB.Verify(atA.Confirmation)); err != nil {
			t.Fatal(err)
		}
		for _, wrong := range [][]byte{nil, {}, atA.Confirmation, atB.Confirmation[1:]} {
			if !isCode(atA.Verify(wrong), "not_authentic") {
				t.Fatalf("%x", wrong)
			}
		}
	}
	for _, length := range []int{0, 1, 31, 32, 33, 1000} {
		if e, err := a.Exchange(true, nil, ofA, Peer{nil, b.PublicKey(), ofB.PublicKey()}, length); err != nil || len(e.Key) != length {
			t.Fatal(length, err)
		}
	}
	if _, err := a.Exchange(true, nil, ofA, Peer{nil, b.PublicKey(), nil}, 16); !isCode(err, "invalid_argument") {
		t.Fatal(err)
	}
	if _, err := a.Exchange(true, nil, ofA, Peer{nil, b.PublicKey(), ofB.PublicKey()}, -1); !isCode(err, "wrong_length") {
		t.Fatal(err)
	}
}

func TestSignatures(t *testing.T) {
	key, other, message := generate(t), generate(t), []byte("message")
	for _, id := range [][]byte{nil, []byte("alice@example.com"), {}} {
		signature, err := key.SignMessage(message, id)
		if err != nil {
			t.Fatal(err)
		}
		if err := VerifyMessage(key.PublicKey(), message, id, signature); err != nil {
			t.Fatal(err)
		}
		digest, err := Digest(key.PublicKey(), message, id)
		if err != nil || Verify(key.PublicKey(), digest, signature) != nil {
			t.Fatal(err)
		}
		// As crypto.Signer has it.
		ofDigest, err := crypto.Signer(key).Sign(nil, digest, crypto.Hash(0))
		if err != nil || VerifyMessage(key.PublicKey(), message, id, ofDigest) != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"key":       VerifyMessage(other.PublicKey(), message, id, signature),
			"message":   VerifyMessage(key.PublicKey(), message[1:], id, signature),
			"id":        VerifyMessage(key.PublicKey(), message, []byte("bob"), signature),
			"signature": VerifyMessage(key.PublicKey(), message, id, signature[1:]),
			"nothing":   VerifyMessage(key.PublicKey(), message, id, nil),
			"trailing":  VerifyMessage(key.PublicKey(), message, id, append(bytes.Clone(signature), 0)),
		} {
			if !isCode(err, "invalid_signature") {
				t.Fatal(name, err)
			}
		}
	}
	for _, n := range []int{0, 31, 33} {
		if _, err := key.Sign(nil, make([]byte, n), nil); !isCode(err, "wrong_length") {
			t.Fatal(n, err)
		}
	}
	if _, err := key.SignMessage(message, make([]byte, 8192)); !isCode(err, "invalid_user_id") {
		t.Fatal(err)
	}
}

func TestCiphertextsInEachForm(t *testing.T) {
	key, other := generate(t), generate(t)
	for _, form := range []Form{C1C3C2, C1C2C3, ASN1} {
		for _, n := range []int{1, 31, 32, 33, 5000} {
			plaintext := bytes.Repeat([]byte{9}, n)
			ciphertext, err := Encrypt(key.PublicKey(), plaintext, form)
			if err != nil {
				t.Fatal(form, n, err)
			}
			for _, opts := range []crypto.DecrypterOpts{form, &DecrypterOpts{form}} {
				if opened, err := crypto.Decrypter(key).Decrypt(nil, ciphertext, opts); err != nil || !bytes.Equal(opened, plaintext) {
					t.Fatal(form, n, err)
				}
			}
			if form == C1C3C2 {
				if opened, err := key.Decrypt(nil, ciphertext, nil); err != nil || !bytes.Equal(opened, plaintext) {
					t.Fatal(n, err)
				}
			}
			if _, err := other.Decrypt(nil, ciphertext, form); !isCode(err, "not_authentic") {
				t.Fatal(form, n, err)
			}
			ciphertext[len(ciphertext)-1] ^= 1
			if _, err := key.Decrypt(nil, ciphertext, form); !isCode(err, "not_authentic") {
				t.Fatal(form, n, err)
			}
			if _, err := key.Decrypt(nil, ciphertext[:20], form); !isCode(err, "malformed_ciphertext") {
				t.Fatal(form, n, err)
			}
		}
	}
	if _, err := Encrypt(key.PublicKey(), nil, C1C3C2); !isCode(err, "empty_plaintext") {
		t.Fatal(err)
	}
	if _, err := Encrypt(key.PublicKey(), []byte("m"), "another"); !isCode(err, "unknown_algorithm") {
		t.Fatal(err)
	}
	if _, err := key.Decrypt(nil, nil, 7); !isCode(err, "invalid_option") {
		t.Fatal(err)
	}
}

func TestKeysInEachForm(t *testing.T) {
	key := generate(t)
	for _, form := range []string{"pem", "der"} {
		for _, passphrase := range [][]byte{nil, []byte("correct horse")} {
			file, err := key.Export(form, passphrase)
			if err != nil {
				t.Fatal(form, err)
			}
			read, err := ParsePrivateKey(file, passphrase)
			if err != nil || !read.Equal(key) {
				t.Fatal(form, err)
			}
			if passphrase == nil || form == "der" {
				continue
			}
			if _, err := ParsePrivateKey(file, nil); !isCode(err, "passphrase_required") {
				t.Fatal(err)
			}
			if _, err := ParsePrivateKey(file, []byte("another")); err == nil {
				t.Fatal("it opens with another passphrase")
			}
		}
		file, err := key.PublicKey().Export(form)
		if err != nil {
			t.Fatal(form, err)
		}
		if read, err := ParsePublicKey(file); err != nil || !read.Equal(key.PublicKey()) {
			t.Fatal(form, err)
		}
	}
	for _, point := range [][]byte{key.PublicKey().Bytes(), key.PublicKey().Bytes()[1:], key.PublicKey().Compressed()} {
		if read, err := NewPublicKey(point); err != nil || !read.Equal(key.PublicKey()) {
			t.Fatal(len(point), err)
		}
	}
	if read, err := NewPrivateKey(key.Bytes()); err != nil || !read.Equal(key) || !read.Public().(*PublicKey).Equal(key.Public()) {
		t.Fatal(err)
	}
	for _, n := range []int{0, 31, 33} {
		if _, err := NewPrivateKey(make([]byte, n)); !isCode(err, "wrong_length") {
			t.Fatal(n, err)
		}
	}
	for _, wrong := range []string{strings.Repeat("00", 32), strings.Repeat("ff", 32)} {
		if _, err := NewPrivateKey(unhex(wrong)); !isCode(err, "invalid_key") {
			t.Fatal(wrong, err)
		}
	}
	if _, err := NewPublicKey(bytes.Repeat([]byte{4}, 65)); !isCode(err, "invalid_key") {
		t.Fatal(err)
	}
	if _, err := ParsePublicKey([]byte("key")); err == nil {
		t.Fatal("a text that is no key")
	}
}

func TestEqual(t *testing.T) {
	key, other := generate(t), generate(t)
	if !key.Equal(key) || key.Equal(other) || key.Equal(nil) || key.Equal("key") || key.Equal(*key.PublicKey()) {
		t.Fatal("private keys")
	}
	public := key.PublicKey()
	if !public.Equal(public) || public.Equal(other.PublicKey()) || public.Equal(nil) || public.Equal(key) {
		t.Fatal("public keys")
	}
}

func TestAPrivateKeyPrintsNothing(t *testing.T) {
	key := number(t, exampleKey)
	secrets := []string{exampleKey, strings.ToUpper(exampleKey), "57 69 32 143", "0x39, 0x45", "71 105 40 217"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X"} {
		for _, value := range []any{key, *key, []*PrivateKey{key}, struct{ K *PrivateKey }{key}} {
			for _, secret := range secrets {
				if text := fmt.Sprintf(verb, value); strings.Contains(text, secret) {
					t.Fatalf("%s of %T: %s", verb, value, text)
				}
			}
		}
	}
	if fmt.Sprint(key) != "sm2.PrivateKey(..)" || fmt.Sprintf("%#v", key) != "sm2.PrivateKey(..)" {
		t.Fatal(fmt.Sprint(key))
	}
}

func TestOneKeyForManyGoroutines(t *testing.T) {
	key := generate(t)
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			signature, err := key.SignMessage([]byte("m"), nil)
			if err != nil || VerifyMessage(key.PublicKey(), []byte("m"), nil, signature) != nil {
				t.Error(err)
			}
			ciphertext, err := Encrypt(key.PublicKey(), []byte("m"), ASN1)
			if err != nil {
				t.Error(err)
			}
			if _, err := key.Decrypt(nil, ciphertext, ASN1); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
