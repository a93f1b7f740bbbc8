// Seals what it is told with emmansun/gmsm, a line of hexadecimal fields at a time:
//
//	gcm KEY NONCE AAD PLAINTEXT TAG-LENGTH
//	ccm KEY NONCE AAD PLAINTEXT TAG-LENGTH
//	xts-gb KEY TWEAK-KEY TWEAK PLAINTEXT
//	xts-ieee KEY TWEAK-KEY TWEAK PLAINTEXT
//
// An empty field is "-". The answer is ciphertext and tag.
package main

import (
	"bufio"
	stdcipher "crypto/cipher"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/emmansun/gmsm/cipher"
	"github.com/emmansun/gmsm/sm4"
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
		answer, err := seal(strings.Fields(line))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Fprintln(out, hex.EncodeToString(answer))
	}
}

func seal(fields []string) ([]byte, error) {
	var f [4][]byte
	for i := range f {
		bytes, err := hex.DecodeString(strings.TrimPrefix(fields[i+1], "-"))
		if err != nil {
			return nil, err
		}
		f[i] = bytes
	}
	switch fields[0] {
	case "gcm", "ccm":
		tag, err := strconv.Atoi(fields[5])
		if err != nil {
			return nil, err
		}
		aead, err := aead(fields[0], f[0], len(f[1]), tag)
		if err != nil {
			return nil, err
		}
		return aead.Seal(nil, f[1], f[3], f[2]), nil
	default:
		create := cipher.NewXTSEncrypter
		if fields[0] == "xts-gb" {
			create = cipher.NewGBXTSEncrypter
		}
		mode, err := create(sm4.NewCipher, f[0], f[1], f[2])
		if err != nil {
			return nil, err
		}
		sealed := make([]byte, len(f[3]))
		mode.CryptBlocks(sealed, f[3])
		return sealed, nil
	}
}

func aead(mode string, key []byte, nonce, tag int) (stdcipher.AEAD, error) {
	block, err := sm4.NewCipher(key)
	if err != nil {
		return nil, err
	}
	switch {
	case mode == "ccm":
		return cipher.NewCCMWithNonceAndTagSize(block, nonce, tag)
	case tag == 16:
		return stdcipher.NewGCMWithNonceSize(block, nonce)
	default:
		return stdcipher.NewGCMWithTagSize(block, tag)
	}
}
