// Answers with emmansun/gmsm what tests/sm2_judges.rs asks, a line of hexadecimal fields at a time.
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/emmansun/gmsm/pkcs"
	"github.com/emmansun/gmsm/pkcs8"
	"github.com/emmansun/gmsm/sm2"
	"github.com/emmansun/gmsm/smx509"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		answer, err := answer(strings.Fields(line))
		if err != nil {
			fmt.Fprintln(out, "!", err)
		} else {
			fmt.Fprintln(out, hex.EncodeToString(answer))
		}
	}
}

func answer(words []string) ([]byte, error) {
	verb, form := words[0], words[1]
	var f [4][]byte
	for i, word := range words[2:] {
		bytes, err := hex.DecodeString(strings.TrimPrefix(word, "-"))
		if err != nil {
			return nil, err
		}
		f[i] = bytes
	}
	switch verb {
	case "sign": // key, id, message
		key, err := sm2.NewPrivateKey(f[0])
		if err != nil {
			return nil, err
		}
		hash, err := sm2.CalculateSM2Hash(&key.PublicKey, f[2], f[1])
		if err != nil {
			return nil, err
		}
		return sm2.SignASN1(rand.Reader, key, hash, nil)
	case "verify": // public key, id, message, signature
		key, err := sm2.NewPublicKey(f[0])
		if err != nil {
			return nil, err
		}
		hash, err := sm2.CalculateSM2Hash(key, f[2], f[1])
		if err != nil {
			return nil, err
		}
		if !sm2.VerifyASN1(key, hash, f[3]) {
			return nil, errors.New("another signature")
		}
		return nil, nil
	case "encrypt": // public key, message
		key, err := sm2.NewPublicKey(f[0])
		if err != nil {
			return nil, err
		}
		options := sm2.ASN1EncrypterOpts
		switch form {
		case "c1c3c2":
			options = sm2.NewPlainEncrypterOpts(sm2.MarshalUncompressed, sm2.C1C3C2)
		case "c1c2c3":
			options = sm2.NewPlainEncrypterOpts(sm2.MarshalUncompressed, sm2.C1C2C3)
		}
		return sm2.Encrypt(rand.Reader, key, f[1], options)
	case "decrypt": // key, ciphertext
		key, err := sm2.NewPrivateKey(f[0])
		if err != nil {
			return nil, err
		}
		options := sm2.ASN1DecrypterOpts
		switch form {
		case "c1c3c2":
			options = sm2.NewPlainDecrypterOpts(sm2.C1C3C2)
		case "c1c2c3":
			options = sm2.NewPlainDecrypterOpts(sm2.C1C2C3)
		}
		return key.Decrypt(rand.Reader, f[1], options)
	case "write-key": // key, password or none
		key, err := sm2.NewPrivateKey(f[0])
		if err != nil {
			return nil, err
		}
		kdf := pkcs.NewPBKDF2Opts(pkcs.SM3, 16, 2048)
		return pkcs8.MarshalPrivateKey(key, f[1], pkcs.NewPBESEncrypter(pkcs.SM4CBC, kdf))
	case "read-key": // PKCS#8, password or none
		key, _, err := pkcs8.ParsePrivateKey(f[0], f[1])
		if err != nil {
			return nil, err
		}
		private, ok := key.(*sm2.PrivateKey)
		if !ok {
			return nil, errors.New("another kind of key")
		}
		return private.D.FillBytes(make([]byte, 32)), nil
	case "write-public": // public key
		key, err := sm2.NewPublicKey(f[0])
		if err != nil {
			return nil, err
		}
		return smx509.MarshalPKIXPublicKey(key)
	case "read-public": // SubjectPublicKeyInfo
		key, err := smx509.ParsePKIXPublicKey(f[0])
		if err != nil {
			return nil, err
		}
		public, ok := key.(*ecdsa.PublicKey)
		if !ok {
			return nil, errors.New("another kind of key")
		}
		point, err := sm2.PublicKeyToECDH(public)
		if err != nil {
			return nil, err
		}
		return point.Bytes(), nil
	}
	return nil, errors.New("unknown verb")
}
