// Package sm3 has the names of github.com/tjfoc/gmsm/sm3 1.4.1 over Sealstone's SM3: a program changes its import, and nothing else.
//
// New code uses sealstone.example/go/sm3, whose Sum is that of hash.Hash. See docs/guide/from-gmsm.md.
package sm3

import (
	"hash"

	"sealstone.example/go/sm3"
)

// SM3 is a digest in progress. The zero value has taken nothing, as after Reset; tjfoc's needs Reset before its first use.
//
// Unlike tjfoc's it must not be copied.
type SM3 struct {
	_    noCopy
	hash hash.Hash
}

// New begins a digest. Its type is *SM3. It panics without cgo.
func New() hash.Hash {
	s := &SM3{}
	s.Reset()
	return s
}

// Sm3Sum returns the digest of data, 32 bytes. It panics without cgo.
func Sm3Sum(data []byte) []byte {
	digest := sm3.Sum(data)
	return digest[:]
}

// BlockSize returns the length of a block: 64 bytes.
func (s *SM3) BlockSize() int { return sm3.BlockSize }

// Size returns the length of a digest: 32 bytes.
func (s *SM3) Size() int { return sm3.Size }

// Reset forgets what was written.
func (s *SM3) Reset() {
	if s.hash == nil {
		s.hash = sm3.New()
		return
	}
	s.hash.Reset()
}

// Write takes more data. It returns no error.
func (s *SM3) Write(p []byte) (int, error) {
	if s.hash == nil {
		s.Reset()
	}
	return s.hash.Write(p)
}

// Sum writes in, as Write does, and returns the digest alone, as tjfoc's does.
//
// This is not what hash.Hash says: there Sum appends the digest of what was written before. Both are the same for nil. The digest lies behind in
// where that has room for it, as in tjfoc's.
func (s *SM3) Sum(in []byte) []byte {
	s.Write(in)
	return s.hash.Sum(in)[len(in):]
}

// noCopy makes go vet complain about copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
