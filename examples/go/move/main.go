// Command move keeps records for a service, as programs over github.com/tjfoc/gmsm do: encrypted with SM4, signed with SM2.
//
//	go run . write FOLDER
//	go run . read FOLDER
//
// It moves to Sealstone by its imports alone: docs/guide/from-gmsm.md.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tjfoc/gmsm/sm2"
	"github.com/tjfoc/gmsm/sm3"
	"github.com/tjfoc/gmsm/sm4"
	"github.com/tjfoc/gmsm/x509"
)

var (
	password = []byte("password of the keys")
	texts    = []string{"attack at dawn", "sixteen bytes ..", "the third record is longer than two blocks of SM4", "订单 0001"}
)

// record is one text in each way that the service has stored it. All fields are hexadecimal digits.
type record struct{ Digest, CBC, IV, GCM, Tag, Signature, Envelope, ASN1 string }

// keys are in the files signer.pem, receiver.hex and data.pem; the password encrypts those in PEM.
type keys struct {
	signer, receiver *sm2.PrivateKey
	data             sm4.SM4Key
}

func main() {
	switch folder := os.Args[len(os.Args)-1]; os.Args[1] {
	case "write":
		write(folder)
	case "read":
		read(folder)
	}
}

// must ends the program after an error.
func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "move:", err)
		os.Exit(1)
	}
	return value
}

func write(folder string) {
	save := func(name string, data []byte) { must(0, os.WriteFile(filepath.Join(folder, name), data, 0o600)) }
	k := keys{must(sm2.GenerateKey(rand.Reader)), must(sm2.GenerateKey(rand.Reader)), make([]byte, 16)}
	rand.Read(k.data)
	must(0, sm4.WriteKeyToPemFile(filepath.Join(folder, "data.pem"), k.data, password))
	save("signer.pem", must(x509.WritePrivateKeyToPem(k.signer, password)))
	save("signer.pub", must(x509.WritePublicKeyToPem(&k.signer.PublicKey)))
	digits := x509.WritePrivateKeyToHex(k.receiver)
	if len(digits)%2 != 0 {
		digits = "0" + digits // ReadPrivateKeyFromHex wants whole bytes.
	}
	save("receiver.hex", []byte(digits))
	var records []record
	for _, text := range texts {
		records = append(records, seal(k, []byte(text)))
	}
	save("records.json", must(json.MarshalIndent(records, "", "  ")))
}

func seal(k keys, text []byte) record {
	iv := make([]byte, 16)
	rand.Read(iv)
	must(0, sm4.SetIV(iv))
	digest := sm3.Sm3Sum(text)
	gcm, tag, err := sm4.Sm4GCM(k.data, iv[:12:12], text, digest, true)
	must(0, err)
	h := hex.EncodeToString
	return record{
		h(digest), h(must(sm4.Sm4Cbc(k.data, text, true))), h(iv), h(gcm), h(tag), h(must(k.signer.Sign(rand.Reader, text, nil))),
		h(must(sm2.Encrypt(&k.receiver.PublicKey, text, rand.Reader, sm2.C1C3C2))), h(must(k.receiver.EncryptAsn1(text, rand.Reader))),
	}
}

func read(folder string) {
	load := func(name string) []byte { return must(os.ReadFile(filepath.Join(folder, name))) }
	k := keys{
		must(x509.ReadPrivateKeyFromPem(load("signer.pem"), password)), must(x509.ReadPrivateKeyFromHex(string(load("receiver.hex")))),
		must(sm4.ReadKeyFromPemFile(filepath.Join(folder, "data.pem"), password)),
	}
	public := must(x509.ReadPublicKeyFromPem(load("signer.pub")))
	var records []record
	must(0, json.Unmarshal(load("records.json"), &records))
	for i, r := range records {
		fmt.Printf("%d %s\n", i, must(open(k, public, r)))
	}
}

func open(k keys, public *sm2.PublicKey, r record) ([]byte, error) {
	d := func(digits string) []byte { return must(hex.DecodeString(digits)) }
	must(0, sm4.SetIV(d(r.IV)))
	text := must(sm4.Sm4Cbc(k.data, d(r.CBC), false))
	// Sm4GCM decrypts whole blocks, and so reads behind the ciphertext.
	in := append(d(r.GCM), make([]byte, 16)...)[:len(r.GCM)/2]
	gcm, tag, err := sm4.Sm4GCM(k.data, d(r.IV)[:12:12], in, d(r.Digest), false)
	switch {
	case err != nil:
		return nil, err
	case !bytes.Equal(tag, d(r.Tag)) || !bytes.Equal(gcm[:len(in)], text):
		return nil, errors.New("Sm4GCM gives another text, or another tag")
	case !bytes.Equal(must(sm2.Decrypt(k.receiver, d(r.Envelope), sm2.C1C3C2)), text) || !bytes.Equal(must(k.receiver.DecryptAsn1(d(r.ASN1))), text):
		return nil, errors.New("SM2 gives another text")
	case !bytes.Equal(sm3.Sm3Sum(text), d(r.Digest)) || !public.Verify(text, d(r.Signature)):
		return nil, errors.New("the digest or the signature is not valid")
	}
	return text, nil
}
