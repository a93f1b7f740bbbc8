//go:build cgo

package sealstone

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

func TestQuick(t *testing.T) {
	id, err := GenerateIdentity("")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 16383, 16384, 16385, 32 * 16384, 32*16384 + 1, 3000000} {
		plain := make([]byte, n)
		rand.Read(plain)
		for _, o := range [][]Option{{}, {Armour()}} {
			var f bytes.Buffer
			w, err := Encrypt(&f, append(o, To(id.Recipient()))...)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(w, bytes.NewReader(plain)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := Decrypt(iotest.HalfReader(bytes.NewReader(f.Bytes())), With(id))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(got, plain) {
				t.Fatal(n, err, len(got))
			}
			if len(o) == 0 {
				for _, cut := range []int{1, 15, 16, 17, 16400} {
					if f.Len()-cut < 1400 {
						continue
					}
					r, err := Decrypt(bytes.NewReader(f.Bytes()[:f.Len()-cut]), With(id))
					if err != nil {
						continue
					}
					_, err = io.ReadAll(r)
					if !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrNotAuthentic) {
						t.Fatal(n, cut, err)
					}
				}
				ra, size, err := DecryptReaderAt(bytes.NewReader(f.Bytes()), int64(f.Len()), With(id))
				if err != nil || size != int64(n) {
					t.Fatal(n, size, err)
				}
				got, err := io.ReadAll(io.NewSectionReader(ra, 0, size))
				if err != nil || !bytes.Equal(got, plain) {
					t.Fatal(n, err)
				}
			}
		}
	}
}
