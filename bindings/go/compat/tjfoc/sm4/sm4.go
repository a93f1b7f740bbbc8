// Package sm4 has the names of github.com/tjfoc/gmsm/sm4 1.4.1 over Sealstone's SM4: a program changes its import, and nothing else.
//
// What tjfoc's functions wrote, these read, and the other way round. What differs is said at each function; of all of them: wrong padding is
// an error, where tjfoc's return nil and no error; they do not write into their arguments; a block may be used by several goroutines.
//
// Not here: the variable IV, which SetIV sets, and the parts of Sm4GCM (GHASH, GetH, GetY0, MSB, Rightshift).
//
// New code uses sealstone.example/go/sm4. See docs/guide/from-gmsm.md.
package sm4

import (
	"crypto/cipher"
	"crypto/subtle"
	"errors"
	"strconv"
	"sync"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
	"sealstone.example/go/sm4"
)

// BlockSize is the length of a block, of a key and of an IV, in bytes.
const BlockSize = 16

// noPadding is the choice of native code's that no is: the modes are padded here, as two of them are nowhere else.
const noPadding = 2

// Sm4Cipher is SM4 under a key. NewCipher makes it.
type Sm4Cipher = sm4.Cipher

// NewCipher makes a block cipher of a key of 16 bytes.
//
// crypto/cipher knows the block to be more: cipher.NewGCM, cipher.NewCBCEncrypter, cipher.NewCBCDecrypter and cipher.NewCTR of it work on
// many blocks at once. Unlike tjfoc's, it may be used by several goroutines, and it panics where dst and src overlap otherwise than from their
// beginning.
func NewCipher(key []byte) (cipher.Block, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	return sm4.NewCipher(key)
}

func checkKey(key []byte) error {
	if len(key) != BlockSize {
		return errors.New("SM4: invalid key size " + strconv.Itoa(len(key)))
	}
	return nil
}

var shared struct {
	sync.RWMutex
	iv [BlockSize]byte
}

// SetIV sets the IV of Sm4Cbc, Sm4CFB and Sm4OFB for the whole process; until then it is 16 zero bytes.
//
// Unlike tjfoc's it copies its argument and takes a lock. That two goroutines want two IVs at the same time remains a fault of the program.
//
// Deprecated: one IV for many messages shows which of them begin alike, and in OFB it reveals the XOR of all. Use cipher.NewCBCEncrypter
// with an IV of crypto/rand for each message, or better an AEAD.
func SetIV(iv []byte) error {
	if len(iv) != BlockSize {
		return errors.New("SM4: invalid iv size")
	}
	shared.Lock()
	defer shared.Unlock()
	copy(shared.iv[:], iv)
	return nil
}

func currentIV() []byte {
	shared.RLock()
	defer shared.RUnlock()
	iv := shared.iv
	return iv[:]
}

// Sm4Ecb encrypts in with padding in ECB where mode is true, and else decrypts it.
//
// Wrong padding and a ciphertext that is not whole blocks are errors, invalid_padding and partial_block; tjfoc's returns nil without an error.
func Sm4Ecb(key []byte, in []byte, mode bool) (out []byte, err error) {
	return crypt("sm4-ecb", key, nil, in, mode)
}

// Sm4Cbc encrypts in with padding in CBC where mode is true, and else decrypts it. SetIV has set its IV.
//
// Errors are those of Sm4Ecb.
func Sm4Cbc(key []byte, in []byte, mode bool) (out []byte, err error) {
	return crypt("sm4-cbc", key, currentIV(), in, mode)
}

// Sm4CFB encrypts in with padding in CFB where mode is true, and else decrypts it. SetIV has set its IV.
//
// As in tjfoc's, the plaintext is padded, which CFB elsewhere is not. Errors are those of Sm4Ecb.
func Sm4CFB(key []byte, in []byte, mode bool) (out []byte, err error) {
	return crypt("sm4-cfb", key, currentIV(), in, mode)
}

// Sm4OFB encrypts in with padding in OFB where mode is true, and else decrypts it. SetIV has set its IV.
//
// As in tjfoc's, the plaintext is padded, which OFB elsewhere is not. Errors are those of Sm4Ecb.
func Sm4OFB(key []byte, in []byte, mode bool) (out []byte, err error) {
	return crypt("sm4-ofb", key, currentIV(), in, mode)
}

func crypt(algorithm string, key, iv, in []byte, encrypts bool) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	c, err := native.CipherNew(algorithm, key)
	if err != nil {
		return nil, err
	}
	defer c.Free()
	if encrypts {
		out := pad(in)
		if err := native.CipherEncrypt(c, iv, out, out, noPadding); err != nil {
			return nil, err
		}
		return out, nil
	}
	if len(in)%BlockSize != 0 {
		return nil, fault.New("partial_block", "the ciphertext has %d bytes, which are not whole blocks", len(in))
	}
	out := make([]byte, len(in))
	if _, err := native.CipherDecrypt(c, iv, in, out, noPadding); err != nil {
		return nil, err
	}
	return unpad(out)
}

// pad copies in and appends PKCS#7 padding.
func pad(in []byte) []byte {
	n := BlockSize - len(in)%BlockSize
	out := make([]byte, len(in)+n)
	for i := copy(out, in); i < len(out); i++ {
		out[i] = byte(n)
	}
	return out
}

// unpad takes as long for each padding of a block; only its verdict and its length are shown.
func unpad(out []byte) ([]byte, error) {
	wrong := fault.New("invalid_padding", "the padding is wrong: the key, the IV or the ciphertext is another one")
	if len(out) == 0 {
		return nil, wrong
	}
	last := out[len(out)-BlockSize:]
	n := int(last[BlockSize-1])
	good := subtle.ConstantTimeLessOrEq(1, n) & subtle.ConstantTimeLessOrEq(n, BlockSize)
	for i, b := range last {
		isPadding := subtle.ConstantTimeLessOrEq(BlockSize-i, n)
		good &= 1 ^ isPadding&(1^subtle.ConstantTimeByteEq(b, byte(n)))
	}
	if good != 1 {
		clear(out)
		return nil, wrong
	}
	return out[:len(out)-n], nil
}
