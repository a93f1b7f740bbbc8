package sm4

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
)

// SM4Key is a key, 16 bytes. As in tjfoc's, nothing here looks at its length but what encrypts with it.
type SM4Key []byte

const (
	plainType     = "SM4 KEY"
	encryptedType = "SM4 ENCRYPTED KEY"
)

// ReadKeyFromPem reads a key that WriteKeyToPem wrote; pwd is not looked at where the key is not encrypted.
func ReadKeyFromPem(data []byte, pwd []byte) (SM4Key, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("SM4: pem decode failed")
	}
	wanted := plainType
	if x509.IsEncryptedPEMBlock(block) {
		wanted = encryptedType
	}
	switch {
	case block.Type != wanted:
		return nil, errors.New("SM4: unknown type")
	case wanted == plainType:
		return block.Bytes, nil
	case pwd == nil:
		return nil, errors.New("SM4: need passwd")
	}
	return x509.DecryptPEMBlock(block, pwd)
}

// ReadKeyFromPemFile reads a key of a file.
func ReadKeyFromPemFile(FileName string, pwd []byte) (SM4Key, error) {
	data, err := os.ReadFile(FileName)
	if err != nil {
		return nil, err
	}
	return ReadKeyFromPem(data, pwd)
}

// WriteKeyToPem writes a key as PEM, and encrypts it where pwd is not nil: with AES-256-CBC under a key of one MD5 (RFC 1423), as tjfoc's does.
// Passwords are guessed fast behind that, and nothing notices a change: keep the file as if it were not encrypted.
func WriteKeyToPem(key SM4Key, pwd []byte) ([]byte, error) {
	if pwd == nil {
		return pem.EncodeToMemory(&pem.Block{Type: plainType, Bytes: key}), nil
	}
	block, err := x509.EncryptPEMBlock(rand.Reader, encryptedType, key, pwd, x509.PEMCipherAES256)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(block), nil
}

// WriteKeyToPemFile writes a key into a file. A file that it makes can be read by its owner alone; tjfoc's by all whom the umask lets.
func WriteKeyToPemFile(FileName string, key SM4Key, pwd []byte) error {
	data, err := WriteKeyToPem(key, pwd)
	if err != nil {
		return err
	}
	return os.WriteFile(FileName, data, 0o600)
}
