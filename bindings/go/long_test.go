//go:build cgo

package sealstone

import (
	"io"
	"os"
	"strings"
	"testing"
)

// zeros are bytes without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// 5 GiB pass through both directions. The most memory that the process has taken is reported, and decides nothing.
func TestLongStreamsPass(t *testing.T) {
	length := int64(5 << 30)
	if testing.Short() {
		length = 64 << 20
	}
	alice := generated(t, "x25519")
	from, to := io.Pipe()
	done := make(chan error, 1)
	go func() {
		w, err := Encrypt(to, To(alice.Recipient()))
		if err == nil {
			_, err = io.CopyN(w, zeros{}, length)
		}
		if err == nil {
			err = w.Close()
		}
		to.CloseWithError(err)
		done <- err
	}()
	r, err := Decrypt(from, With(alice))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if err != nil || n != length {
		t.Fatal(n, err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "VmHWM") {
			t.Logf("%d MiB; %s", length>>20, strings.Join(strings.Fields(line), " "))
		}
	}
}
