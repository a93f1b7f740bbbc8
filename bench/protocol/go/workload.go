package protocol

import (
	"bytes"
	"compress/flate"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

// Records seals the lines of the input, each by itself and with room for its tag. An end of a line is one line feed; the last needs
// none.
func Records(aead cipher.AEAD, input []byte) (*Trial, error) {
	var lines [][]byte
	for len(input) > 0 {
		line, rest, _ := bytes.Cut(input, []byte{'\n'})
		lines = append(lines, line)
		input = rest
	}
	size := 0
	for _, line := range lines {
		size += len(line) + TagSize
	}
	work := Buffer(size)[:0]
	records := make([][]byte, len(lines))
	for i, line := range lines {
		start := len(work)
		work = append(work, line...)
		records[i] = work[start:]
		work = work[:len(work)+TagSize]
	}

	trial := &Trial{Units: len(records)}
	nonce := make([]byte, NonceSize)
	trial.Run = func() ([]byte, error) {
		start := time.Now()
		before := time.Since(start)
		for i, record := range records {
			number(nonce, i)
			aead.Seal(record[:0], nonce, record, nil)
			now := time.Since(start)
			trial.Longest = max(trial.Longest, now-before)
			before = now
		}
		return work, nil
	}
	return trial, nil
}

// A nonce of four zero bytes and the number of a record or a request.
func number(nonce []byte, i int) {
	binary.BigEndian.PutUint64(nonce[NonceSize-8:], uint64(i))
}

// Requests seals a thousand texts of one length that have come at once, each in a goroutine, as servers in Go do. The input is
// followed by zeros until it is so many. Each calls `newAEAD`.
func Requests(newAEAD func() (cipher.AEAD, error), input []byte) (*Trial, error) {
	const count = 1000
	size := (len(input) + count - 1) / count
	work := Buffer(count * (size + TagSize))
	requests := make([][]byte, count)
	for i := range requests {
		requests[i] = work[i*(size+TagSize):][:size]
		copy(requests[i], input[min(i*size, len(input)):])
	}

	trial := &Trial{Units: count}
	waits, errs := make([]time.Duration, count), make([]error, count)
	trial.Run = func() ([]byte, error) {
		start := time.Now()
		var group sync.WaitGroup
		for i, request := range requests {
			group.Go(func() {
				var aead cipher.AEAD
				if aead, errs[i] = newAEAD(); errs[i] == nil {
					nonce := make([]byte, NonceSize)
					number(nonce, i)
					aead.Seal(request[:0], nonce, request, nil)
				}
				waits[i] = time.Since(start)
			})
		}
		group.Wait()
		var sum time.Duration
		for _, wait := range waits {
			trial.Longest = max(trial.Longest, wait)
			sum += wait
		}
		trial.Mean += sum / count
		return work, errors.Join(errs...)
	}
	return trial, nil
}

// Deflate compresses the input at level 6, and seals what that gives.
func Deflate(aead cipher.AEAD, input []byte) (*Trial, error) {
	compressor, err := flate.NewWriter(nil, 6)
	if err != nil {
		return nil, err
	}
	nonce := Nonce(NonceSize)
	// What cannot be compressed grows by five bytes a block of at most 64 KiB.
	work := bytes.NewBuffer(Buffer(len(input) + len(input)/1000 + 1024)[:0])
	run := func() ([]byte, error) {
		work.Reset()
		compressor.Reset(work)
		if _, err := compressor.Write(input); err != nil {
			return nil, err
		}
		if err := compressor.Close(); err != nil {
			return nil, err
		}
		return aead.Seal(work.Bytes()[:0], nonce, work.Bytes(), nil), nil
	}
	// Compressors differ, so the digest is that of what comes back.
	reveal := func(sealed []byte) ([]byte, error) {
		compressed, err := aead.Open(nil, nonce, sealed, nil)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(flate.NewReader(bytes.NewReader(compressed)))
	}
	return &Trial{Run: run, Reveal: reveal}, nil
}
