//go:build cgo

package sm3

import (
	"bytes"
	"crypto/hmac"
	"testing"

	"sealstone.example/go/sm3"
)

func TestSumWritesItsArgumentAndReturnsTheDigestAlone(t *testing.T) {
	want := Sm3Sum([]byte("abcdef"))
	for _, room := range []int{0, 31, 32, 64} {
		h := New()
		h.Write([]byte("abc"))
		in := append(make([]byte, 0, 3+room), "def"...)
		if got := h.Sum(in); !bytes.Equal(got, want) {
			t.Fatalf("%d: %x", room, got)
		}
		// As in tjfoc's, it was written.
		if got := h.Sum(nil); !bytes.Equal(got, want) {
			t.Fatalf("%d, again: %x", room, got)
		}
		if room >= 32 && !bytes.Equal(in[:35], append([]byte("def"), want...)) {
			t.Fatal("the digest is not behind its argument")
		}
	}
}

func TestTheZeroValueIsReset(t *testing.T) {
	var s SM3
	if got := s.Sum(nil); !bytes.Equal(got, Sm3Sum(nil)) {
		t.Fatalf("%x", got)
	}
	var w SM3
	w.Write([]byte("abc"))
	w.Reset()
	if got := w.Sum(nil); !bytes.Equal(got, Sm3Sum(nil)) || w.Size() != 32 || w.BlockSize() != 64 {
		t.Fatalf("%x", got)
	}
}

func TestHMACOverItIsHMAC(t *testing.T) {
	for _, n := range []int{0, 1, 64, 65} {
		ours, theirs := hmac.New(New, make([]byte, n)), sm3.NewHMAC(make([]byte, n))
		ours.Write([]byte("message"))
		theirs.Write([]byte("message"))
		if !bytes.Equal(ours.Sum(nil), theirs.Sum(nil)) {
			t.Fatal(n)
		}
	}
	if _, ok := New().(*SM3); !ok {
		t.Fatal("New has another type")
	}
}
