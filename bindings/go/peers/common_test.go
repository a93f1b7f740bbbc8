package peers

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// draws is a generator with a fixed seed, one for each test.
type draws struct{ *rand.Rand }

func seeded(t testing.TB) draws {
	t.Helper()
	var seed [32]byte
	copy(seed[:], t.Name())
	return draws{rand.New(rand.NewChaCha8(seed))}
}

// bytes has no room behind it: tjfoc/gmsm appends to what it is given.
func (d draws) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

// roomy is b with zeros behind it, and clean is whether they are still there: Sm4GCM of tjfoc/gmsm reads there when it decrypts.
func roomy(b []byte) []byte { return append(bytes.Clone(b), make([]byte, 32)...)[:len(b)] }

// tight has no room behind it.
func tight(b []byte) []byte { return append(make([]byte, 0, len(b)), b...) }

// lengths are those around blocks, and some drawn ones.
func lengths(d draws) (found []int) {
	for n := range 130 {
		found = append(found, n)
	}
	for range 20 {
		found = append(found, d.IntN(3000))
	}
	return found
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
