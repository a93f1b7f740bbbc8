//go:build cgo

package sm3

import (
	"bytes"
	"encoding/hex"
	"hash"
	"strings"
	"sync"
	"testing"
)

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

func TestTheStandardsExamples(t *testing.T) {
	for message, want := range map[string]string{
		"abc":                      "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0",
		strings.Repeat("abcd", 16): "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732",
	} {
		if got := Sum([]byte(message)); hex.EncodeToString(got[:]) != want {
			t.Fatalf("%x", got)
		}
	}
}

// GM/T 0042-2015, appendix D.3.
func TestHMAC(t *testing.T) {
	key := make([]byte, 37)
	for i := range key {
		key[i] = byte(i + 1)
	}
	letters := strings.Repeat("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 2)
	for _, c := range []struct {
		key           []byte
		message, want string
	}{
		{key[:32], letters, "ca05e144ed05d1857840d1f318a4a8669e559fc8391f414485bfdf7bb408963a"},
		{key, strings.Repeat("\xcd", 50), "220bf579ded555393f0159f66c99877822a3ecf610d1552154b41d44b94db3ae"},
	} {
		m := NewHMAC(c.key)
		for range 2 {
			m.Write([]byte(c.message))
			if got := m.Sum(nil); hex.EncodeToString(got) != c.want {
				t.Fatalf("%x", got)
			}
			m.Reset()
		}
	}
}

// The buffer has 512 bytes: each split of a message around it, and of more.
func TestEachSplitOfWritesIsTheSame(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 511, 512, 513, 1025} {
		want := Sum(pattern(n))
		for at := range n + 1 {
			h := New()
			for _, part := range [][]byte{pattern(n)[:at], pattern(n)[at:]} {
				if taken, err := h.Write(part); taken != len(part) || err != nil {
					t.Fatal(taken, err)
				}
			}
			if got := h.Sum(nil); !bytes.Equal(got, want[:]) {
				t.Fatal(n, at)
			}
		}
	}
	h, want := New(), Sum(pattern(3000))
	for at, step := 0, 1; at < 3000; at, step = at+step, step%700+13 {
		h.Write(pattern(3000)[at:min(at+step, 3000)])
	}
	if !bytes.Equal(h.Sum(nil), want[:]) {
		t.Fatal("many parts")
	}
}

func TestSumAppendsAndChangesNothing(t *testing.T) {
	h := New()
	if h.Size() != 32 || h.BlockSize() != 64 {
		t.Fatal(h.Size(), h.BlockSize())
	}
	for _, n := range []int{0, 100, 700} {
		h.Reset()
		h.Write(pattern(n))
		want := Sum(pattern(n))
		for range 2 {
			for _, room := range []int{0, 40} {
				if got := h.Sum(append(make([]byte, 0, 3+room), "abc"...)); !bytes.Equal(got, append([]byte("abc"), want[:]...)) {
					t.Fatal(n)
				}
			}
		}
		h.Write(pattern(5))
		want = Sum(append(pattern(n), pattern(5)...))
		if !bytes.Equal(h.Sum(nil), want[:]) {
			t.Fatal(n, "after Sum")
		}
	}
}

func TestACloneGoesOnByItself(t *testing.T) {
	h := New()
	h.Write(pattern(600))
	clone, err := h.(hash.Cloner).Clone()
	if err != nil {
		t.Fatal(err)
	}
	h.Write([]byte("h"))
	clone.Write([]byte("clone"))
	for name, of := range map[string]hash.Hash{"h": h, "clone": clone} {
		if want := Sum(append(pattern(600), name...)); !bytes.Equal(of.Sum(nil), want[:]) {
			t.Fatal(name)
		}
	}
	h.Reset()
	if want := Sum(append(pattern(600), "clone"...)); !bytes.Equal(clone.Sum(nil), want[:]) {
		t.Fatal("Reset of one resets the other")
	}
}

func TestBatches(t *testing.T) {
	var messages [][]byte
	for n := range 200 {
		messages = append(messages, pattern(n))
	}
	digests := SumBatch(messages)
	for n, digest := range digests {
		if digest != Sum(pattern(n)) {
			t.Fatal(n)
		}
	}
	if len(digests) != 200 || len(SumBatch(nil)) != 0 {
		t.Fatal(len(digests))
	}
}

func TestManyGoroutines(t *testing.T) {
	want := Sum(pattern(1000))
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			h := New()
			for range 10 {
				h.Reset()
				h.Write(pattern(1000))
				if !bytes.Equal(h.Sum(nil), want[:]) {
					t.Error("another digest")
				}
			}
		})
	}
	group.Wait()
}
