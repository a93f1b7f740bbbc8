// Writes ../gmsm.json: known answers of github.com/tjfoc/gmsm 1.4.1. Where its answer is the standard's, github.com/emmansun/gmsm
// has to agree, or the program fails. All input is derived from labels, so a second run changes nothing.
//
//	go run . > ../gmsm.json
package main

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"

	emmansm2 "github.com/emmansun/gmsm/sm2"
	emmansm4 "github.com/emmansun/gmsm/sm4"
	"github.com/tjfoc/gmsm/sm2"
	"github.com/tjfoc/gmsm/sm4"
	"github.com/tjfoc/gmsm/x509"
)

// stream is the rule for input: SHA-256 of the label and a counter of 4 bytes, again and again.
func stream(label string, length int) []byte {
	var out []byte
	for i := uint32(0); len(out) < length; i++ {
		block := sha256.Sum256(append([]byte(label), byte(i>>24), byte(i>>16), byte(i>>8), byte(i)))
		out = append(out, block[:]...)
	}
	// Without room behind it: tjfoc/gmsm appends to the IV that it is given.
	return append(make([]byte, 0, length), out[:length]...)
}

type object map[string]any

func main() {
	known := object{
		"from":  "github.com/tjfoc/gmsm v1.4.1, checked with github.com/emmansun/gmsm v0.44.0",
		"rule":  "data(label, length) is SHA-256(label || counter of 4 bytes) of the counters 0, 1, ... one after another, cut to length",
		"gcm":   gcm(),
		"modes": modes(),
		"sm2":   ofSM2(),
	}
	var out bytes.Buffer
	out.WriteString("{\n")
	for i, name := range []string{"from", "rule", "gcm", "modes", "sm2"} {
		fmt.Fprintf(&out, "%q: ", name)
		write(&out, known[name])
		if i < 4 {
			out.WriteString(",")
		}
		out.WriteString("\n")
	}
	out.WriteString("}\n")
	_, err := os.Stdout.Write(out.Bytes())
	must(err)
}

// write has one line for each element of a list.
func write(out *bytes.Buffer, value any) {
	list, ok := value.([]object)
	if !ok {
		text, err := json.Marshal(value)
		must(err)
		out.Write(text)
		return
	}
	out.WriteString("[\n")
	for i, element := range list {
		text, err := json.Marshal(element)
		must(err)
		out.Write(text)
		if i+1 < len(list) {
			out.WriteString(",")
		}
		out.WriteString("\n")
	}
	out.WriteString("]")
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func require(holds bool, what ...any) {
	if !holds {
		panic(fmt.Sprint(what...))
	}
}

func ivs() [][]byte {
	with := func(at int, values ...byte) []byte {
		iv := stream("iv", 12)
		copy(iv[at:], values)
		return iv
	}
	return [][]byte{
		stream("iv", 12),
		with(11, 0xff),
		with(10, 0xff),
		with(0, 0xff),
		with(5, 0xff, 0x00),
		with(10, 0xff, 0xff),
		with(10, 0xfe, 0xff),
		with(9, 0xff, 0xfe, 0xff),
		bytes.Repeat([]byte{0xff}, 12),
		make([]byte, 12),
		stream("iv", 16),
		bytes.Repeat([]byte{0xff}, 16),
		stream("iv", 8),
		stream("iv", 1),
		{},
		stream("iv", 33),
	}
}

// gcm has each IV with each length, and for one IV each length of additional data.
func gcm() []object {
	var cases []object
	lengths := []int{0, 1, 15, 16, 17, 31, 32, 33, 64, 1000, 5000}
	aads := []int{0, 1, 16, 17, 40}
	add := func(iv []byte, aad, length int) {
		cases = append(cases, gcmCase(stream("key", 16), iv, stream("aad", aad), stream("plaintext", length)))
	}
	for i, iv := range ivs() {
		for j, length := range lengths {
			add(iv, aads[(i+j)%len(aads)], length)
		}
	}
	for _, length := range []int{0, 1, 16, 17, 32, 1000} {
		for _, aad := range aads {
			add(ivs()[0], aad, length)
		}
	}
	// The counter passes FF in the byte before its last.
	for _, length := range []int{16 * 0xfeff, 16*0xff00 + 1} {
		add(ivs()[0], 0, length)
	}
	return cases
}

func gcmCase(key, iv, aad, plaintext []byte) object {
	ciphertext, tag, err := sm4.Sm4GCM(key, clone(iv), clone(plaintext), clone(aad), true)
	must(err)
	// Its decryption reads beyond a last block that is not whole, and pads the plaintext to blocks.
	padded := append(clone(ciphertext), make([]byte, 16)...)[:len(ciphertext)]
	opened, again, err := sm4.Sm4GCM(key, clone(iv), padded, clone(aad), false)
	must(err)
	require(bytes.Equal(tag, again) && bytes.Equal(opened[:len(plaintext)], plaintext), "it does not open what it sealed")

	block, err := emmansm4.NewCipher(key)
	must(err)
	sameText := false
	if len(iv) > 0 {
		aead, err := cipher.NewGCMWithNonceSize(block, len(iv))
		must(err)
		sealed := aead.Seal(nil, iv, plaintext, aad)
		sameText = bytes.Equal(sealed[:len(plaintext)], ciphertext)
		sameTag := bytes.Equal(sealed[len(plaintext):], tag)
		// Without any data, both lengths are 0 in bits and in bytes.
		require(sameTag == (len(iv) == 12 && len(plaintext) == 0 && len(aad) == 0), "a tag is GCM's: ", len(plaintext), len(aad))
	}
	found := object{
		"iv": hex.EncodeToString(iv), "aad": len(aad), "len": len(plaintext), "tag": hex.EncodeToString(tag),
	}
	if sameText {
		found["text_is_gcm"] = true
	}
	if len(ciphertext) <= 33 {
		found["ciphertext"] = hex.EncodeToString(ciphertext)
	} else {
		sum := sha256.Sum256(ciphertext)
		found["sha256"] = hex.EncodeToString(sum[:])
	}
	return found
}

func clone(b []byte) []byte {
	return append(make([]byte, 0, len(b)), b...)
}

// modes has the functions that pad. CFB and OFB pad, too.
func modes() []object {
	key := stream("key", 16)
	functions := []struct {
		name string
		call func(key, in []byte, mode bool) ([]byte, error)
	}{{"Sm4Ecb", sm4.Sm4Ecb}, {"Sm4Cbc", sm4.Sm4Cbc}, {"Sm4CFB", sm4.Sm4CFB}, {"Sm4OFB", sm4.Sm4OFB}}
	var cases []object
	// The process begins with an IV of zeros.
	for _, iv := range [][]byte{make([]byte, 16), stream("mode iv", 16)} {
		if !bytes.Equal(iv, make([]byte, 16)) {
			must(sm4.SetIV(clone(iv)))
		}
		for _, function := range functions {
			for _, length := range []int{0, 1, 15, 16, 17, 31, 32, 33, 64} {
				plaintext := stream("plaintext", length)
				ciphertext, err := function.call(key, clone(plaintext), true)
				must(err)
				opened, err := function.call(key, clone(ciphertext), false)
				must(err)
				require(bytes.Equal(opened, plaintext), function.name)
				require(bytes.Equal(ciphertext, byMode(function.name, key, iv, plaintext)), function.name)
				cases = append(cases, object{
					"function": function.name, "iv": hex.EncodeToString(iv), "len": length, "ciphertext": hex.EncodeToString(ciphertext),
				})
			}
		}
	}
	return cases
}

// byMode is the standard's answer with emmansun's SM4, and PKCS#7.
func byMode(name string, key, iv, plaintext []byte) []byte {
	block, err := emmansm4.NewCipher(key)
	must(err)
	pad := 16 - len(plaintext)%16
	out := append(clone(plaintext), bytes.Repeat([]byte{byte(pad)}, pad)...)
	feedback := clone(iv)
	for at := 0; at < len(out); at += 16 {
		part := out[at : at+16]
		switch name {
		case "Sm4Ecb":
			block.Encrypt(part, part)
		case "Sm4Cbc":
			xor(part, feedback)
			block.Encrypt(part, part)
			copy(feedback, part)
		case "Sm4CFB":
			block.Encrypt(feedback, feedback)
			xor(part, feedback)
			copy(feedback, part)
		case "Sm4OFB":
			block.Encrypt(feedback, feedback)
			xor(part, feedback)
		}
	}
	return out
}

func xor(a, b []byte) {
	for i := range a {
		a[i] ^= b[i]
	}
}

// reader gives the bytes of a label, so that tjfoc/gmsm draws the same numbers each time.
type reader struct{ data []byte }

func (r *reader) Read(out []byte) (int, error) {
	n := copy(out, r.data)
	r.data = r.data[n:]
	return n, nil
}

func drawn(label string) *reader {
	return &reader{stream(label, 400)}
}

func keyOf(d []byte) *sm2.PrivateKey {
	key := &sm2.PrivateKey{D: new(big.Int).SetBytes(d)}
	key.Curve = sm2.P256Sm2()
	key.X, key.Y = key.Curve.ScalarBaseMult(key.D.Bytes())
	return key
}

func raw(n *big.Int) []byte {
	return n.FillBytes(make([]byte, 32))
}

// numbers are private keys: an ordinary one, some that begin with zeros, and some whose x, y or both parities differ.
func numbers() [][]byte {
	zeros := func(label string, count int) []byte {
		d := stream(label, 32)
		copy(d, make([]byte, count))
		return d
	}
	half := stream("d4", 32)
	half[0] &= 0x0f
	half[0] |= 0x01
	found := [][]byte{stream("d1", 32), zeros("d2", 1), zeros("d3", 3), half}
	// Points whose x, or whose y, begins with a zero byte.
	for _, of := range []func(*sm2.PrivateKey) *big.Int{
		func(key *sm2.PrivateKey) *big.Int { return key.X },
		func(key *sm2.PrivateKey) *big.Int { return key.Y },
	} {
		for i := 0; ; i++ {
			d := stream(fmt.Sprint("short ", i), 32)
			if of(keyOf(d)).BitLen() <= 248 {
				found = append(found, d)
				break
			}
		}
	}
	return found
}

func ofSM2() []object {
	var cases []object
	for i, d := range numbers() {
		key := keyOf(d)
		whole := append(append([]byte{4}, raw(key.X)...), raw(key.Y)...)
		theirs, err := emmansm2.NewPrivateKey(d)
		must(err)
		require(theirs.X.Cmp(key.X) == 0 && theirs.Y.Cmp(key.Y) == 0, "the public key")

		compressed := sm2.Compress(&key.PublicKey)
		again := sm2.Decompress(compressed)
		require(again.X.Cmp(key.X) == 0 && again.Y.Cmp(key.Y) == 0, "Decompress")

		written := x509.WritePrivateKeyToHex(key)
		// It reads back only an even number of digits.
		read, err := x509.ReadPrivateKeyFromHex(written)
		require((err == nil) == (len(written)%2 == 0) && (err != nil || read.D.Cmp(key.D) == 0), "ReadPrivateKeyFromHex")

		message := stream("message", 1+20*i)
		signature, err := key.Sign(drawn(fmt.Sprint("sign ", i)), message, nil)
		must(err)
		require(key.Verify(message, signature), "Verify")
		require(emmansm2.VerifyASN1WithSM2(&theirs.PublicKey, nil, message, signature), "emmansun's Verify")

		found := object{
			"d": hex.EncodeToString(d), "public": hex.EncodeToString(whole), "compressed": hex.EncodeToString(compressed),
			"hex": written, "len": len(message), "signature": hex.EncodeToString(signature),
		}
		for _, form := range []struct {
			name string
			call func(label string) ([]byte, error)
			open func([]byte) ([]byte, error)
			opts *emmansm2.DecrypterOpts
		}{
			{
				"c1c3c2",
				func(label string) ([]byte, error) {
					return sm2.Encrypt(&key.PublicKey, message, drawn(label), sm2.C1C3C2)
				},
				func(c []byte) ([]byte, error) { return sm2.Decrypt(key, c, sm2.C1C3C2) },
				emmansm2.NewPlainDecrypterOpts(emmansm2.C1C3C2),
			},
			{
				"c1c2c3",
				func(label string) ([]byte, error) {
					return sm2.Encrypt(&key.PublicKey, message, drawn(label), sm2.C1C2C3)
				},
				func(c []byte) ([]byte, error) { return sm2.Decrypt(key, c, sm2.C1C2C3) },
				emmansm2.NewPlainDecrypterOpts(emmansm2.C1C2C3),
			},
			{
				"der",
				func(label string) ([]byte, error) { return key.PublicKey.EncryptAsn1(message, drawn(label)) },
				key.DecryptAsn1,
				emmansm2.ASN1DecrypterOpts,
			},
		} {
			ciphertext, err := form.call(fmt.Sprint(form.name, " ", i))
			must(err)
			opened, err := form.open(clone(ciphertext))
			must(err)
			require(bytes.Equal(opened, message), form.name)
			opened, err = theirs.Decrypt(nil, ciphertext, form.opts)
			must(err)
			require(bytes.Equal(opened, message), "emmansun's ", form.name)
			found[form.name] = hex.EncodeToString(ciphertext)
		}
		found["exchange"] = exchange(key, i)
		cases = append(cases, found)
	}
	return cases
}

// exchange is between this key, as user A, and others. All numbers are given, so there is nothing to draw.
func exchange(a *sm2.PrivateKey, i int) object {
	b, ra, rb := keyOf(stream(fmt.Sprint("b ", i), 32)), keyOf(stream(fmt.Sprint("ra ", i), 32)), keyOf(stream(fmt.Sprint("rb ", i), 32))
	idA, idB := []byte("alice@example.com"), []byte("1234567812345678")
	length := []int{16, 1, 32, 33, 48, 128}[i%6]
	k, s1, s2, err := sm2.KeyExchangeA(length, idA, idB, a, &b.PublicKey, ra, &rb.PublicKey)
	must(err)
	k2, t1, t2, err := sm2.KeyExchangeB(length, idA, idB, b, &a.PublicKey, rb, &ra.PublicKey)
	must(err)
	require(bytes.Equal(k, k2) && bytes.Equal(s1, t1) && bytes.Equal(s2, t2), "the exchange")
	return object{
		"b": hex.EncodeToString(raw(b.D)), "ra": hex.EncodeToString(raw(ra.D)), "rb": hex.EncodeToString(raw(rb.D)),
		"id_a": string(idA), "id_b": string(idB), "len": length,
		"key": hex.EncodeToString(k), "s1": hex.EncodeToString(s1), "s2": hex.EncodeToString(s2),
	}
}
