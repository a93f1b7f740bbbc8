package sm4

import (
	"crypto/subtle"
	"encoding/binary"

	"sealstone.example/go/internal/alias"
	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// ccm is CCM (SP 800-38C) of CBC and of the counter mode of native code, for the lengths that native code's own has not.
type ccm struct {
	cbc, ctr           *native.Cipher
	nonceSize, tagSize int
}

func (c *ccm) NonceSize() int { return c.nonceSize }
func (c *ccm) Overhead() int  { return c.tagSize }

func (c *ccm) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	c.checkNonce(nonce)
	if !c.fits(len(plaintext)) {
		panic("sm4: message too large for CCM")
	}
	all, room := alias.Append(dst, len(plaintext)+c.tagSize)
	checkOverlap(room, plaintext, additionalData)
	tag := c.tag(nonce, plaintext, additionalData)
	if len(plaintext) > 0 {
		encrypt(c.ctr, c.counter(nonce, 1), room[:len(plaintext)], plaintext)
	}
	copy(room[len(plaintext):], tag[:c.tagSize])
	return all
}

func (c *ccm) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	c.checkNonce(nonce)
	length := len(ciphertext) - c.tagSize
	if length < 0 || !c.fits(length) {
		return nil, fault.New("not_authentic", "not authentic")
	}
	all, room := alias.Append(dst, length)
	checkOverlap(room, ciphertext, additionalData)
	// In memory of its own: the tag is that of the plaintext, and what is not authentic does not appear in dst.
	plaintext := make([]byte, length)
	defer clear(plaintext)
	if length > 0 {
		encrypt(c.ctr, c.counter(nonce, 1), plaintext, ciphertext[:length])
	}
	tag := c.tag(nonce, plaintext, additionalData)
	if subtle.ConstantTimeCompare(tag[:c.tagSize], ciphertext[length:]) != 1 {
		clear(room)
		return nil, fault.New("not_authentic", "not authentic")
	}
	copy(room, plaintext)
	return all, nil
}

// fits reports whether the field of the length has room for it: of 15 bytes, those that the nonce leaves.
func (c *ccm) fits(length int) bool {
	room := 15 - c.nonceSize
	return room >= 8 || uint64(length) < 1<<(8*room)
}

func (c *ccm) checkNonce(nonce []byte) {
	if len(nonce) != c.nonceSize {
		panic("sm4: incorrect nonce length given to CCM")
	}
}

func checkOverlap(room, input, additionalData []byte) {
	if alias.InexactOverlap(room, input) || alias.Overlap(room, additionalData) {
		panic("sm4: invalid buffer overlap")
	}
}

// counter is a block of the counter mode (SP 800-38C, A.3).
func (c *ccm) counter(nonce []byte, number byte) []byte {
	block := make([]byte, BlockSize)
	block[0] = byte(14 - c.nonceSize)
	copy(block[1:], nonce)
	block[15] = number
	return block
}

// tag is the encrypted end of CBC over the blocks of A.2: parameters, additional data behind their length, plaintext.
func (c *ccm) tag(nonce, plaintext, additionalData []byte) [BlockSize]byte {
	blocks := make([]byte, BlockSize, 3*BlockSize+len(additionalData)+BlockSize+len(plaintext)+BlockSize)
	binary.BigEndian.PutUint64(blocks[8:], uint64(len(plaintext)))
	blocks[0] = byte(8*((c.tagSize-2)/2) + (14 - c.nonceSize))
	if len(additionalData) > 0 {
		blocks[0] += 64
	}
	copy(blocks[1:], nonce)
	switch n := len(additionalData); {
	case n == 0:
	case n < 0xff00:
		blocks = binary.BigEndian.AppendUint16(blocks, uint16(n))
	case uint64(n) < 1<<32:
		blocks = binary.BigEndian.AppendUint32(append(blocks, 0xff, 0xfe), uint32(n))
	default:
		blocks = binary.BigEndian.AppendUint64(append(blocks, 0xff, 0xff), uint64(n))
	}
	blocks = whole(append(blocks, additionalData...))
	blocks = whole(append(blocks, plaintext...))
	defer clear(blocks)
	encrypt(c.cbc, make([]byte, BlockSize), blocks, blocks)
	tag := [BlockSize]byte(blocks[len(blocks)-BlockSize:])
	encrypt(c.ctr, c.counter(nonce, 0), tag[:], tag[:])
	return tag
}

// whole appends zeros to the end of a block.
func whole(blocks []byte) []byte {
	return append(blocks, make([]byte, -len(blocks)&(BlockSize-1))...)
}
