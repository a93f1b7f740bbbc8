package sealstone

import (
	"errors"
	"io"

	"sealstone.example/go/internal/fault"
	"sealstone.example/go/internal/native"
)

// DecryptReaderAt opens a file of size bytes whose parts may be read in any order, and returns its plaintext and how long that is. It opens the
// last chunk now, so that this length is authentic; what ReadAt returns is authentic at its place. The file is not armoured. ReadAt may be
// called by several goroutines at the same time. A compressed file is ErrUnsupportedVersion: DecryptFile decrypts it. The options are With,
// Context, Threads and WithProfile.
func DecryptReaderAt(src io.ReaderAt, size int64, options ...Option) (io.ReaderAt, int64, error) {
	s, err := read(options, "With", "Context", "Threads", "WithProfile")
	if err != nil {
		return nil, 0, err
	}
	decryptor, err := s.decryptor()
	if err != nil {
		return nil, 0, err
	}
	if size < 0 {
		return nil, 0, fault.New("invalid_argument", "a file has no length below 0")
	}
	opener, err := open(io.NewSectionReader(src, 0, size), decryptor)
	if err != nil {
		return nil, 0, err
	}
	head, err := native.OpenerHeadLen(opener)
	if err != nil {
		return nil, 0, err
	}
	length, err := native.OpenerPlaintextLen(opener, uint64(size))
	if err != nil {
		return nil, 0, err
	}
	r := &readerAt{src, opener, int64(head), size, int64(length)}
	last := max(r.length, 0) / int64(native.ChunkLen())
	opened, err := r.chunks(last, last)
	if err != nil {
		return nil, 0, err
	}
	clear(opened)
	return r, r.length, nil
}

type readerAt struct {
	src                io.ReaderAt
	opener             *native.Opener
	head, size, length int64
}

// ReadAt reads plaintext from an offset on.
func (r *readerAt) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, errors.New("sealstone: an offset is not negative")
	}
	if offset >= r.length {
		return 0, io.EOF
	}
	end := r.length
	if int64(len(p)) < r.length-offset {
		end = offset + int64(len(p))
	}
	n, chunkLen := 0, int64(native.ChunkLen())
	for at := offset; at < end; {
		first := at / chunkLen
		last := min((end-1)/chunkLen, first+unitChunks-1)
		u, err := r.chunks(first, last)
		if err != nil {
			return n, err
		}
		for chunk := first; chunk <= last; chunk++ {
			start := int(chunk-first) * native.SealedChunkLen()
			stop := min(start+native.SealedChunkLen(), len(u)) - tagLen
			from := start + int(at-chunk*chunkLen)
			copied := copy(p[n:end-offset], u[from:stop])
			n, at = n+copied, at+int64(copied)
		}
		clear(u)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// chunks reads and opens chunks, of which the places are as those of a unit.
func (r *readerAt) chunks(first, last int64) ([]byte, error) {
	sealed := int64(native.SealedChunkLen())
	start := r.head + first*sealed
	end := min(r.head+(last+1)*sealed, r.size)
	places := make([]byte, end-start)
	if n, err := r.src.ReadAt(places, start); n < len(places) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if err := native.OpenerOpen(r.opener, uint64(first), places); err != nil {
		return nil, err
	}
	return places, nil
}
