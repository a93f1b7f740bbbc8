//go:build cgo

package sealstone

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// Lengths at and around the borders of chunks and units.
var lengths = []int{0, 1, 16383, 16384, 16385, 32*16384 - 1, 32 * 16384, 32*16384 + 1, 3_000_000}

func random(t testing.TB, length int) []byte {
	t.Helper()
	b := make([]byte, length)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return b
}

func sealed(t testing.TB, plain []byte, options ...Option) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := Encrypt(&file, options...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error("a second Close:", err)
	}
	if _, err := w.Write([]byte("more")); err == nil {
		t.Error("a file that has ended takes more")
	}
	return file.Bytes()
}

func TestStreamsComeBackInPartsOfAnyLength(t *testing.T) {
	alice := generated(t, "")
	for _, length := range lengths {
		plain := random(t, length)
		for name, options := range map[string][]Option{"file": {}, "armour": {Armour()}, "one thread": {Threads(1)}} {
			var file bytes.Buffer
			w, err := Encrypt(&file, append(options, To(alice.Recipient()))...)
			if err != nil {
				t.Fatal(err)
			}
			// In parts that grow: 1, 2, 4, … bytes.
			for rest, n := plain, 1; len(rest) > 0; n *= 2 {
				taken, err := w.Write(rest[:min(n, len(rest))])
				if err != nil {
					t.Fatal(err)
				}
				rest = rest[taken:]
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for way, of := range map[string]func(io.Reader) io.Reader{"half": iotest.HalfReader, "late": iotest.DataErrReader} {
				r, err := Decrypt(of(bytes.NewReader(file.Bytes())), With(alice))
				if err != nil {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plain) {
					t.Errorf("%d bytes as %s, %s: %d bytes came back, %v", length, name, way, len(got), err)
				}
				if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
					t.Error("after the end:", n, err)
				}
			}
		}
	}
}

func TestTheReaderIsOneOfGos(t *testing.T) {
	alice, plain := generated(t, "x25519"), random(t, 100_000)
	r, err := Decrypt(bytes.NewReader(sealed(t, plain, To(alice.Recipient()))), With(alice))
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(r, plain); err != nil {
		t.Error(err)
	}
}

// Of files on a disk one goroutine reads while another writes.
func TestFilesOnADiskAreCopied(t *testing.T) {
	alice, folder := generated(t, "x25519"), t.TempDir()
	name := func(of string) string { return filepath.Join(folder, of) }
	for _, length := range lengths {
		plain := random(t, length)
		if err := os.WriteFile(name("film"), plain, 0o600); err != nil {
			t.Fatal(err)
		}
		from, err := os.Open(name("film"))
		if err != nil {
			t.Fatal(err)
		}
		to, err := os.Create(name("film.seal"))
		if err != nil {
			t.Fatal(err)
		}
		w, err := Encrypt(to, To(alice.Recipient()))
		if err != nil {
			t.Fatal(err)
		}
		// What was written before is in front of it.
		if _, err := io.WriteString(w, "before "); err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(w, from); err != nil || n != int64(length) {
			t.Fatal(n, err)
		}
		if _, err := io.WriteString(w, " behind"); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Close(), from.Close(), to.Close()); err != nil {
			t.Fatal(err)
		}

		file, err := os.Open(name("film.seal"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Decrypt(file, With(alice))
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if _, err := io.CopyN(&got, r, 7); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&got, r); err != nil {
			t.Fatal(err)
		}
		if want := "before " + string(plain) + " behind"; got.String() != want {
			t.Errorf("%d bytes came back, and not %d", got.Len(), len(want))
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

var errBroken = errors.New("broken")

// broken takes some bytes, and then fails.
type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestAWriterThatFailsEndsTheStream(t *testing.T) {
	alice, plain := generated(t, "x25519"), random(t, 3_000_000)
	name := filepath.Join(t.TempDir(), "film")
	if err := os.WriteFile(name, plain, 0o600); err != nil {
		t.Fatal(err)
	}
	file := name + ".seal"
	if err := os.WriteFile(file, sealed(t, plain, To(alice.Recipient())), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{1000, 600_000, 1_500_000, 3_000_000} {
		for _, source := range []func() io.Reader{
			func() io.Reader { return bytes.NewReader(plain) },
			func() io.Reader { return opened(t, name) },
		} {
			w, err := Encrypt(&broken{left}, To(alice.Recipient()))
			if err == nil {
				_, err = io.Copy(w, source())
				if closed := w.Close(); err == nil {
					err = closed
				}
			}
			if err != errBroken {
				t.Errorf("after %d bytes: %v", left, err)
			}
		}
		r, err := Decrypt(opened(t, file), With(alice))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&broken{left - 500}, r); left < len(plain) && err != errBroken {
			t.Errorf("after %d bytes of plaintext: %v", left, err)
		}
		// The stream goes on behind the unit that the writer did not take.
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Error(err)
		}
	}
}

func opened(t *testing.T, name string) *os.File {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func TestAFileThatWasChangedEndsInItsError(t *testing.T) {
	alice, plain := generated(t, "x25519"), random(t, 3_000_000)
	whole := sealed(t, plain, To(alice.Recipient()))
	folder := t.TempDir()
	read := func(way string, file []byte) ([]byte, error) {
		source := io.Reader(bytes.NewReader(file))
		if way == "disk" {
			name := filepath.Join(folder, "film.seal")
			if err := os.WriteFile(name, file, 0o600); err != nil {
				t.Fatal(err)
			}
			source = opened(t, name)
		}
		r, err := Decrypt(source, With(alice))
		if err != nil {
			return nil, err
		}
		var got bytes.Buffer
		_, err = io.Copy(&got, r)
		return got.Bytes(), err
	}
	for _, way := range []string{"memory", "disk"} {
		for _, cut := range []int{1, 15, 16, 17, 1000, 16_400, 600_000, 2_900_000} {
			got, err := read(way, whole[:len(whole)-cut])
			if !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrNotAuthentic) || !bytes.HasPrefix(plain, got) {
				t.Errorf("%s, %d bytes less: %d bytes, %v", way, cut, len(got), err)
			}
		}
		for _, at := range []int{20_000, 700_000, 1_500_000, len(whole) - 1} {
			changed := bytes.Clone(whole)
			changed[at] ^= 1
			got, err := read(way, changed)
			if !errors.Is(err, ErrNotAuthentic) || !bytes.HasPrefix(plain, got) || len(got) > at {
				t.Errorf("%s, byte %d changed: %d bytes, %v", way, at, len(got), err)
			}
		}
		if got, err := read(way, append(bytes.Clone(whole), 0)); !errors.Is(err, ErrNotAuthentic) || !bytes.HasPrefix(plain, got) {
			t.Errorf("%s, a byte more: %v", way, err)
		}
	}
	source := io.MultiReader(bytes.NewReader(whole[:1_000_000]), iotest.ErrReader(errBroken))
	r, err := Decrypt(source, With(alice))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != errBroken || !bytes.HasPrefix(plain, got) || len(got) < 900_000 {
		t.Errorf("a source that fails: %d bytes, %v", len(got), err)
	}
}

func TestPartsAreReadInAnyOrder(t *testing.T) {
	alice := generated(t, "x25519")
	for _, length := range lengths {
		plain := random(t, length)
		file := sealed(t, plain, To(alice.Recipient()))
		r, size, err := DecryptReaderAt(bytes.NewReader(file), int64(len(file)), With(alice))
		if err != nil || size != int64(length) {
			t.Fatal(size, err)
		}
		var group sync.WaitGroup
		for at := 0; at < length; at += max(length/7, 1) {
			group.Go(func() {
				for _, n := range []int{1, 16384, 40_000} {
					got := make([]byte, n)
					read, err := r.ReadAt(got, int64(at))
					want := plain[at:min(at+n, length)]
					if !bytes.Equal(got[:read], want) || (err == io.EOF) != (len(want) < n) {
						t.Errorf("%d bytes of %d from %d on: %d, %v", n, length, at, read, err)
					}
				}
			})
		}
		group.Wait()
		if n, err := r.ReadAt(make([]byte, 1), int64(length)); n != 0 || err != io.EOF {
			t.Error("at the end:", n, err)
		}
		if _, err := r.ReadAt(nil, -1); err == nil {
			t.Error("an offset below 0")
		}
		for _, cut := range []int{1, 16, 20} {
			if _, _, err := DecryptReaderAt(bytes.NewReader(file), int64(len(file)-cut), With(alice)); !errors.As(err, new(*Error)) {
				t.Errorf("%d bytes less: %v", cut, err)
			}
		}
	}
}

// Ten thousand goroutines use the same keys, as `go test -race` of `make test-release` looks at.
func TestManyGoroutinesShareKeys(t *testing.T) {
	count := 10_000
	if testing.Short() {
		count = 200
	}
	alice, plain := generated(t, "x25519"), random(t, 20_000)
	file := sealed(t, plain, To(alice.Recipient()))
	key, err := NewChunkedKey("sm4-gcm", make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, count)
	for range count {
		go func() {
			r, err := Decrypt(bytes.NewReader(file), With(alice))
			if err == nil {
				var got []byte
				if got, err = io.ReadAll(r); err == nil && !bytes.Equal(got, plain) {
					err = fmt.Errorf("%d other bytes", len(got))
				}
			}
			if err == nil {
				_, err = key.Encrypt(nil, plain)
			}
			errs <- err
		}()
	}
	for range count {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// One call may have an identity twice, and two calls two identities in either order, while others close them.
func TestIdentitiesThatCloseHoldUpNoCall(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 2000 {
			a, err := GenerateIdentity("x25519")
			if err != nil {
				t.Error(err)
				return
			}
			b, err := GenerateIdentity("x25519")
			if err != nil {
				t.Error(err)
				return
			}
			var group sync.WaitGroup
			group.Go(func() { Decrypt(bytes.NewReader(nil), With(a, b, a, b, a, b)) })
			group.Go(func() { Decrypt(bytes.NewReader(nil), With(b, a, b, a, b, a)) })
			group.Go(func() { a.Close() })
			group.Go(func() { b.Close() })
			group.Wait()
			if _, err := a.Export("age", nil); !errors.Is(err, ErrInvalidArgument) {
				t.Error("a closed identity is exported:", err)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("calls wait for each other")
	}
}

// rude panics, or ends its goroutine, when it has read or written so many bytes.
type rude struct {
	bytes.Buffer
	left   int
	isExit bool
}

func (r *rude) be(n int) {
	if r.left -= n; r.left >= 0 {
		return
	}
	if r.isExit {
		runtime.Goexit()
	}
	panic(r)
}

func (r *rude) Write(p []byte) (int, error) {
	r.be(len(p))
	return r.Buffer.Write(p)
}

func (r *rude) Read(p []byte) (int, error) {
	n, err := r.Buffer.Read(p)
	r.be(n)
	return n, err
}

// onDisk says that it is a file.
type onDisk struct {
	io.Reader
	file *os.File
}

func (f onDisk) Stat() (os.FileInfo, error) { return f.file.Stat() }

// A panic in a reader or a writer comes out of the call, also where that uses another goroutine: there nobody could recover it, and the
// process would end. The file does not go on behind it, and no goroutine is left.
func TestPanicsOfReadersAndWriters(t *testing.T) {
	plain := random(t, 12_000_000)
	name := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(name, plain, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	identity, ciphertext := sealedFor(t, plain)
	before := runtime.NumGoroutine()
	for _, isExit := range []bool{false, true} {
		for _, left := range []int{0, 1000, 600_000, 3_000_000} {
			fall := func(what string, call func(r *rude)) {
				r, came := &rude{left: left, isExit: isExit}, any(nil)
				done := make(chan bool)
				go func() {
					isDone := false
					defer func() { came = recover(); done <- isDone }()
					call(r)
					isDone = true
				}()
				if isDone := <-done; isDone || !isExit && came != any(r) || isExit && came != nil {
					t.Error(what, left, isExit, isDone, came)
				}
			}
			for what, source := range map[string]func() io.Reader{
				"bytes": func() io.Reader { return bytes.NewReader(plain) },
				"file":  func() io.Reader { return onDisk{bytes.NewReader(plain), file} },
			} {
				var w io.WriteCloser
				fall("writer of "+what, func(r *rude) {
					var err error
					if w, err = Encrypt(r, To(identity.Recipient())); err != nil {
						t.Error(err)
					}
					io.Copy(w, source())
				})
				if w == nil {
					continue
				}
				if _, err := w.Write(plain[:1]); err != errPanicked || w.Close() != errPanicked {
					t.Error("the file goes on", what, left, err)
				}
			}
			for _, isFile := range []bool{false, true} {
				var out bytes.Buffer
				w, err := Encrypt(&out, To(identity.Recipient()))
				if err != nil {
					t.Fatal(err)
				}
				fall("reader of a writer", func(r *rude) {
					r.Buffer.Write(plain)
					if isFile {
						io.Copy(w, onDisk{r, file})
					} else {
						io.Copy(w, struct{ io.Reader }{r})
					}
				})
				if err := w.Close(); err != errPanicked {
					t.Error("the file ends", left, err)
				}
				var reader io.Reader
				fall("reader", func(r *rude) {
					r.Buffer.Write(ciphertext)
					source := io.Reader(struct{ io.Reader }{r})
					if isFile {
						source = onDisk{r, file}
					}
					var err error
					if reader, err = Decrypt(source, With(identity)); err != nil {
						t.Error(err)
					}
					io.Copy(io.Discard, reader)
				})
				if reader != nil && isFile {
					if _, err := reader.Read(make([]byte, 1)); err != errPanicked {
						t.Error("the file goes on", left, err)
					}
				}
				fall("writer of a reader", func(r *rude) {
					source := io.Reader(bytes.NewReader(ciphertext))
					if isFile {
						source = onDisk{source, file}
					}
					reader, err := Decrypt(source, With(identity))
					if err != nil {
						t.Error(err)
					}
					io.Copy(r, reader)
				})
			}
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal(runtime.NumGoroutine()-before, "goroutines are left")
}

func sealedFor(t testing.TB, plain []byte) (*Identity, []byte) {
	t.Helper()
	identity, err := GenerateIdentity("x25519")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := Encrypt(&out, To(identity.Recipient()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return identity, out.Bytes()
}

type lying int

func (n lying) Write(p []byte) (int, error) { return len(p) * int(n), nil }

func TestAWriterThatLiesIsAnError(t *testing.T) {
	identity, ciphertext := sealedFor(t, random(t, 100_000))
	for _, n := range []lying{2, -1} {
		reader, err := Decrypt(bytes.NewReader(ciphertext), With(identity))
		if err != nil {
			t.Fatal(err)
		}
		if total, err := io.Copy(n, reader); err != errInvalidWrite || total != 0 {
			t.Fatal(total, err)
		}
		if rest, err := io.ReadAll(reader); err != nil || len(rest) != 100_000 {
			t.Fatal(len(rest), err)
		}
	}
}

// All of the units that may be at work have memory of their own, so that no number of threads is one of units.
func TestAnyNumberOfThreads(t *testing.T) {
	for _, count := range []int{math.MinInt, 0, 1, 3, math.MaxInt32, math.MaxInt} {
		s, err := read([]Option{Threads(count)}, "Threads")
		if err != nil || s.encryption.Threads < 1 || s.ahead() < 1 || s.ahead() > max(runtime.NumCPU(), runtime.GOMAXPROCS(0)) {
			t.Fatal(count, s, err)
		}
	}
	identity, ciphertext := sealedFor(t, random(t, 5_000_000))
	reader, err := Decrypt(bytes.NewReader(ciphertext), With(identity), Threads(math.MaxInt))
	if err != nil {
		t.Fatal(err)
	}
	w, err := Encrypt(io.Discard, To(identity.Recipient()), Threads(math.MaxInt))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, reader); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if _, err := Encrypt(io.Discard, To(identity.Recipient()), nil); !errors.Is(err, ErrInvalidOption) {
		t.Fatal("an option that is nil:", err)
	}
}
