package sm4

import (
	"encoding/binary"
	"math/bits"

	"sealstone.example/go/internal/alias"
	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

type ecbEncrypter struct{ c *Cipher }

func (m ecbEncrypter) BlockSize() int { return BlockSize }

func (m ecbEncrypter) CryptBlocks(dst, src []byte) {
	if dst = checkBlocks(dst, src); len(src) > 0 {
		encrypt(m.c.ecb, nil, dst, src)
	}
}

type ecbDecrypter struct{ c *Cipher }

func (m ecbDecrypter) BlockSize() int { return BlockSize }

func (m ecbDecrypter) CryptBlocks(dst, src []byte) {
	if dst = checkBlocks(dst, src); len(src) > 0 {
		decrypt(m.c.ecb, nil, dst, src)
	}
}

type cbcEncrypter struct {
	cipher *native.Cipher
	iv     [BlockSize]byte
}

func (m *cbcEncrypter) BlockSize() int { return BlockSize }

func (m *cbcEncrypter) CryptBlocks(dst, src []byte) {
	if dst = checkBlocks(dst, src); len(src) > 0 {
		encrypt(m.cipher, m.iv[:], dst, src)
		m.iv = [BlockSize]byte(dst[len(dst)-BlockSize:])
	}
}

// SetIV begins another message, as the BlockModes of crypto/cipher do.
func (m *cbcEncrypter) SetIV(iv []byte) { m.iv = ivOf(iv) }

type cbcDecrypter struct {
	cipher *native.Cipher
	iv     [BlockSize]byte
}

func (m *cbcDecrypter) BlockSize() int { return BlockSize }

func (m *cbcDecrypter) CryptBlocks(dst, src []byte) {
	if dst = checkBlocks(dst, src); len(src) > 0 {
		// The plaintext may take its place.
		next := [BlockSize]byte(src[len(src)-BlockSize:])
		decrypt(m.cipher, m.iv[:], dst, src)
		m.iv = next
	}
}

// SetIV begins another message.
func (m *cbcDecrypter) SetIV(iv []byte) { m.iv = ivOf(iv) }

type ctr struct {
	cipher  *native.Cipher
	counter [BlockSize]byte
	// used is how many bytes of the keystream of this counter were used.
	used int
}

func (m *ctr) XORKeyStream(dst, src []byte) {
	dst = checkBytes(dst, src)
	if m.used > 0 {
		n := min(BlockSize-m.used, len(src))
		var block [BlockSize]byte
		copy(block[m.used:], src[:n])
		encrypt(m.cipher, m.counter[:], block[:], block[:])
		copy(dst[:n], block[m.used:])
		dst, src = dst[n:], src[n:]
		if m.used += n; m.used == BlockSize {
			m.advance(1)
			m.used = 0
		}
	}
	if len(src) > 0 {
		encrypt(m.cipher, m.counter[:], dst, src)
		m.advance(uint64(len(src) / BlockSize))
		m.used = len(src) % BlockSize
	}
}

// advance adds to the counter, of 128 bits with the highest byte first.
func (m *ctr) advance(blocks uint64) {
	high, low := binary.BigEndian.Uint64(m.counter[:8]), binary.BigEndian.Uint64(m.counter[8:])
	low, carry := bits.Add64(low, blocks, 0)
	binary.BigEndian.PutUint64(m.counter[:8], high+carry)
	binary.BigEndian.PutUint64(m.counter[8:], low)
}

// XTS is SM4-XTS, for sectors of a disk: it authenticates nothing.
type XTS struct{ cipher *native.Cipher }

// NewXTS makes SM4-XTS of a key of 32 bytes, with the tweak of GB/T 17964-2021, or of IEEE 1619.
func NewXTS(key []byte, isIEEE bool) (*XTS, error) {
	algorithm := "sm4-xts"
	if isIEEE {
		algorithm = "sm4-xts-ieee"
	}
	made, err := native.CipherNew(algorithm, key)
	if err != nil {
		return nil, err
	}
	return &XTS{made}, nil
}

// Encrypt encrypts a data unit of 16 bytes or more into dst, whose memory may be the same. The tweak is its number, 16 bytes. The errors are
// wrong_length and partial_block.
func (x *XTS) Encrypt(dst, src, tweak []byte) error {
	if len(dst) < len(src) || alias.InexactOverlap(dst[:len(src)], src) {
		return fault.New("invalid_argument", "the output is shorter than the input, or overlaps it")
	}
	return native.CipherEncrypt(x.cipher, tweak, src, dst[:len(src)], noPadding)
}

// Decrypt decrypts a data unit, likewise.
func (x *XTS) Decrypt(dst, src, tweak []byte) error {
	if len(dst) < len(src) || alias.InexactOverlap(dst[:len(src)], src) {
		return fault.New("invalid_argument", "the output is shorter than the input, or overlaps it")
	}
	_, err := native.CipherDecrypt(x.cipher, tweak, src, dst[:len(src)], noPadding)
	return err
}
