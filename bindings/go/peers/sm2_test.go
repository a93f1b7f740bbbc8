package peers

import (
	"bytes"
	"crypto/rand"
	"encoding/asn1"
	"math/big"
	"strings"
	"testing"

	emmansun "github.com/emmansun/gmsm/sm2"
	tjfoc "github.com/tjfoc/gmsm/sm2"
	tjfocx509 "github.com/tjfoc/gmsm/x509"

	compat "sealstone.example/go/compat/tjfoc/sm2"
	"sealstone.example/go/compat/tjfoc/x509"
	"sealstone.example/go/sm2"
)

// user is one private key in all four packages.
type user struct {
	compat   *compat.PrivateKey
	ours     *sm2.PrivateKey
	tjfoc    *tjfoc.PrivateKey
	emmansun *emmansun.PrivateKey
}

func userOf(number []byte) (u user) {
	u.compat = must(x509.ReadPrivateKeyFromHex(new(big.Int).SetBytes(number).Text(16)))
	u.ours = must(sm2.NewPrivateKey(number))
	u.emmansun = must(emmansun.NewPrivateKey(number))
	u.tjfoc = &tjfoc.PrivateKey{D: new(big.Int).SetBytes(number)}
	u.tjfoc.Curve = tjfoc.P256Sm2()
	u.tjfoc.X, u.tjfoc.Y = u.tjfoc.Curve.ScalarBaseMult(number)
	return u
}

// users have numbers with 0 to 3 leading zeros, in half bytes too.
func users(d draws, count int) (users []user) {
	for i := range count {
		number := d.bytes(32)
		number[0] &= 0x7f
		switch i % 4 {
		case 1:
			number[0] &= 0x0f
		case 2:
			number[0] = 0
		case 3:
			number[0], number[1] = 0, 0
		}
		users = append(users, userOf(number))
	}
	return users
}

func TestTheCurve(t *testing.T) {
	ours, theirs := compat.P256Sm2().Params(), tjfoc.P256Sm2().Params()
	for i, pair := range [][2]*big.Int{{ours.P, theirs.P}, {ours.N, theirs.N}, {ours.B, theirs.B}, {ours.Gx, theirs.Gx}, {ours.Gy, theirs.Gy}} {
		if pair[0].Cmp(pair[1]) != 0 {
			t.Fatal(i)
		}
	}
	if ours.BitSize != theirs.BitSize || ours.Name != theirs.Name {
		t.Fatal(ours.Name, theirs.Name)
	}
	d := seeded(t)
	for range 5 {
		k, q := d.bytes(32), userOf(append([]byte{1}, d.bytes(31)...)).compat
		x, y := compat.P256Sm2().ScalarMult(q.X, q.Y, k)
		x2, y2 := tjfoc.P256Sm2().ScalarMult(q.X, q.Y, k)
		if x.Cmp(x2) != 0 || y.Cmp(y2) != 0 {
			t.Fatal("ScalarMult")
		}
	}
}

func TestKeys(t *testing.T) {
	for i, u := range users(seeded(t), 24) {
		if u.compat.D.Cmp(u.tjfoc.D) != 0 || u.compat.X.Cmp(u.tjfoc.X) != 0 || u.compat.Y.Cmp(u.tjfoc.Y) != 0 {
			t.Fatal(i)
		}
		digits := tjfocx509.WritePrivateKeyToHex(u.tjfoc)
		if x509.WritePrivateKeyToHex(u.compat) != digits || must(x509.ReadPrivateKeyFromHex(digits)).D.Cmp(u.tjfoc.D) != 0 {
			t.Fatal(digits)
		}
		if read, err := tjfocx509.ReadPrivateKeyFromHex(digits); (err == nil) != (len(digits)%2 == 0) || err == nil && read.D.Cmp(u.compat.D) != 0 {
			t.Fatal(digits, err)
		}
		point := tjfocx509.WritePublicKeyToHex(&u.tjfoc.PublicKey)
		if x509.WritePublicKeyToHex(&u.compat.PublicKey) != point || must(x509.ReadPublicKeyFromHex(point)).X.Cmp(u.tjfoc.X) != 0 {
			t.Fatal(point)
		}
		compressed := tjfoc.Compress(&u.tjfoc.PublicKey)
		if !bytes.Equal(compat.Compress(&u.compat.PublicKey), compressed) || compat.Decompress(compressed).Y.Cmp(u.tjfoc.Y) != 0 {
			t.Fatalf("%x", compressed)
		}
		for _, password := range [][]byte{nil, {}, []byte("correct horse")} {
			ours, theirs := must(x509.WritePrivateKeyToPem(u.compat, password)), must(tjfocx509.WritePrivateKeyToPem(u.tjfoc, password))
			// tjfoc's leaves out the zero bytes of a number, and RFC 5915 does not let it.
			if password == nil && bytes.Equal(ours, theirs) != (i%4 < 2) {
				t.Fatalf("%s %s", ours, theirs)
			}
			if must(x509.ReadPrivateKeyFromPem(theirs, password)).D.Cmp(u.tjfoc.D) != 0 || must(tjfocx509.ReadPrivateKeyFromPem(ours, password)).D.Cmp(u.tjfoc.D) != 0 {
				t.Fatal(i)
			}
		}
		ours, theirs := must(x509.WritePublicKeyToPem(&u.compat.PublicKey)), must(tjfocx509.WritePublicKeyToPem(&u.tjfoc.PublicKey))
		if !bytes.Equal(ours, theirs) || must(x509.ReadPublicKeyFromPem(theirs)).Y.Cmp(u.tjfoc.Y) != 0 {
			t.Fatalf("%s %s", ours, theirs)
		}
		if pkix := must(tjfocx509.MarshalPKIXPublicKey(&u.tjfoc.PublicKey)); !bytes.Equal(must(x509.MarshalPKIXPublicKey(&u.compat.PublicKey)), pkix) {
			t.Fatalf("%x", pkix)
		}
	}
	// Their generated keys, ours.
	key := must(tjfoc.GenerateKey(nil))
	if must(x509.ReadPrivateKeyFromPem(must(tjfocx509.WritePrivateKeyToPem(key, nil)), nil)).X.Cmp(key.X) != 0 {
		t.Fatal("a key of theirs")
	}
	if must(tjfocx509.ReadPrivateKeyFromPem(must(x509.WritePrivateKeyToPem(must(compat.GenerateKey(nil)), nil)), nil)).D.Sign() <= 0 {
		t.Fatal("a key of ours")
	}
	for _, wrong := range []string{"z", "zz", strings.Repeat("f", 64)} {
		_, err := x509.ReadPrivateKeyFromHex(wrong)
		_, theirErr := tjfocx509.ReadPrivateKeyFromHex(wrong)
		if err == nil || theirErr == nil {
			t.Fatal(wrong, err, theirErr)
		}
	}
}

func TestSignatures(t *testing.T) {
	d := seeded(t)
	for i, u := range users(d, 24) {
		message := d.bytes(d.IntN(200))
		signatures := [][]byte{
			must(u.compat.Sign(nil, message, nil)),
			must(u.tjfoc.Sign(nil, message, nil)),
			must(u.emmansun.Sign(nil, message, emmansun.DefaultSM2SignerOpts)),
			must(u.ours.SignMessage(message, nil)),
		}
		for j, signature := range signatures {
			if !u.compat.Verify(message, signature) || !u.tjfoc.Verify(message, signature) || sm2.VerifyMessage(u.ours.PublicKey(), message, nil, signature) != nil ||
				!emmansun.VerifyASN1WithSM2(&u.emmansun.PublicKey, nil, message, signature) {
				t.Fatal(i, j)
			}
			if other := append(message, 1); u.compat.Verify(other, signature) || u.tjfoc.Verify(other, signature) {
				t.Fatal(i, j, "of another message")
			}
			r, s, err := compat.SignDataToSignDigit(signature)
			if err != nil || !bytes.Equal(must(tjfoc.SignDigitToSignData(r, s)), signature) || !bytes.Equal(must(compat.SignDigitToSignData(r, s)), signature) {
				t.Fatal(i, j, err)
			}
		}
		for _, uid := range [][]byte{nil, {}, d.bytes(1 + d.IntN(50))} {
			r, s, err := compat.Sm2Sign(u.compat, message, uid, nil)
			if err != nil || !tjfoc.Sm2Verify(&u.tjfoc.PublicKey, message, uid, r, s) {
				t.Fatal(i, err)
			}
			if r, s, err = tjfoc.Sm2Sign(u.tjfoc, message, uid, nil); err != nil || !compat.Sm2Verify(&u.compat.PublicKey, message, uid, r, s) {
				t.Fatal(i, err)
			}
			digest := must(tjfoc.ZA(&u.tjfoc.PublicKey, uid))
			if !bytes.Equal(must(compat.ZA(&u.compat.PublicKey, uid)), digest) {
				t.Fatal(i, "ZA")
			}
			digest = must(u.tjfoc.Sm3Digest(message, uid))
			if !bytes.Equal(must(u.compat.Sm3Digest(message, uid)), digest) || !compat.Verify(&u.compat.PublicKey, digest, r, s) || !tjfoc.Verify(&u.tjfoc.PublicKey, digest, r, s) {
				t.Fatal(i, "Verify")
			}
		}
		// As a number, a digest of another length may be signed.
		hash := d.bytes(d.IntN(80))
		r, s := new(big.Int).SetBytes(d.bytes(32)), new(big.Int).SetBytes(d.bytes(32))
		if compat.Verify(&u.compat.PublicKey, hash, r, s) != tjfoc.Verify(&u.tjfoc.PublicKey, hash, r, s) {
			t.Fatal(i, "of drawn numbers")
		}
	}
}

func TestDigestsWithLeadingZeros(t *testing.T) {
	d, u, short := seeded(t), userOf(append([]byte{1}, make([]byte, 31)...)), 0
	for range 3000 {
		message := d.bytes(8)
		digest := must(u.tjfoc.Sm3Digest(message, nil))
		if !bytes.Equal(must(u.compat.Sm3Digest(message, nil)), digest) {
			t.Fatalf("%x", digest)
		}
		if len(digest) < 32 {
			short++
		}
	}
	if short == 0 {
		t.Fatal("no digest began with a zero byte")
	}
}

func TestCiphertexts(t *testing.T) {
	d := seeded(t)
	all := users(d, 24)
	for i, n := range append([]int{1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65}, 100, 1000, 4000) {
		u, message := all[i], d.bytes(n)
		for _, mode := range []int{compat.C1C3C2, compat.C1C2C3, 9} {
			for range 3 {
				ours, theirs := must(compat.Encrypt(&u.compat.PublicKey, message, nil, mode)), must(tjfoc.Encrypt(&u.tjfoc.PublicKey, message, nil, mode))
				if !bytes.Equal(must(compat.Decrypt(u.compat, theirs, mode)), message) || !bytes.Equal(must(tjfoc.Decrypt(u.tjfoc, tight(ours), mode)), message) {
					t.Fatal(n, mode)
				}
			}
		}
		for range 6 {
			theirs := must(tjfoc.EncryptAsn1(&u.tjfoc.PublicKey, message, nil))
			ours := must(compat.EncryptAsn1(&u.compat.PublicKey, message, nil))
			emmansuns := must(emmansun.EncryptASN1(rand.Reader, &u.emmansun.PublicKey, message))
			for _, ciphertext := range [][]byte{theirs, ours, emmansuns} {
				if !bytes.Equal(must(compat.DecryptAsn1(u.compat, ciphertext)), message) || !bytes.Equal(must(u.tjfoc.DecryptAsn1(ciphertext)), message) ||
					!bytes.Equal(must(u.ours.Decrypt(nil, ciphertext, sm2.ASN1)), message) || !bytes.Equal(must(u.emmansun.Decrypt(nil, ciphertext, nil)), message) {
					t.Fatal(n, "ASN.1")
				}
				plain := must(tjfoc.CipherUnmarshal(ciphertext))
				if !bytes.Equal(must(compat.CipherUnmarshal(ciphertext)), plain) || !bytes.Equal(must(compat.CipherMarshal(plain)), must(tjfoc.CipherMarshal(plain))) ||
					!bytes.Equal(must(compat.CipherMarshal(plain)), ciphertext) {
					t.Fatal(n, "CipherMarshal")
				}
			}
		}
	}
}

// k is tjfoc's, unless a coordinate of the shared point begins with a zero byte. The confirmations are emmansun's, which are the standard's.
func TestExchanges(t *testing.T) {
	d, same := seeded(t), 0
	const rounds = 60
	for range rounds {
		a, b, ofA, ofB := userOf(drawn(d)), userOf(drawn(d)), userOf(drawn(d)), userOf(drawn(d))
		idA, idB, length := d.bytes(1+d.IntN(30)), d.bytes(1+d.IntN(30)), d.IntN(100)+1
		kA, ofPeer, sA, err := compat.KeyExchangeA(length, idA, idB, a.compat, &b.compat.PublicKey, ofA.compat, &ofB.compat.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		kB, sB, _, err := compat.KeyExchangeB(length, idA, idB, b.compat, &a.compat.PublicKey, ofB.compat, &ofA.compat.PublicKey)
		if err != nil || !bytes.Equal(kA, kB) || !bytes.Equal(ofPeer, sB) {
			t.Fatal(err)
		}
		k, _, _, err := tjfoc.KeyExchangeB(length, idA, idB, b.tjfoc, &a.tjfoc.PublicKey, ofB.tjfoc, &ofA.tjfoc.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(k, kA) {
			same++
		}
		atA, err := a.ours.Exchange(true, idA, ofA.ours, sm2.Peer{ID: idB, Key: b.ours.PublicKey(), Ephemeral: ofB.ours.PublicKey()}, length)
		if err != nil || !bytes.Equal(atA.Key, kA) || !bytes.Equal(atA.Confirmation, sA) || atA.Verify(sB) != nil {
			t.Fatal(err)
		}
	}
	if same < rounds-3 {
		t.Fatal(same, "of", rounds, "keys are tjfoc's")
	}
}

func drawn(d draws) []byte {
	number := d.bytes(32)
	number[0] = number[0]&0x7f | 1
	return number
}

func FuzzSM2Ciphertext(f *testing.F) {
	number := append([]byte{1}, make([]byte, 31)...)
	u := userOf(number)
	f.Add([]byte("\x04"), false)
	f.Add(must(compat.EncryptAsn1(&u.compat.PublicKey, []byte("m"), nil)), true)
	f.Add(must(compat.Encrypt(&u.compat.PublicKey, []byte("m"), nil, 0)), false)
	f.Fuzz(func(t *testing.T, data []byte, isASN1 bool) {
		// What we open, emmansun's opens to the same. Nothing panics.
		if isASN1 {
			ours, err := u.compat.DecryptAsn1(data)
			theirs, theirErr := u.emmansun.Decrypt(nil, data, emmansun.ASN1DecrypterOpts)
			if err == nil && (theirErr != nil || !bytes.Equal(ours, theirs)) {
				t.Fatal(theirErr)
			}
			if plain, err := compat.CipherUnmarshal(data); err == nil {
				if again, err := compat.CipherMarshal(plain); err != nil || !bytes.Equal(again, data) && len(data) == len(again) {
					t.Fatal(err)
				}
			}
			return
		}
		ours, err := compat.Decrypt(u.compat, data, 0)
		theirs, theirErr := u.emmansun.Decrypt(nil, data, emmansun.NewPlainDecrypterOpts(emmansun.C1C3C2))
		if err == nil && (theirErr != nil || !bytes.Equal(ours, theirs)) {
			t.Fatal(theirErr)
		}
		compat.Decrypt(u.compat, data, 1)
	})
}

func FuzzSM2Signature(f *testing.F) {
	u := userOf(append([]byte{1}, make([]byte, 31)...))
	f.Add(must(u.compat.Sign(nil, []byte("m"), nil)), []byte("m"))
	f.Add([]byte{0x30, 0}, []byte{})
	f.Fuzz(func(t *testing.T, signature, message []byte) {
		ours := u.compat.Verify(message, signature)
		if theirs := emmansun.VerifyASN1WithSM2(&u.emmansun.PublicKey, nil, message, signature); ours != theirs {
			t.Fatal(ours, theirs)
		}
		// tjfoc's also takes bytes behind the signature, and inside of it.
		if ours && !u.tjfoc.Verify(message, signature) {
			t.Fatal("tjfoc's refuses it")
		}
	})
}

func FuzzKeys(f *testing.F) {
	u := userOf(append([]byte{1}, make([]byte, 31)...))
	f.Add(must(x509.MarshalSm2PrivateKey(u.compat, nil)), byte(0))
	f.Add(must(tjfocx509.MarshalSm2PrivateKey(userOf(append(make([]byte, 31), 1)).tjfoc, nil)), byte(0))
	f.Add(must(x509.MarshalSm2PublicKey(&u.compat.PublicKey)), byte(1))
	f.Add(must(x509.MarshalSm2PrivateKey(u.compat, []byte("pw"))), byte(2))
	f.Add([]byte("0123"), byte(3))
	f.Fuzz(func(t *testing.T, data []byte, which byte) {
		// What we read, tjfoc's reads as the same.
		switch which % 4 {
		case 0:
			if key, err := x509.ParsePKCS8PrivateKey(data, nil); err == nil {
				if theirs, err := tjfocx509.ParsePKCS8PrivateKey(data, nil); err != nil || theirs.D.Cmp(key.D) != 0 {
					t.Fatal(err)
				}
			}
		case 1:
			if key, err := x509.ParseSm2PublicKey(data); err == nil {
				// Compressed points tjfoc's has not.
				if theirs, err := tjfocx509.ParseSm2PublicKey(data); err != nil || theirs.X != nil && theirs.X.Cmp(key.X) != 0 {
					t.Fatal(err)
				}
			}
		case 2:
			var head struct{ Rest asn1.RawValue }
			if _, err := asn1.Unmarshal(data, &head); err == nil && len(data) < 1000 {
				x509.ParsePKCS8PrivateKey(data, []byte("pw"))
			}
		case 3:
			if key, err := x509.ReadPrivateKeyFromHex(string(data)); err == nil && len(data)%2 == 0 {
				if theirs, err := tjfocx509.ReadPrivateKeyFromHex(string(data)); err != nil || theirs.D.Cmp(key.D) != 0 {
					t.Fatal(err)
				}
			}
			if key, err := x509.ReadPublicKeyFromHex(string(data)); err == nil {
				if theirs, err := tjfocx509.ReadPublicKeyFromHex(string(data)); err != nil || theirs.X.Cmp(key.X) != 0 {
					t.Fatal(err)
				}
			}
		}
	})
}
