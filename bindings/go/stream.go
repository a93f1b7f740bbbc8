package sealstone

import (
	"errors"
	"io"
	"io/fs"
	"runtime"
	"sync"
	"sync/atomic"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// unitChunks is how many chunks a goroutine seals or opens at a time.
const unitChunks = 32

// tagLen is the length of the tag behind each chunk.
const tagLen = 16

// spread is how many bytes the plaintext of a whole unit is moved when its chunks get their tags.
const spread = unitChunks * tagLen

// unit is memory for chunks, each with its tag behind it.
type unit struct {
	memory []byte
	// file is the part of it that has chunks, and plaintext the part that has only plaintext, one chunk behind the other.
	file, plaintext []byte
	// err is the error of the work, when that is done.
	err  error
	done chan struct{}
}

// units are those that are not in use. They are zero.
var units = sync.Pool{New: func() any {
	return &unit{memory: make([]byte, unitChunks*native.SealedChunkLen())}
}}

func takeUnit() *unit { return units.Get().(*unit) }

// release zeroes a unit, and gives it back.
func (u *unit) release() {
	clear(u.file)
	clear(u.plaintext)
	u.file, u.plaintext, u.err, u.done = nil, nil, nil, nil
	if u.memory != nil {
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

// seal moves the plaintext, which lies behind the first spread bytes, apart, and seals it.
func (u *unit) seal(next *native.Unit) error {
	chunkLen, sealedLen := native.ChunkLen(), native.SealedChunkLen()
	// From the first chunk on, since each moves to the front.
	for i := 0; i*chunkLen < len(u.plaintext); i++ {
		copy(u.file[i*sealedLen:], u.plaintext[i*chunkLen:min((i+1)*chunkLen, len(u.plaintext))])
	}
	return native.UnitSeal(next, u.file)
}

// open opens the chunks, and moves their plaintext together.
func (u *unit) open(opener *native.Opener, first uint64) error {
	if err := native.OpenerOpen(opener, first, u.file); err != nil {
		return err
	}
	chunkLen, sealedLen, length := native.ChunkLen(), native.SealedChunkLen(), 0
	for at := 0; at < len(u.file); at += sealedLen {
		end := min(at+sealedLen, len(u.file)) - tagLen
		length += copy(u.file[at/sealedLen*chunkLen:], u.file[at:end])
	}
	u.plaintext = u.file[:length]
	return nil
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
	w := &writer{dst: dst, sealer: sealer, armour: armour, ahead: s.ahead(), current: takeUnit()}
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
	// behind are units that another goroutine writes, where there is one; isStopped says that it cannot.
	behind    chan *unit
	isStopped atomic.Bool
	current   *unit
	// length of the plaintext in the current unit.
	length int
	err    error
}

var (
	errClosed = errors.New("sealstone: the file has ended")
	// errPanicked is the error of a file after a panic of what it reads or writes: something may be missing in it.
	errPanicked = errors.New("sealstone: a reader or a writer has panicked, and the file is not whole")
	// errInvalidWrite is that of a writer that says it has written more than it got.
	errInvalidWrite = errors.New("sealstone: a writer returned an invalid count")
)

// panicked is a panic of a goroutine, which goes on in its caller's: there it can be recovered. Without a value it is a Goexit.
type panicked struct{ value any }

func (p *panicked) goOn() {
	if p.value == nil {
		runtime.Goexit()
	}
	panic(p.value)
}

// Write takes plaintext.
func (w *writer) Write(p []byte) (int, error) {
	isDone, taken := false, 0
	defer w.failUnless(&isDone)
	for len(p) > 0 && w.err == nil {
		n := copy(w.room(), p)
		p, taken = p[n:], taken+n
		w.took(n)
	}
	isDone = true
	return taken, w.err
}

// failUnless ends the file where a call panics, so that no later one goes on behind what is missing.
func (w *writer) failUnless(isDone *bool) {
	if !*isDone && w.err == nil {
		w.fail(errPanicked)
	}
}

// ReadFrom takes all plaintext of a reader, without a copy of it. Of a file on a disk it reads while another goroutine writes.
func (w *writer) ReadFrom(src io.Reader) (total int64, err error) {
	isDone := false
	defer w.failUnless(&isDone)
	wait := func() {}
	if w.err == nil && isFile(src) {
		wait = w.writeBehind()
		defer func() {
			if !isDone {
				wait()
			}
		}()
	}
	for w.err == nil && !w.isStopped.Load() && err == nil {
		var n int
		n, err = src.Read(w.room())
		total += int64(n)
		w.took(n)
	}
	wait()
	if isDone = true; w.err != nil {
		return total, w.err
	}
	if err == io.EOF {
		err = nil
	}
	return total, err
}

// isFile reports whether a reader is a file on a disk, which never waits for anybody.
func isFile(src io.Reader) bool {
	file, ok := src.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode().IsRegular()
}

// writeBehind has a goroutine write units, until the function that it returns has waited for that.
func (w *writer) writeBehind() func() {
	type end struct {
		err      error
		panicked *panicked
	}
	behind, ended := make(chan *unit, w.ahead), make(chan end, 1)
	first := w.waiting
	w.waiting, w.behind = nil, behind
	write := func(u *unit, err error) error {
		<-u.done
		if err == nil {
			err = u.err
		}
		if err == nil {
			err = w.deliver(u.file)
		}
		u.release()
		return err
	}
	go func() {
		var err error
		isDone := false
		defer func() {
			if isDone {
				ended <- end{err: err}
				return
			}
			end := end{panicked: &panicked{recover()}}
			w.isStopped.Store(true)
			for u := range behind {
				<-u.done
				u.release()
			}
			ended <- end
		}()
		for _, u := range first {
			err = write(u, err)
		}
		for u := range behind {
			if err = write(u, err); err != nil {
				w.isStopped.Store(true)
			}
		}
		isDone = true
	}()
	return func() {
		if w.behind == nil {
			return
		}
		close(behind)
		w.behind = nil
		end := <-ended
		if end.panicked != nil {
			end.panicked.goOn()
		}
		if end.err != nil && w.err == nil {
			w.fail(end.err)
		}
	}
}

// room is where the next bytes of plaintext go.
func (w *writer) room() []byte { return w.current.memory[spread+w.length:] }

func (w *writer) took(n int) {
	if w.length += n; spread+w.length == len(w.current.memory) {
		w.seal(len(w.current.memory))
		if w.err == nil {
			w.current = takeUnit()
		}
	}
}

// seal has the current unit sealed, which becomes so long, and writes those that are done.
func (w *writer) seal(length int) {
	u := w.current
	u.file, u.plaintext = u.memory[:length], u.memory[spread:spread+w.length]
	next, err := native.SealerNextUnit(w.sealer, length)
	if err != nil {
		w.fail(err)
		return
	}
	w.current, w.length = nil, 0
	u.start(func() error { return u.seal(next) })
	if w.behind != nil {
		w.behind <- u
		return
	}
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
		err = w.deliver(u.file)
	}
	u.release()
	if err != nil {
		w.fail(err)
	}
}

// fail ends the file without its end.
func (w *writer) fail(err error) {
	w.err = err
	for _, u := range w.waiting {
		<-u.done
		u.release()
	}
	w.waiting = nil
	if w.current != nil {
		w.current.plaintext = w.current.memory[spread : spread+w.length]
		w.current.release()
		w.current, w.length = nil, 0
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
	isDone := false
	defer w.failUnless(&isDone)
	w.seal(w.length + (w.length/native.ChunkLen()+1)*tagLen)
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
	if isDone = true; w.err != nil {
		return w.err
	}
	w.fail(errClosed)
	return nil
}

// Decrypt opens a file, armoured or not, and returns its plaintext as a reader. It reads the header now. What the reader returns is authentic, and
// io.EOF comes only when all of the file was; any other end is an error, after which the plaintext may have been cut off. Units of 512 KiB are
// opened by several goroutines; src is read only within Read. A compressed file is ErrUnsupportedVersion: DecryptFile decrypts it. The options
// are With, Context, Threads and WithProfile.
func Decrypt(src io.Reader, options ...Option) (io.Reader, error) {
	s, err := read(options, "With", "Context", "Threads", "WithProfile")
	if err != nil {
		return nil, err
	}
	decryptor, err := s.decryptor()
	if err != nil {
		return nil, err
	}
	file, err := withoutArmour(src)
	if err != nil {
		return nil, err
	}
	opener, err := open(file, decryptor)
	if err != nil {
		return nil, err
	}
	return &reader{src: file, isFile: isFile(src), opener: opener, ahead: s.ahead()}, nil
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
	isFile bool
	opener *native.Opener
	ahead  int
	// waiting are units that goroutines open, in the file's order.
	waiting []*unit
	// queue are such units where another goroutine reads the source, which alone uses the next four fields then.
	queue chan *unit
	// held are bytes of a chunk that is not whole yet.
	held []byte
	next uint64
	// isEnd says that the source has ended, readErr that it has failed.
	isEnd   bool
	readErr error
	// current has plaintext from place at on.
	current *unit
	at      int
	err     error
}

// Read returns the next plaintext.
func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.current == nil {
		if r.err != nil {
			return 0, r.err
		}
		r.advance()
	}
	n := copy(p, r.current.plaintext[r.at:])
	r.gave(n)
	return n, nil
}

// WriteTo writes all plaintext to a writer, without a copy of it. Of a file on a disk another goroutine reads while it writes.
func (r *reader) WriteTo(dst io.Writer) (int64, error) {
	if r.isFile && r.err == nil && !r.isEnd {
		defer r.readAhead()()
	}
	total := int64(0)
	for {
		if r.current != nil {
			part := r.current.plaintext[r.at:]
			n, err := dst.Write(part)
			if n < 0 || n > len(part) {
				n, err = 0, errInvalidWrite
			}
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

// readAhead has a goroutine read units, until the function that it returns is called.
func (r *reader) readAhead() func() {
	queue, stop := make(chan *unit, len(r.waiting)+r.ahead), make(chan struct{})
	for _, u := range r.waiting {
		queue <- u
	}
	r.waiting, r.queue = nil, queue
	var failed *panicked
	go func() {
		isDone := false
		defer close(queue)
		defer func() {
			if !isDone {
				failed = &panicked{recover()}
				r.readErr = errPanicked
			}
		}()
		for !r.isEnd && r.readErr == nil {
			select {
			case <-stop:
				isDone = true
				return
			default:
				r.fill()
			}
		}
		isDone = true
	}()
	return func() {
		close(stop)
		for u := range queue {
			r.waiting = append(r.waiting, u)
		}
		r.queue = nil
		if failed != nil && r.err == nil {
			r.err = errPanicked
		}
		if r.err != nil {
			r.fail(r.err)
		}
		if failed != nil {
			failed.goOn()
		}
	}
}

// gave takes note of plaintext that was given.
func (r *reader) gave(n int) {
	if r.at += n; r.at == len(r.current.plaintext) {
		r.current.release()
		r.current, r.at = nil, 0
	}
}

// advance has units opened as long as the source has many bytes at once, and waits for the first of them.
func (r *reader) advance() {
	if u := r.first(); u != nil {
		<-u.done
		if u.err != nil {
			r.fail(u.err)
			u.release()
			return
		}
		r.current, r.at = u, 0
		r.gave(0)
		return
	}
	switch {
	case r.readErr != nil:
		r.fail(r.readErr)
	case r.isEnd:
		r.fail(io.EOF)
	}
}

// first is the first unit that is not read; nil where the source has ended, or has failed.
func (r *reader) first() *unit {
	if r.queue != nil {
		return <-r.queue
	}
	for !r.isEnd && r.readErr == nil && len(r.waiting) < r.ahead {
		if !r.fill() {
			break
		}
	}
	if len(r.waiting) == 0 {
		return nil
	}
	u := r.waiting[0]
	r.waiting = r.waiting[1:]
	return u
}

// fill reads a unit and has it opened. It reports whether the unit was full, so that more may be there at once.
func (r *reader) fill() bool {
	u, sealedLen := takeUnit(), native.SealedChunkLen()
	n := copy(u.memory, r.held)
	r.held = r.held[:0]
	// At least the next whole chunk, and as much as one read gives.
	var err error
	for n < sealedLen && err == nil {
		var more int
		more, err = r.src.Read(u.memory[n:])
		n += more
	}
	u.file = u.memory[:n]
	isFull := n == len(u.memory)
	if err != nil && err != io.EOF {
		r.readErr = err
		u.release()
		return false
	}
	r.isEnd = err == io.EOF
	rest := n % sealedLen
	if isCut := r.isEnd && rest < tagLen; isCut || !r.isEnd {
		// Of a file that was cut off the whole chunks are authentic, and behind them comes the error.
		r.held = append(r.held, u.file[n-rest:]...)
		clear(u.file[n-rest:])
		u.file = u.file[:n-rest]
		if isCut {
			defer r.cut()
		}
	}
	if len(u.file) == 0 {
		u.release()
		return isFull
	}
	first := r.next
	r.next += uint64((len(u.file) + sealedLen - 1) / sealedLen)
	u.start(func() error { return u.open(r.opener, first) })
	r.put(u)
	return isFull
}

// cut puts the error of a file without its last chunk behind the units that wait.
func (r *reader) cut() {
	u := &unit{err: fault.New("truncated", "the file is truncated: it ends before its last chunk"), done: make(chan struct{})}
	close(u.done)
	r.put(u)
}

func (r *reader) put(u *unit) {
	if r.queue != nil {
		r.queue <- u
	} else {
		r.waiting = append(r.waiting, u)
	}
}

func (r *reader) fail(err error) {
	r.err = err
	if r.queue != nil {
		// Another goroutine still has units opened: its end calls this again.
		return
	}
	for _, u := range r.waiting {
		<-u.done
		u.release()
	}
	r.waiting = nil
	clear(r.held)
	r.opener.Free()
}
