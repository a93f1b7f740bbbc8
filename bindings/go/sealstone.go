// Package sealstone encrypts files, streams and messages to public keys: post-quantum by default, in the format of the command line `sealstone`
// and of its packages for Node.js, Python and Rust.
//
//	identity, err := sealstone.GenerateIdentity("")
//	w, err := sealstone.Encrypt(file, sealstone.To(identity.Recipient()))
//	_, err = io.Copy(w, source)
//	err = w.Close() // The end of the file: without it the file does not open.
//
//	r, err := sealstone.Decrypt(file, sealstone.With(identity))
//	_, err = io.Copy(destination, r) // nil only when all of the file was authentic
//
// All errors are *Error. The packages aead, sm2, sm3 and sm4 have algorithms behind Go's own interfaces.
//
// The module calls a C library through cgo. A program that is built without cgo has ErrUnavailableBackend of every function.
package sealstone

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// Backend says what computes: "native", or "none" in a program that was built without cgo.
func Backend() string { return native.Kind }

// Details names the code that computes each AEAD and the CPU's instruction sets, for people to read.
func Details() (string, error) {
	text, err := native.Backend()
	return string(text), err
}

// Option is an option of an operation. An operation refuses those that it does not have with invalid_option.
type Option func(*settings)

type settings struct {
	recipients  []*Recipient
	identities  []*Identity
	encryption  native.EncryptOptions
	isReplacing bool
	progress    func(done, total int64)
	given       []string
}

func option(name string, set func(*settings)) Option {
	return func(s *settings) {
		s.given = append(s.given, name)
		set(s)
	}
}

// To names the recipients of a file.
func To(recipients ...*Recipient) Option {
	return option("To", func(s *settings) { s.recipients = append(s.recipients, recipients...) })
}

// With gives the identities that may open a file.
func With(identities ...*Identity) Option {
	return option("With", func(s *settings) { s.identities = append(s.identities, identities...) })
}

// Suite chooses the ciphers: "aes-256-gcm", "chacha20-poly1305" or "sm4-gcm". By default it is the first.
func Suite(name string) Option {
	return option("Suite", func(s *settings) { s.encryption.Suite = name })
}

// Context binds a file to 1 to 1,024 bytes, such as its name or a tenant: it opens only with the same ones.
func Context(bytes []byte) Option {
	return option("Context", func(s *settings) { s.encryption.Context = bytes })
}

// Threads limits the threads that compute. By default they are as many as GOMAXPROCS.
func Threads(count int) Option {
	return option("Threads", func(s *settings) { s.encryption.Threads = uint32(min(max(count, 1), math.MaxInt32)) })
}

// AllowMixed allows recipients that resist quantum computers beside others.
func AllowMixed() Option {
	return option("AllowMixed", func(s *settings) { s.encryption.AllowMixed = yes })
}

// WithProfile refuses all that a profile of an organisation does not allow, by its name.
func WithProfile(name string) Option {
	return option("WithProfile", func(s *settings) { s.encryption.Profile = name })
}

// Armour writes a file as text.
func Armour() Option {
	return option("Armour", func(s *settings) { s.encryption.Armour = yes })
}

// Replace lets an output take the place of a file that is there; of RewrapFile, that the new recipients take the place of the old ones.
func Replace() Option {
	return option("Replace", func(s *settings) { s.isReplacing = true })
}

// OnProgress calls a function with the bytes that are done, and those in all, or -1 where that is not known: some times a second from another
// goroutine, and a last time at the end. Its panic ends the operation, and comes out of that. An operation waits for a call that has not returned.
func OnProgress(function func(done, total int64)) Option {
	return option("OnProgress", func(s *settings) { s.progress = function })
}

// The choices of native code.
const (
	yes = 1
	no  = 2
)

// read reads options, of which an operation has these.
func read(options []Option, names ...string) (*settings, error) {
	s := &settings{}
	for _, one := range options {
		if one == nil {
			return nil, fault.New("invalid_option", "an option is nil")
		}
		one(s)
	}
	for _, given := range s.given {
		if !slices.Contains(names, given) {
			return nil, fault.New("invalid_option", "this operation has no option %s", given)
		}
	}
	if s.encryption.Threads == 0 {
		s.encryption.Threads = uint32(runtime.GOMAXPROCS(0))
	}
	return s, nil
}

// ahead is how many units of a stream are at work at the same time. Each has its memory, and more than the machine has CPUs would take turns.
func (s *settings) ahead() int {
	return min(int(s.encryption.Threads), max(runtime.GOMAXPROCS(0), runtime.NumCPU()))
}

// encryptor makes what encrypts with these options.
func (s *settings) encryptor() (*native.Encryptor, error) {
	return native.EncryptorNew(recipientsOf(s.recipients), &s.encryption)
}

func (s *settings) decryptor() (*native.Decryptor, error) {
	identities, release, err := identitiesOf(s.identities)
	if err != nil {
		return nil, err
	}
	defer release()
	return native.DecryptorNew(identities, s.encryption.Context, s.encryption.Profile, s.encryption.Threads)
}

// slots bounds how many goroutines compute for long at the same time, since each of them has a thread.
var slots = make(chan struct{}, max(runtime.GOMAXPROCS(0), 1))

// progressInterval is the time between two calls of OnProgress's function.
const progressInterval = 100 * time.Millisecond

// run runs work with a job that ends when the context does.
func run[T any](ctx context.Context, progress func(done, total int64), work func(*native.Job) (T, error)) (T, error) {
	var nothing T
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nothing, context.Cause(ctx)
	}
	// It is given back before the last call of progress, which may itself run something.
	release := sync.OnceFunc(func() { <-slots })
	defer release()
	if ctx.Err() != nil {
		return nothing, context.Cause(ctx)
	}
	job, err := native.JobNew()
	if err != nil {
		return nothing, err
	}
	stop := context.AfterFunc(ctx, func() { _ = native.JobCancel(job) })
	defer stop()
	shown := watch(job, progress)
	done, err := work(job)
	release()
	shown()
	if errors.Is(err, ErrCancelled) && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return done, err
}

// watch has a goroutine call a function of OnProgress, until the function that it returns makes the last call.
func watch(job *native.Job, progress func(done, total int64)) func() {
	if progress == nil {
		return func() {}
	}
	show := func() {
		if now, err := native.JobProgress(job); err == nil {
			total := int64(-1)
			if now.Total != 1<<64-1 {
				total = int64(now.Total)
			}
			progress(int64(now.Done), total)
		}
	}
	ended, watched := make(chan struct{}), make(chan struct{})
	var failed *panicked
	go func() {
		isDone := false
		defer close(watched)
		defer func() {
			if !isDone {
				failed = &panicked{recover()}
				_ = native.JobCancel(job)
			}
		}()
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				show()
			case <-ended:
				isDone = true
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-watched
		if failed != nil {
			failed.goOn()
		}
		show()
	}
}
