package sealstone

import (
	"errors"
	"io"
	"sync"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// unitChunks is how many chunks a goroutine seals or opens at a time.
const unitChunks = 32

// tagLen is the length of the tag behind each chunk.
const tagLen = 16

// unit is memory for chunks, each with room for its tag behind it.
type unit struct {
	places []byte
	// err is the error of the work, when that is done.
	err  error
	done chan struct{}
}

// units are those that are not in use. They are zero.
var units = sync.Pool{New: func() any {
	return &unit{places: make([]byte, unitChunks*native.SealedChunkLen())}
}}

func takeUnit() *unit {
	u := units.Get().(*unit)
	u.places, u.err, u.done = u.places[:unitChunks*native.SealedChunkLen()], nil, nil
	return u
}

// release zeroes what was used of a unit, and gives it back.
func (u *unit) release(used int) {
	clear(u.places[:used])
	if cap(u.places) > 0 {
		units.Put(u)
	}
}

// start has a goroutine do work on the unit.
func (u *unit) start(work func() error) {
	u.done = make(chan struct{})
	go func() {
		defer close(u.done)
		u.err = work()
	}()
}

// Encrypt begins a file that is written to dst as plaintext is written to the result, whose Close ends the file: without it the file does not
// open. Units of 512 KiB are sealed by several goroutines; dst is written to only within Write and Close, in order. After an error all later
// calls return it, and dst holds no whole file. The options are To, Suite, Context, Threads, AllowMixed, WithProfile and Armour.
func Encrypt(dst io.Writer, options ...Option) (io.WriteCloser, error) {
	s, err := read(options, "To", "Suite", "Context", "Threads", "AllowMixed", "WithProfile", "Armour")
	if err != nil {
		return nil, err
	}
	var armour *native.Armour
	if s.encryption.Armour == yes {
		if armour, err = native.ArmourNew(); err != nil {
			return nil, err
		}
	}
	encryptor, err := s.encryptor()
	if err != nil {
		return nil, err
	}
	sealer, err := native.SealerNew(encryptor, nil)
	if err != nil {
		return nil, err
	}
	head, err := native.SealerHead(sealer)
	if err != nil {
		return nil, err
	}
	w := &writer{dst: dst, sealer: sealer, armour: armour, ahead: int(s.encryption.Threads), current: takeUnit()}
	if err := w.deliver(head); err != nil {
		return nil, err
	}
	return w, nil
}

// writer is a file that is encrypted as it is written.
type writer struct {
	dst    io.Writer
	sealer *native.Sealer
	armour *native.Armour
	// ahead is how many units are sealed at the same time.
	ahead   int
	waiting []*unit
	current *unit
	// chunks of the current unit that are full, and bytes of the next one.
	chunks, length int
	err            error
}

var errClosed = errors.New("sealstone: the file has ended")

// Write takes plaintext.
func (w *writer) Write(p []byte) (int, error) {
	taken := 0
	for len(p) > 0 && w.err == nil {
		n := copy(w.room(), p)
		p, taken = p[n:], taken+n
		w.took(n)
	}
	return taken, w.err
}

// ReadFrom takes all plaintext of a reader, without a copy of it.
func (w *writer) ReadFrom(src io.Reader) (int64, error) {
	total := int64(0)
	for w.err == nil {
		n, err := src.Read(w.room())
		total += int64(n)
		w.took(n)
		if err == io.EOF {
			return total, w.err
		}
		if err != nil {
			return total, err
		}
	}
	return total, w.err
}

// room is where the next bytes of plaintext go: to the end of a chunk.
func (w *writer) room() []byte {
	at := w.chunks * native.SealedChunkLen()
	return w.current.places[at+w.length : at+native.ChunkLen()]
}

func (w *writer) took(n int) {
	if w.length += n; w.length == native.ChunkLen() {
		w.chunks, w.length = w.chunks+1, 0
	}
	if w.chunks == unitChunks {
		w.seal(unitChunks * native.SealedChunkLen())
		if w.err == nil {
			w.current = takeUnit()
		}
	}
}

// seal has the current unit sealed, of this length, and writes those that are done.
func (w *writer) seal(length int) {
	next, err := native.SealerNextUnit(w.sealer, length)
	if err != nil {
		w.fail(err)
		return
	}
	u := w.current
	w.current, w.chunks, w.length = nil, 0, 0
	u.places = u.places[:length]
	u.start(func() error { return native.UnitSeal(next, u.places) })
	w.waiting = append(w.waiting, u)
	for len(w.waiting) > w.ahead && w.err == nil {
		w.writeNext()
	}
}

func (w *writer) writeNext() {
	u := w.waiting[0]
	w.waiting = w.waiting[1:]
	<-u.done
	err := u.err
	if err == nil {
		err = w.deliver(u.places)
	}
	u.release(len(u.places))
	if err != nil {
		w.fail(err)
	}
}

// fail ends the file without its end.
func (w *writer) fail(err error) {
	w.err = err
	for _, u := range w.waiting {
		<-u.done
		u.release(len(u.places))
	}
	w.waiting = nil
	if w.current != nil {
		w.current.release(len(w.current.places))
		w.current = nil
	}
	w.sealer.Free()
}

func (w *writer) deliver(file []byte) error {
	if w.armour != nil {
		lines, err := native.ArmourUpdate(w.armour, file)
		if err != nil {
			return err
		}
		file = lines
	}
	return writeAll(w.dst, file)
}

func writeAll(dst io.Writer, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n, err := dst.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// Close writes the end of the file. A second call does nothing.
func (w *writer) Close() error {
	if w.err != nil {
		if w.err == errClosed {
			return nil
		}
		return w.err
	}
	w.seal(w.chunks*native.SealedChunkLen() + w.length + tagLen)
	for len(w.waiting) > 0 && w.err == nil {
		w.writeNext()
	}
	if w.err == nil && w.armour != nil {
		lines, err := native.ArmourFinish(w.armour)
		if err == nil {
			err = writeAll(w.dst, lines)
		}
		if err != nil {
			w.fail(err)
		}
	}
	if w.err != nil {
		return w.err
	}
	w.fail(errClosed)
	return nil
}

// Decrypt opens a file, armoured or not, and returns its plaintext as a reader. It reads the header now. What the reader returns is authentic, and
// io.EOF comes only when all of the file was; any other end is an error, after which the plaintext may have been cut off. Units of 512 KiB are
// opened by several goroutines; src is read only within Read. The options are With, Context, Threads and WithProfile.
func Decrypt(src io.Reader, options ...Option) (io.Reader, error) {
	s, err := read(options, "With", "Context", "Threads", "WithProfile")
	if err != nil {
		return nil, err
	}
	decryptor, err := s.decryptor()
	if err != nil {
		return nil, err
	}
	src, err = withoutArmour(src)
	if err != nil {
		return nil, err
	}
	opener, err := open(src, decryptor)
	if err != nil {
		return nil, err
	}
	return &reader{src: src, opener: opener, ahead: int(s.encryption.Threads)}, nil
}

// open reads the head of a file.
func open(src io.Reader, decryptor *native.Decryptor) (*native.Opener, error) {
	head := make([]byte, native.FileStartLen())
	n, err := io.ReadFull(src, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	length, err := native.FileHeadLen(head[:n])
	if err != nil {
		return nil, err
	}
	start := head[:n]
	head = make([]byte, length)
	copy(head, start)
	if length > n {
		more, err := io.ReadFull(src, head[n:])
		if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
			return nil, err
		}
		head = head[:n+more]
	}
	return native.OpenerNew(decryptor, head, nil)
}

// reader is a file that is decrypted as it is read.
type reader struct {
	src    io.Reader
	opener *native.Opener
	ahead  int
	// waiting are units that goroutines open, in the file's order.
	waiting []*unit
	// held are bytes of a chunk that is not whole yet.
	held []byte
	next uint64
	// isEnd says that the source has ended.
	isEnd bool
	// current has plaintext from place at and chunk on.
	current   *unit
	chunk, at int
	err       error
}

// Read returns the next plaintext.
func (r *reader) Read(p []byte) (int, error) {
	for {
		if r.current != nil {
			if n := copy(p, r.plaintext()); n > 0 || len(p) == 0 {
				r.gave(n)
				return n, nil
			}
		}
		if r.err != nil {
			return 0, r.err
		}
		r.advance()
	}
}

// WriteTo writes all plaintext to a writer, without a copy of it.
func (r *reader) WriteTo(dst io.Writer) (int64, error) {
	total := int64(0)
	for {
		for r.current != nil {
			part := r.plaintext()
			n, err := dst.Write(part)
			total += int64(n)
			r.gave(n)
			if err == nil && n < len(part) {
				err = io.ErrShortWrite
			}
			if err != nil {
				return total, err
			}
		}
		if r.err == io.EOF {
			return total, nil
		}
		if r.err != nil {
			return total, r.err
		}
		r.advance()
	}
}

// plaintext is that of the current chunk which nobody has read.
func (r *reader) plaintext() []byte {
	start := r.chunk * native.SealedChunkLen()
	end := min(start+native.SealedChunkLen(), len(r.current.places)) - tagLen
	return r.current.places[start+r.at : end]
}

// gave takes note of plaintext that was given, and goes on to the next chunk.
func (r *reader) gave(n int) {
	r.at += n
	for r.current != nil && len(r.plaintext()) == 0 {
		r.chunk, r.at = r.chunk+1, 0
		if r.chunk*native.SealedChunkLen() >= len(r.current.places) {
			r.current.release(len(r.current.places))
			r.current, r.chunk = nil, 0
		}
	}
}

// advance has units opened as long as the source has many bytes at once, and waits for the first of them.
func (r *reader) advance() {
	for !r.isEnd && r.err == nil && len(r.waiting) < r.ahead {
		if !r.fill() {
			break
		}
	}
	if len(r.waiting) > 0 {
		u := r.waiting[0]
		r.waiting = r.waiting[1:]
		<-u.done
		if u.err != nil {
			r.fail(u.err)
			u.release(len(u.places))
			return
		}
		r.current, r.chunk, r.at = u, 0, 0
		r.gave(0)
		return
	}
	if r.isEnd && r.err == nil {
		r.fail(io.EOF)
	}
}

// fill reads a unit and has it opened. It reports whether the unit was full, so that more may be there at once.
func (r *reader) fill() bool {
	u := takeUnit()
	n := copy(u.places, r.held)
	r.held = r.held[:0]
	// At least the next whole chunk, and as much as one read gives.
	var err error
	for n < native.SealedChunkLen() && err == nil {
		var more int
		more, err = r.src.Read(u.places[n:])
		n += more
	}
	isFull := n == len(u.places)
	if err != nil && err != io.EOF {
		r.fail(err)
		u.release(n)
		return false
	}
	whole := n - n%native.SealedChunkLen()
	if err == io.EOF {
		r.isEnd, whole = true, n
		if n%native.SealedChunkLen() < tagLen {
			// Of a file that was cut off, the chunks that are whole are authentic, and then comes the error.
			whole = n - n%native.SealedChunkLen()
		}
	} else {
		r.held = append(r.held, u.places[whole:n]...)
		clear(u.places[whole:n])
	}
	first, isLast := r.next, r.isEnd
	isCut := isLast && whole%native.SealedChunkLen() == 0
	if isCut {
		clear(u.places[whole:n])
	}
	r.next += uint64((whole + native.SealedChunkLen() - 1) / native.SealedChunkLen())
	u.places = u.places[:whole]
	if whole > 0 {
		u.start(func() error { return native.OpenerOpen(r.opener, first, u.places) })
		r.waiting = append(r.waiting, u)
	} else {
		u.release(0)
	}
	if isCut {
		r.cut()
	}
	return isFull
}

// cut puts the error of a file without its last chunk behind the units that wait.
func (r *reader) cut() {
	u := &unit{places: nil, err: fault.New("truncated", "the file is truncated: it ends before its last chunk"), done: make(chan struct{})}
	close(u.done)
	r.waiting = append(r.waiting, u)
}

func (r *reader) fail(err error) {
	r.err = err
	for _, u := range r.waiting {
		<-u.done
		u.release(len(u.places))
	}
	r.waiting = nil
	clear(r.held)
	r.opener.Free()
}
