package sealstone

import (
	"context"

	"sealstone.example/go/internal/items"
	"sealstone.example/go/internal/native"
)

// EncryptBatch encrypts each of many short plaintexts to a file of its own, on several threads in one call of native code. The options are To,
// Suite, Context, Threads, AllowMixed, WithProfile and OnProgress.
func EncryptBatch(ctx context.Context, plaintexts [][]byte, options ...Option) ([][]byte, error) {
	s, err := read(options, "To", "Suite", "Context", "Threads", "AllowMixed", "WithProfile", "OnProgress")
	if err != nil {
		return nil, err
	}
	encryptor, err := s.encryptor()
	if err != nil {
		return nil, err
	}
	files, errs, err := batch(ctx, s, plaintexts, func(data []byte, lengths []uint32, job *native.Job) (*native.BatchResult, error) {
		return native.EncryptBatch(encryptor, data, lengths, job, s.encryption.Threads)
	})
	for _, one := range errs {
		if err == nil && one != nil {
			err = one
		}
	}
	if err != nil {
		return nil, err
	}
	return files, nil
}

// DecryptBatch decrypts each of many files, likewise. Of a file that fails the plaintext is nil, and errs has its error at its place; errs is nil
// where none fails. err is that of the whole batch. The options are With, Context, Threads, WithProfile and OnProgress.
func DecryptBatch(ctx context.Context, files [][]byte, options ...Option) (plaintexts [][]byte, errs []error, err error) {
	s, err := read(options, "With", "Context", "Threads", "WithProfile", "OnProgress")
	if err != nil {
		return nil, nil, err
	}
	decryptor, err := s.decryptor()
	if err != nil {
		return nil, nil, err
	}
	return batch(ctx, s, files, func(data []byte, lengths []uint32, job *native.Job) (*native.BatchResult, error) {
		return native.DecryptBatch(decryptor, data, lengths, job, s.encryption.Threads)
	})
}

func batch(ctx context.Context, s *settings, list [][]byte, work func([]byte, []uint32, *native.Job) (*native.BatchResult, error)) ([][]byte, []error, error) {
	data, lengths, err := items.Join(list)
	if err != nil {
		return nil, nil, err
	}
	defer clear(data)
	done, err := run(ctx, s.progress, func(job *native.Job) (*native.BatchResult, error) { return work(data, lengths, job) })
	if err != nil {
		return nil, nil, err
	}
	results, rest := make([][]byte, len(list)), done.Bytes
	for i, length := range done.Lengths {
		results[i], rest = rest[:length:length], rest[length:]
	}
	var errs []error
	for _, failure := range done.Failures {
		if errs == nil {
			errs = make([]error, len(list))
		}
		results[failure.Index] = nil
		errs[failure.Index] = &Error{Code: failure.Code, Message: failure.Message, Chunk: -1}
	}
	return results, errs, nil
}
