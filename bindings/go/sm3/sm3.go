// Package sm3 has the hash SM3 (GB/T 32905) behind the interface hash.Hash.
package sm3

import (
	"crypto/hmac"
	"hash"

	"sealstone.example/go/internal/items"
	"sealstone.example/go/internal/native"
)

// Size is the length of a digest, in bytes.
const Size = 32

// BlockSize is the length of a block, in bytes.
const BlockSize = 64

// Sum returns the digest of data. It panics without cgo.
func Sum(data []byte) (digest [Size]byte) {
	check(native.HashInto("sm3", data, digest[:]))
	return digest
}

// SumBatch returns the digests of many messages, in one call of native code.
func SumBatch(messages [][]byte) [][Size]byte {
	data, lengths, err := items.Join(messages)
	check(err)
	all, digests := make([]byte, Size*len(messages)), make([][Size]byte, len(messages))
	check(native.HashBatch("sm3", data, lengths, all))
	for i := range digests {
		digests[i] = [Size]byte(all[i*Size:])
	}
	return digests
}

// New begins a digest. It panics without cgo.
func New() hash.Hash {
	d := &digest{}
	d.Reset()
	return d
}

// NewHMAC begins an HMAC-SM3.
func NewHMAC(key []byte) hash.Hash { return hmac.New(New, key) }

// bufferLen is how many bytes are taken together: a call of native code costs as much as the hash of some dozen bytes.
const bufferLen = 512

type digest struct {
	hasher *native.Hasher
	buffer [bufferLen]byte
	held   int
}

func (d *digest) Size() int      { return Size }
func (d *digest) BlockSize() int { return BlockSize }

func (d *digest) Reset() {
	hasher, err := native.HasherNew("sm3")
	check(err)
	d.hasher, d.held = hasher, 0
	clear(d.buffer[:])
}

func (d *digest) Write(p []byte) (int, error) {
	n := len(p)
	if d.held > 0 || len(p) < bufferLen {
		taken := copy(d.buffer[d.held:], p)
		d.held += taken
		if p = p[taken:]; d.held == bufferLen {
			d.flush()
		}
	}
	if len(p) >= bufferLen {
		check(native.HasherUpdate(d.hasher, p))
		p = nil
	}
	d.held += copy(d.buffer[d.held:], p)
	return n, nil
}

func (d *digest) flush() {
	check(native.HasherUpdate(d.hasher, d.buffer[:d.held]))
	d.held = 0
}

func (d *digest) Sum(b []byte) []byte {
	d.flush()
	digest, err := native.HasherDigest(d.hasher, Size)
	check(err)
	return append(b, digest...)
}

// Clone returns another digest that has taken the same, and goes on by itself (hash.Cloner).
func (d *digest) Clone() (hash.Cloner, error) {
	hasher, err := native.HasherClone(d.hasher)
	if err != nil {
		return nil, err
	}
	other := *d
	other.hasher = hasher
	return &other, nil
}

func check(err error) {
	if err != nil {
		panic("sm3: " + err.Error())
	}
}
