package sealstone

import (
	"context"

	"sealstone.example/go/internal/native"
)

// Processed is how many bytes an operation on a file has processed.
type Processed struct {
	// Plaintext is the length of the plaintext.
	Plaintext int64
	// Ciphertext is the length of the whole file, without armour.
	Ciphertext int64
}

func processed(done *native.Processed, err error) (Processed, error) {
	if err != nil {
		return Processed{}, err
	}
	return Processed{int64(done.Plaintext), int64(done.Ciphertext)}, nil
}

// EncryptFile encrypts a file into a new one, which appears when all of it is there. When the context ends, or something fails, there is no new
// file. The options are To, Suite, Context, Threads, AllowMixed, WithProfile, Armour, Replace and OnProgress.
func EncryptFile(ctx context.Context, from, to string, options ...Option) (Processed, error) {
	s, err := read(options, "To", "Suite", "Context", "Threads", "AllowMixed", "WithProfile", "Armour", "Replace", "OnProgress")
	if err != nil {
		return Processed{}, err
	}
	encryptor, err := s.encryptor()
	if err != nil {
		return Processed{}, err
	}
	return processed(run(ctx, s.progress, func(job *native.Job) (*native.Processed, error) {
		return native.EncryptFile(encryptor, from, to, s.isReplacing, false, job)
	}))
}

// DecryptFile decrypts a file into a new one, which appears when all of it is authentic. The options are With, Context, Threads, WithProfile,
// Replace and OnProgress.
func DecryptFile(ctx context.Context, from, to string, options ...Option) (Processed, error) {
	s, err := read(options, "With", "Context", "Threads", "WithProfile", "Replace", "OnProgress")
	if err != nil {
		return Processed{}, err
	}
	decryptor, err := s.decryptor()
	if err != nil {
		return Processed{}, err
	}
	return processed(run(ctx, s.progress, func(job *native.Job) (*native.Processed, error) {
		return native.DecryptFile(decryptor, from, to, s.isReplacing, false, job)
	}))
}

// VerifyFile checks that all of a file is authentic, and of an archive its members and index too. The options are With, Context, Threads,
// WithProfile and OnProgress.
func VerifyFile(ctx context.Context, name string, options ...Option) (Processed, error) {
	s, err := read(options, "With", "Context", "Threads", "WithProfile", "OnProgress")
	if err != nil {
		return Processed{}, err
	}
	decryptor, err := s.decryptor()
	if err != nil {
		return Processed{}, err
	}
	return processed(run(ctx, s.progress, func(job *native.Job) (*native.Processed, error) {
		return native.VerifyFile(decryptor, name, false, job)
	}))
}

// RewrapFile gives a file further recipients in its place, or with Replace others; its chunks stay as they are. The options are With, To,
// AllowMixed, WithProfile, Replace and OnProgress.
func RewrapFile(ctx context.Context, name string, options ...Option) (Processed, error) {
	s, err := read(options, "With", "To", "AllowMixed", "WithProfile", "Replace", "OnProgress")
	if err != nil {
		return Processed{}, err
	}
	identities, release, err := identitiesOf(s.identities)
	if err != nil {
		return Processed{}, err
	}
	replace := uint32(no)
	if s.isReplacing {
		replace = yes
	}
	rewrapper, err := native.RewrapperNew(identities, recipientsOf(s.recipients), replace, s.encryption.AllowMixed, s.encryption.Profile)
	release()
	if err != nil {
		return Processed{}, err
	}
	return processed(run(ctx, s.progress, func(job *native.Job) (*native.Processed, error) {
		return native.RewrapFile(rewrapper, name, false, job)
	}))
}

// Inspection is the public part of a file, which is seen without a key, and is not authentic.
type Inspection struct {
	// Version of the format, and the suite's name.
	Version int
	Suite   string
	// ContextBound says that a context is bound, Armoured that the file is text.
	ContextBound, Armoured bool
	// Kinds of the recipients, in the file's order.
	Kinds []string
	// Compressed says that the content is compressed, Archive that it is an archive of files and folders.
	Compressed, Archive bool
	// HeaderLen, PlaintextLen and Chunks are lengths in bytes and the number of chunks, as the file's length gives them. Of a compressed file
	// PlaintextLen is the length of the stored content; how long the content is does not show.
	HeaderLen, PlaintextLen, Chunks int64
}

// InspectFile shows the public part of a file.
func InspectFile(ctx context.Context, name string) (*Inspection, error) {
	seen, err := run(ctx, nil, func(job *native.Job) (*native.Inspection, error) {
		return native.InspectFile(name, false, job)
	})
	if err != nil {
		return nil, err
	}
	inspection := &Inspection{
		Version:      int(seen.Version),
		Suite:        seen.Suite,
		ContextBound: seen.ContextBound,
		Armoured:     seen.Armoured,
		Compressed:   seen.Compressed,
		Archive:      seen.Archive,
		HeaderLen:    int64(seen.HeaderLen),
		PlaintextLen: int64(seen.PlaintextLen),
		Chunks:       int64(seen.Chunks),
	}
	for _, stanza := range seen.Stanzas {
		inspection.Kinds = append(inspection.Kinds, stanza.Kind)
	}
	return inspection, nil
}
