package peers

import (
	"bytes"
	"hash"
	"testing"

	emmansun "github.com/emmansun/gmsm/sm3"
	tjfoc "github.com/tjfoc/gmsm/sm3"

	compat "sealstone.example/go/compat/tjfoc/sm3"
	"sealstone.example/go/sm3"
)

func TestSM3(t *testing.T) {
	d := seeded(t)
	for _, n := range lengths(d) {
		data := d.bytes(n)
		want, theirs := emmansun.Sum(data), tjfoc.Sm3Sum(data)
		if sm3.Sum(data) != want || !bytes.Equal(compat.Sm3Sum(data), theirs) || !bytes.Equal(theirs, want[:]) {
			t.Fatal(n)
		}
	}
}

// Sum of tjfoc/gmsm writes its argument and returns the digest alone; writes and sums in any order give the same.
func TestSM3OfTjfocInAnyOrder(t *testing.T) {
	d := seeded(t)
	for range 300 {
		ours, theirs := compat.New(), tjfoc.New()
		for range d.IntN(8) {
			data := d.bytes(d.IntN(200))
			switch d.IntN(4) {
			case 0:
				// Only with room for the digest, or with none at all, is it defined where tjfoc's puts it.
				in := append(make([]byte, 0, len(data)+32*d.IntN(2)), data...)
				other := append(make([]byte, 0, cap(in)), data...)
				if got, want := ours.Sum(in), theirs.Sum(other); !bytes.Equal(got, want) || !bytes.Equal(in[:cap(in)], other[:cap(other)]) {
					t.Fatalf("%x %x", got, want)
				}
			case 1:
				if !bytes.Equal(ours.Sum(nil), theirs.Sum(nil)) {
					t.Fatal("Sum(nil)")
				}
			case 2:
				ours.Reset()
				theirs.Reset()
			default:
				ours.Write(data)
				theirs.Write(data)
			}
		}
		if !bytes.Equal(ours.Sum(nil), theirs.Sum(nil)) {
			t.Fatal("at the end")
		}
	}
	if ours, theirs := compat.New(), tjfoc.New(); ours.Size() != theirs.Size() || ours.BlockSize() != theirs.BlockSize() {
		t.Fatal("sizes")
	}
	var _ hash.Hash = (*compat.SM3)(nil)
}

func FuzzSM3(f *testing.F) {
	f.Add([]byte("abc"), uint16(1))
	f.Add(bytes.Repeat([]byte{7}, 600), uint16(513))
	f.Fuzz(func(t *testing.T, data []byte, at uint16) {
		cut := min(int(at), len(data))
		h, other := sm3.New(), compat.New()
		for _, part := range [][]byte{data[:cut], data[cut:]} {
			h.Write(part)
			other.Write(part)
		}
		want := emmansun.Sum(data)
		if !bytes.Equal(h.Sum(nil), want[:]) || !bytes.Equal(other.Sum(nil), want[:]) || !bytes.Equal(tjfoc.Sm3Sum(data), want[:]) {
			t.Fatal("digests differ")
		}
	})
}
