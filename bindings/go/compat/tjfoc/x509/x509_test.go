//go:build cgo

package x509

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"

	sealstone "sealstone.example/go"
	"sealstone.example/go/compat/tjfoc/sm2"
	ours "sealstone.example/go/sm2"
)

// keys are private keys with 0 to 4 leading zeros, in digits.
func keys(t *testing.T) (keys []*sm2.PrivateKey) {
	t.Helper()
	for zeros := range 5 {
		key, err := ReadPrivateKeyFromHex(strings.Repeat("9", 64-zeros))
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	return keys
}

func TestKeysInEachForm(t *testing.T) {
	for i, key := range keys(t) {
		digits := WritePrivateKeyToHex(key)
		if len(digits) != 64-i {
			t.Fatal(digits)
		}
		for _, digits := range []string{digits, "0" + digits, "0000" + digits, strings.ToUpper(digits)} {
			read, err := ReadPrivateKeyFromHex(digits)
			if err != nil || read.D.Cmp(key.D) != 0 || read.X.Cmp(key.X) != 0 || read.Y.Cmp(key.Y) != 0 {
				t.Fatal(digits, err)
			}
		}
		for _, password := range [][]byte{nil, {}, []byte("correct horse")} {
			text, err := WritePrivateKeyToPem(key, password)
			if err != nil {
				t.Fatal(err)
			}
			read, err := ReadPrivateKeyFromPem(text, password)
			if err != nil || read.D.Cmp(key.D) != 0 || read.X.Cmp(key.X) != 0 || read.Curve != sm2.P256Sm2() {
				t.Fatal(err)
			}
			if password != nil {
				if _, err := ReadPrivateKeyFromPem(text, []byte("another one")); err == nil {
					t.Fatal("it opens with another password")
				}
				if _, err := ReadPrivateKeyFromPem(text, nil); err == nil {
					t.Fatal("it opens without a password")
				}
			} else if _, err := ReadPrivateKeyFromPem(text, []byte{}); err == nil {
				t.Fatal("a plain key opens with a password")
			}
			if len(password) == 0 && password != nil {
				continue
			}
			// So does the package without old names.
			other, err := ours.ParsePrivateKey(text, password)
			if err != nil || !bytes.Equal(other.Bytes(), key.D.FillBytes(make([]byte, 32))) {
				t.Fatal(err)
			}
		}
		text, err := WritePublicKeyToPem(&key.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		public, err := ReadPublicKeyFromPem(text)
		if err != nil || public.X.Cmp(key.X) != 0 || public.Y.Cmp(key.Y) != 0 {
			t.Fatal(err)
		}
		if _, err := ours.ParsePublicKey(text); err != nil {
			t.Fatal(err)
		}
		point := WritePublicKeyToHex(public)
		for _, digits := range []string{point, point[2:]} {
			if public, err = ReadPublicKeyFromHex(digits); err != nil || public.X.Cmp(key.X) != 0 {
				t.Fatal(digits, err)
			}
		}
	}
}

func TestWhatIsNoKeyIsAnError(t *testing.T) {
	n := sm2.P256Sm2().Params().N
	for _, digits := range []string{"", "0", "zz", strings.Repeat("0", 64), strings.Repeat("f", 64), strings.Repeat("1", 66), n.Text(16), new(big.Int).Sub(n, big.NewInt(1)).Text(16)} {
		if key, err := ReadPrivateKeyFromHex(digits); err == nil || key != nil {
			t.Fatal(digits)
		}
	}
	for _, digits := range []string{"", "04", strings.Repeat("1", 128), strings.Repeat("1", 130), strings.Repeat("1", 66), "z"} {
		if key, err := ReadPublicKeyFromHex(digits); err == nil || key != nil {
			t.Fatal(digits)
		}
	}
	if _, err := MarshalSm2PrivateKey(&sm2.PrivateKey{}, nil); !errors.Is(err, sealstone.ErrInvalidKey) {
		t.Fatal(err)
	}
	if _, err := MarshalSm2PublicKey(&sm2.PublicKey{}); err == nil {
		t.Fatal("a public key without a point")
	}
	key := keys(t)[0]
	plain, err := MarshalSm2PrivateKey(key, nil)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := MarshalSm2PrivateKey(key, []byte("pw"))
	if err != nil {
		t.Fatal(err)
	}
	public, err := MarshalSm2PublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	// Cut or changed at each place, nothing panics.
	for name, der := range map[string][]byte{"plain": plain, "sealed": sealed, "public": public} {
		parse := func(der []byte) (*sm2.PublicKey, *big.Int, error) {
			if name == "public" {
				key, err := ParseSm2PublicKey(der)
				return key, nil, err
			}
			var pwd []byte
			if name == "sealed" {
				pwd = []byte("pw")
			}
			key, err := ParsePKCS8PrivateKey(der, pwd)
			if err != nil {
				return nil, nil, err
			}
			return &key.PublicKey, key.D, nil
		}
		for i := range der {
			if _, _, err := parse(der[:i]); err == nil {
				t.Fatal(name, "cut to", i)
			}
			changed := bytes.Clone(der)
			changed[i] ^= 0x10
			if public, _, err := parse(changed); err == nil && name == "public" && public.X.Cmp(key.X) == 0 && public.Y.Cmp(key.Y) != 0 {
				t.Fatal(name, "changed at", i)
			}
		}
		if _, _, err := parse(append(bytes.Clone(der), 0)); err == nil {
			t.Fatal(name, "with a byte behind it")
		}
		if _, _, err := parse(der); err != nil {
			t.Fatal(name, err)
		}
	}
	for _, text := range []string{"", "key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: public}))} {
		if _, err := ReadPublicKeyFromPem([]byte(text)); err == nil {
			t.Fatal(text)
		}
		if _, err := ReadPrivateKeyFromPem([]byte(text), nil); err == nil {
			t.Fatal(text)
		}
	}
}

func TestAFileDoesNotChooseTheTime(t *testing.T) {
	der, err := MarshalSm2PrivateKey(keys(t)[0], []byte("pw"))
	if err != nil {
		t.Fatal(err)
	}
	var parts encrypted
	if err := unmarshal(der, &parts); err != nil {
		t.Fatal(err)
	}
	for iterations, want := range map[int]error{1 << 30: sealstone.ErrCostTooHigh, 0: sealstone.ErrCostTooHigh, -1: sealstone.ErrCostTooHigh} {
		parts.Algorithm.Parameters.Derivation.Parameters.Iterations = iterations
		der, err := asn1.Marshal(parts)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParsePKCS8PrivateKey(der, []byte("pw")); !errors.Is(err, want) {
			t.Fatal(iterations, err)
		}
	}
}

func TestPKIXHasOtherKeysToo(t *testing.T) {
	key := keys(t)[0]
	der, err := MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParsePKIXPublicKey(der)
	public, ok := read.(*ecdsa.PublicKey)
	if err != nil || !ok || public.X.Cmp(key.X) != 0 || public.Curve != sm2.P256Sm2() {
		t.Fatal(read, err)
	}
	if again, err := MarshalPKIXPublicKey(public); err != nil || !bytes.Equal(again, der) {
		t.Fatal(err)
	}
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if der, err = MarshalPKIXPublicKey(&p256.PublicKey); err != nil {
		t.Fatal(err)
	}
	if read, err = ParsePKIXPublicKey(der); err != nil || !p256.PublicKey.Equal(read.(*ecdsa.PublicKey)) {
		t.Fatal(err)
	}
	if _, err := ParseSm2PublicKey(der); err == nil {
		t.Fatal("a key of P-256 is one of SM2")
	}
}
