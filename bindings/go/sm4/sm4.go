// Package sm4 has the block cipher SM4 (GB/T 32907) behind the interfaces of crypto/cipher: code that uses another package of this name changes
// its import, and is faster.
//
// NewCipher makes a crypto/cipher.Block which crypto/cipher knows to be more: cipher.NewGCM, cipher.NewCBCEncrypter, cipher.NewCBCDecrypter
// and cipher.NewCTR of it work on many blocks at once, and so do the functions of github.com/emmansun/gmsm/cipher. A loop over Encrypt of single
// blocks gains nothing.
//
// A block and an AEAD may be used by several goroutines at the same time; a BlockMode and a Stream by one.
package sm4

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"strconv"
	"sync"

	"sealstone.example/go/aead"
	"sealstone.example/go/internal/alias"
	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/items"
	"sealstone.example/go/internal/native"
)

// BlockSize is the length of a block, in bytes.
const BlockSize = 16

// KeySize is the length of a key, in bytes.
const KeySize = 16

// KeySizeError is the error of a key that has another length.
type KeySizeError int

// Error returns the message.
func (k KeySizeError) Error() string { return "sm4: invalid key size " + strconv.Itoa(int(k)) }

// noPadding is the choice of native code's that no is.
const noPadding = 2

// Cipher is SM4 under a key. NewCipher makes it.
type Cipher struct {
	// key returns the key. It is a function since fmt prints the fields of a copy of the struct, and what pointers lead to.
	key           func() []byte
	ecb           *native.Cipher
	cbc, ctr, gcm mode
}

// mode is the key for a mode, which is made when it is first asked for.
type mode struct {
	once   sync.Once
	cipher *native.Cipher
	aead   *aead.Key
	err    error
}

// NewCipher makes a block cipher of a key of 16 bytes. The error is a KeySizeError, or unavailable_backend.
func NewCipher(key []byte) (cipher.Block, error) {
	if len(key) != KeySize {
		return nil, KeySizeError(len(key))
	}
	ecb, err := native.CipherNew("sm4-ecb", key)
	if err != nil {
		return nil, err
	}
	own := bytes.Clone(key)
	return &Cipher{key: func() []byte { return own }, ecb: ecb}, nil
}

// BlockSize returns the length of a block, in bytes.
func (c *Cipher) BlockSize() int { return BlockSize }

// Encrypt encrypts the first block of src into dst. It panics where either is shorter, or where they overlap otherwise than from their beginning.
func (c *Cipher) Encrypt(dst, src []byte) {
	checkBlock(dst, src)
	encrypt(c.ecb, nil, dst[:BlockSize], src[:BlockSize])
}

// Decrypt decrypts the first block of src into dst, likewise.
func (c *Cipher) Decrypt(dst, src []byte) {
	checkBlock(dst, src)
	decrypt(c.ecb, nil, dst[:BlockSize], src[:BlockSize])
}

// String names the type, and shows nothing of the key.
func (c *Cipher) String() string { return "sm4.Cipher(..)" }

// Format prints as String does, whatever the verb.
func (c *Cipher) Format(state fmt.State, _ rune) { fmt.Fprint(state, c.String()) }

// NewGCM is how cipher.NewGCM finds ours. Nonces and tags of other lengths are computed block by block.
func (c *Cipher) NewGCM(nonceSize, tagSize int) (cipher.AEAD, error) {
	switch {
	case nonceSize == 12 && tagSize == aead.Overhead:
		c.gcm.once.Do(func() { c.gcm.aead, c.gcm.err = aead.New("sm4-gcm", c.key()) })
		if c.gcm.err != nil {
			return nil, c.gcm.err
		}
		return c.gcm.aead, nil
	case tagSize == aead.Overhead:
		return cipher.NewGCMWithNonceSize(single{c}, nonceSize)
	case nonceSize == 12:
		return cipher.NewGCMWithTagSize(single{c}, tagSize)
	}
	return nil, fault.New("invalid_option", "SM4-GCM has a nonce of 12 bytes or a tag of 16")
}

// NewCCM makes SM4-CCM of a nonce of 7 to 13 bytes, and a tag of 4, 6, 8, 10, 12, 14 or 16. It is also how the cipher package of emmansun/gmsm
// finds ours.
func (c *Cipher) NewCCM(nonceSize, tagSize int) (cipher.AEAD, error) {
	if nonceSize < 7 || nonceSize > 13 {
		return nil, fault.New("wrong_length", "the nonce of SM4-CCM has 7 to 13 bytes, not %d", nonceSize)
	}
	if tagSize < 4 || tagSize > 16 || tagSize%2 != 0 {
		return nil, fault.New("wrong_length", "the tag of SM4-CCM has 4, 6, 8, 10, 12, 14 or 16 bytes, not %d", tagSize)
	}
	if nonceSize == 12 && tagSize == aead.Overhead {
		return aead.New("sm4-ccm", c.key())
	}
	return &ccm{cbc: c.in(&c.cbc, "sm4-cbc"), ctr: c.in(&c.ctr, "sm4-ctr"), nonceSize: nonceSize, tagSize: tagSize}, nil
}

// NewCBCEncrypter is how cipher.NewCBCEncrypter finds ours.
func (c *Cipher) NewCBCEncrypter(iv []byte) cipher.BlockMode {
	return &cbcEncrypter{c.in(&c.cbc, "sm4-cbc"), ivOf(iv)}
}

// NewCBCDecrypter is how cipher.NewCBCDecrypter finds ours.
func (c *Cipher) NewCBCDecrypter(iv []byte) cipher.BlockMode {
	return &cbcDecrypter{c.in(&c.cbc, "sm4-cbc"), ivOf(iv)}
}

// NewCTR is how cipher.NewCTR finds ours.
func (c *Cipher) NewCTR(iv []byte) cipher.Stream {
	return &ctr{cipher: c.in(&c.ctr, "sm4-ctr"), counter: ivOf(iv)}
}

// NewECBEncrypter makes a BlockMode whose blocks do not depend on each other, which shows where blocks are equal.
func (c *Cipher) NewECBEncrypter() cipher.BlockMode { return ecbEncrypter{c} }

// NewECBDecrypter makes the other one.
func (c *Cipher) NewECBDecrypter() cipher.BlockMode { return ecbDecrypter{c} }

// in gives the key for a mode.
func (c *Cipher) in(m *mode, algorithm string) *native.Cipher {
	m.once.Do(func() { m.cipher, m.err = native.CipherNew(algorithm, c.key()) })
	if m.err != nil {
		// The key has its length, and the algorithm is there.
		panic(m.err.Error())
	}
	return m.cipher
}

// NewGCM makes SM4-GCM (RFC 8998) of a block of NewCipher.
func NewGCM(block cipher.Block) (cipher.AEAD, error) { return of(block).NewGCM(12, aead.Overhead) }

// NewCCM makes SM4-CCM (RFC 8998) of a block of NewCipher: nonces of 12 bytes, tags of 16.
func NewCCM(block cipher.Block) (cipher.AEAD, error) { return of(block).NewCCM(12, 16) }

// NewCBCEncrypter makes what encrypts in CBC. It panics where the IV does not have BlockSize bytes.
func NewCBCEncrypter(block cipher.Block, iv []byte) cipher.BlockMode {
	return of(block).NewCBCEncrypter(iv)
}

// NewCBCDecrypter makes what decrypts in CBC, likewise.
func NewCBCDecrypter(block cipher.Block, iv []byte) cipher.BlockMode {
	return of(block).NewCBCDecrypter(iv)
}

// NewCTR makes what encrypts and decrypts in counter mode, likewise.
func NewCTR(block cipher.Block, iv []byte) cipher.Stream { return of(block).NewCTR(iv) }

// NewECBEncrypter makes what encrypts in ECB.
func NewECBEncrypter(block cipher.Block) cipher.BlockMode { return of(block).NewECBEncrypter() }

// NewECBDecrypter makes what decrypts in ECB.
func NewECBDecrypter(block cipher.Block) cipher.BlockMode { return of(block).NewECBDecrypter() }

func of(block cipher.Block) *Cipher {
	c, ok := block.(*Cipher)
	if !ok {
		panic("sm4: the block is none of sm4.NewCipher")
	}
	return c
}

// EncryptCBCBatch encrypts messages in CBC, each with its own IV and without padding, in place. Sixteen messages together take about as long as
// one: CBC of one message is a chain in which each block waits for the one before it.
//
// The errors are wrong_length of an IV, and partial_block of a message that is not whole blocks; then no message has changed.
func EncryptCBCBatch(block cipher.Block, ivs, messages [][]byte) error {
	if len(ivs) != len(messages) {
		return fault.New("invalid_argument", "there are %d IVs for %d messages", len(ivs), len(messages))
	}
	nonces := make([]byte, 0, BlockSize*len(ivs))
	for _, iv := range ivs {
		if len(iv) != BlockSize {
			return fault.New("wrong_length", "an IV has %d bytes, not %d", len(iv), BlockSize)
		}
		nonces = append(nonces, iv...)
	}
	data, lengths, err := items.Join(messages)
	if err != nil {
		return err
	}
	c := of(block)
	if err := native.CipherEncryptBatch(c.in(&c.cbc, "sm4-cbc"), nonces, lengths, data, data); err != nil {
		return err
	}
	for _, message := range messages {
		data = data[copy(message, data):]
	}
	return nil
}

// single is a block of which crypto/cipher knows no more.
type single struct{ cipher.Block }

func encrypt(c *native.Cipher, iv, dst, src []byte) {
	if err := native.CipherEncrypt(c, iv, src, dst, noPadding); err != nil {
		panic("sm4: " + err.Error())
	}
}

func decrypt(c *native.Cipher, iv, dst, src []byte) {
	if _, err := native.CipherDecrypt(c, iv, src, dst, noPadding); err != nil {
		panic("sm4: " + err.Error())
	}
}

func ivOf(iv []byte) [BlockSize]byte {
	if len(iv) != BlockSize {
		panic("sm4: IV length must equal block size")
	}
	return [BlockSize]byte(iv)
}

func checkBlock(dst, src []byte) {
	if len(src) < BlockSize {
		panic("sm4: input not full block")
	}
	if len(dst) < BlockSize {
		panic("sm4: output not full block")
	}
	if alias.InexactOverlap(dst[:BlockSize], src[:BlockSize]) {
		panic("sm4: invalid buffer overlap")
	}
}

// checkBlocks returns the part of dst that is written to.
func checkBlocks(dst, src []byte) []byte {
	if len(src)%BlockSize != 0 {
		panic("sm4: input not full blocks")
	}
	return checkBytes(dst, src)
}

func checkBytes(dst, src []byte) []byte {
	if len(dst) < len(src) {
		panic("sm4: output smaller than input")
	}
	dst = dst[:len(src)]
	if alias.InexactOverlap(dst, src) {
		panic("sm4: invalid buffer overlap")
	}
	return dst
}
