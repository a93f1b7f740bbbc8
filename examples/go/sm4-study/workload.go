package main

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// workloadRuns is how often a workload runs at most, all engines in turns. The report has medians.
const workloadRuns = 9

// A batch is what one batch of records took.
type batch struct {
	usage
	longest, total time.Duration
}

// measureClasses fills the table of classes of workload.
func measureClasses(p plan, r results) error {
	opened, err := openEngines(p.mode)
	if err != nil {
		return err
	}
	for _, class := range p.classes {
		samples := makeSamples(class.amount)
		batches := make([][]batch, len(opened))
		for run := range min(p.repetitions, workloadRuns) {
			for turn := range opened {
				i := (run + turn) % len(opened)
				e := opened[i]
				batches[i] = append(batches[i], encryptBatch(e.cipher, samples))
			}
		}
		for i, e := range opened {
			fill := func(column string, c cell) { r[place{"classes", class.name, column, e.name}] = c }
			middle := func(part func(batch) time.Duration) time.Duration {
				var durations []time.Duration
				for _, b := range batches[i] {
					durations = append(durations, part(b))
				}
				return median(durations)
			}
			total := middle(func(b batch) time.Duration { return b.total })
			pause := middle(func(b batch) time.Duration { return b.pause })
			longest := middle(func(b batch) time.Duration { return b.longest })
			fill("memory", cell{text: formatBytes(float64(batches[i][0].allocated))})
			fill("TPS", rateCell(float64(len(samples))/total.Seconds()))
			fill("pause time", cell{text: formatDuration(pause) + "; " + formatDuration(longest)})
		}
	}
	return nil
}

// encryptBatch encrypts records one after the other into the same memory. The clock is read once for each record.
func encryptBatch(cipher *keyedCipher, samples [][]byte) batch {
	dst := cipher.encrypt(nil, samples[0])
	var b batch
	b.usage = measureMemory(func() {
		start := time.Now()
		before := start
		for _, sample := range samples {
			dst = cipher.encrypt(dst, sample)
			now := time.Now()
			b.longest, before = max(b.longest, now.Sub(before)), now
		}
		b.total = max(1, before.Sub(start))
	})
	return b
}

// A compressor compresses texts with deflate, level 6, into the same memory each time.
type compressor struct {
	writer *flate.Writer
	buffer bytes.Buffer
}

func newCompressor() *compressor {
	writer, err := flate.NewWriter(nil, 6)
	if err != nil {
		panic("compressor: " + err.Error()) // 6 is a level
	}
	return &compressor{writer: writer}
}

// compress returns the compressed text, with room for padding behind it, until the next call.
func (c *compressor) compress(text []byte) []byte {
	c.buffer.Reset()
	c.writer.Reset(&c.buffer)
	c.writer.Write(text) // a buffer in memory does not fail
	c.writer.Close()
	length := c.buffer.Len()
	c.buffer.Grow(blockSize)
	return c.buffer.Bytes()[:length]
}

// decompress returns the text that compress was given. It refuses one that is longer than said.
func decompress(compressed []byte, maxLen int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(compressed)), int64(maxLen)+1))
	if err == nil && len(text) > maxLen {
		err = fmt.Errorf("the text is longer than %d bytes", maxLen)
	}
	return text, err
}

// compressThenEncrypt prepares an engine to compress and encrypt a text over and over.
func compressThenEncrypt(text []byte) func(e openedEngine) func() {
	return func(e openedEngine) func() {
		c := newCompressor()
		var dst []byte
		return func() { dst = e.cipher.encrypt(dst, c.compress(text)) }
	}
}

// measureLengths fills the table of lengths that are compressed and then encrypted.
func measureLengths(p plan, r results) error {
	opened, err := openEngines(p.mode)
	if err != nil {
		return err
	}
	for _, length := range p.lengths {
		text := makeText(length.amount)
		if err := compareEngines(p.mode, newCompressor().compress(text)); err != nil {
			return err
		}
		for i, time := range measureEngines(p.repetitions, length.amount, opened, compressThenEncrypt(text)) {
			r[place{"lengths", length.name, "time", opened[i].name}] = durationCell(time)
		}
		for _, e := range opened {
			rate, err := measureTexts(e, p, text)
			if err != nil {
				return err
			}
			r[place{"lengths", length.name, "TPS", e.name}] = rateCell(rate)
		}
	}
	return nil
}

// measureTexts returns how many texts a second are compressed and encrypted on all cores, each by a goroutine of its own.
func measureTexts(e openedEngine, p plan, text []byte) (float64, error) {
	workers := make([]func(), runtime.GOMAXPROCS(0))
	for i := range workers {
		own := e
		var err error
		if own.cipher, err = e.forRequest(p.mode); err != nil {
			return 0, err
		}
		workers[i] = compressThenEncrypt(text)(own)
		workers[i]() // makes its memory
	}
	runtime.GC()
	var taken atomic.Int64
	var group sync.WaitGroup
	start := time.Now()
	for _, work := range workers {
		group.Go(func() {
			for taken.Add(1) <= int64(p.texts) {
				work()
			}
		})
	}
	group.Wait()
	return float64(p.texts) / max(1, time.Since(start)).Seconds(), nil
}

// A wait is how long concurrent requests took, on average and at most.
type wait struct {
	average, longest time.Duration
}

// serveRequests encrypts texts that come at once, each in its own memory and in a goroutine of its own. The ciphertexts
// take the places of the texts.
func serveRequests(e openedEngine, m mode, requests [][]byte) (wait, error) {
	waits, errs := make([]time.Duration, len(requests)), make([]error, len(requests))
	var group sync.WaitGroup
	start := time.Now()
	for i, request := range requests {
		group.Go(func() {
			var cipher *keyedCipher
			if cipher, errs[i] = e.forRequest(m); errs[i] == nil {
				requests[i] = cipher.encrypt(request[:0], request)
			}
			waits[i] = time.Since(start)
		})
	}
	group.Wait()
	var result wait
	for _, wait := range waits {
		result.average += wait / time.Duration(len(requests))
		result.longest = max(result.longest, wait)
	}
	return result, errors.Join(errs...)
}

// makeRequests makes so many texts of one length.
func makeRequests(number, length int) [][]byte {
	text := makeText(length)
	requests := make([][]byte, number)
	for i := range requests {
		requests[i] = newSample(text)
	}
	return requests
}

// restoreRequests makes texts of ciphertexts again, in their memory.
func restoreRequests(requests [][]byte, text []byte) {
	for i := range requests {
		requests[i] = append(requests[i][:0], text...)
	}
}

// compareRequests serves texts with an engine, and compares each ciphertext with that of one text alone.
func compareRequests(e openedEngine, m mode, requests [][]byte, text []byte) error {
	expected := e.cipher.encrypt(nil, newSample(text))
	restoreRequests(requests, text)
	if _, err := serveRequests(e, m, requests); err != nil {
		return err
	}
	for i, ciphertext := range requests {
		if !bytes.Equal(ciphertext, expected) {
			return fmt.Errorf("%s, %s: request %d of %d at once has another ciphertext", e.name, m.name, i, len(requests))
		}
	}
	restoreRequests(requests, text)
	return nil
}

// The goal that the study names, which the report shows beside the average.
const goal = 200 * time.Millisecond

// measureRequests fills the table of the goal.
func measureRequests(p plan, r results) error {
	opened, err := openEngines(p.mode)
	if err != nil {
		return err
	}
	for _, length := range p.requestSizes {
		text := makeText(length.amount)
		if err := compareEngines(p.mode, text); err != nil {
			return err
		}
		requests := makeRequests(p.requests, length.amount)
		for _, e := range opened {
			if err := compareRequests(e, p.mode, requests, text); err != nil {
				return err
			}
		}
		averages, longest := make([][]time.Duration, len(opened)), make([][]time.Duration, len(opened))
		for run := range min(p.repetitions, workloadRuns) {
			for turn := range opened {
				i := (run + turn) % len(opened)
				e := opened[i]
				restoreRequests(requests, text)
				runtime.GC()
				waits, err := serveRequests(e, p.mode, requests)
				if err != nil {
					return err
				}
				averages[i], longest[i] = append(averages[i], waits.average), append(longest[i], waits.longest)
			}
		}
		for i, e := range opened {
			average := durationCell(max(1, median(averages[i])))
			if median(averages[i]) < goal {
				average.text += ", under 200 ms"
			} else {
				average.text += ", not under 200 ms"
			}
			r[place{"goal", length.name, "average", e.name}] = average
			r[place{"goal", length.name, "longest", e.name}] = durationCell(max(1, median(longest[i])))
		}
	}
	return nil
}

// measureAdvice fills the table of advice.
func measureAdvice(p plan, r results) error {
	for _, e := range engines {
		if err := measureAdviceFor(e, p, r); err != nil {
			return err
		}
	}
	return nil
}

// measureAdviceFor fills one engine's column of the table of advice.
func measureAdviceFor(e engine, p plan, r results) error {
	fill := func(row, format string, values ...any) {
		r[place{"advice", row, "In the study", e.name}] = cell{text: fmt.Sprintf(format, values...)}
	}
	largest, longest := p.sizes[len(p.sizes)-1], p.lengths[len(p.lengths)-1]
	text := makeText(largest.amount)
	compressible, random := makeText(longest.amount), makeRandom(longest.amount)

	// What is compared is measured in turns.
	var names []string
	var calls []func()
	add := func(name string, call func()) { names, calls = append(names, name), append(calls, call) }
	var cbc openedEngine
	for _, m := range modes {
		cipher, err := e.open(m)
		if err != nil {
			return err
		}
		if cipher == nil {
			continue
		}
		opened := openedEngine{e, cipher}
		if m.name == "cbc" {
			cbc = opened
		}
		add(m.name, encryption(text)(opened))
	}
	if cbc.cipher.newEncrypter != nil {
		for _, piece := range p.pieces {
			add(piece.name, func() { encryptPieces(cbc.cipher, text, piece.amount) })
		}
	}
	add("compressed", compressThenEncrypt(compressible)(cbc))
	add("plain", encryption(compressible)(cbc))
	times := map[string]time.Duration{}
	for i, time := range measureInTurns(min(p.repetitions, workloadRuns), calls) {
		times[names[i]] = max(1, time)
	}
	ratio := func(name, other string) string { return digits(times[name].Seconds() / times[other].Seconds()) }

	relative := ""
	if times["gcm"] > 0 {
		relative = ", GCM " + ratio("gcm", "ecb") + " ×"
	}
	fill("modes", "%s: CBC %s × the time of ECB%s", largest.name, ratio("cbc", "ecb"), relative)
	if cbc.cipher.newEncrypter != nil {
		var pieces []string
		for _, piece := range p.pieces {
			pieces = append(pieces, piece.name+": "+ratio(piece.name, "cbc")+" ×")
		}
		middle := p.pieces[len(p.pieces)/2]
		fill("streaming", "%s of CBC, with memory for %s: %s × the time at once", largest.name, middle.name, ratio(middle.name, "cbc"))
		fill("chunks", "the same in pieces of %s", strings.Join(pieces, ", "))
	}
	goesOn, done := measureAsynchronous(cbc.cipher, text)
	fill("asynchronous", "%s of CBC in a goroutine: the caller goes on after %s, the ciphertext is there after %s",
		largest.name, formatDuration(goesOn), formatDuration(done))
	fill("compression", "%s: text shrinks to %s %%, random bytes to %s %%; compressed %s, as it is %s", longest.name,
		digits(compressedPercent(compressible)), digits(compressedPercent(random)),
		formatDuration(times["compressed"]), formatDuration(times["plain"]))
	return nil
}

// encryptPieces encrypts a text as a stream does: piece by piece, with memory for one piece. It returns the last piece's
// ciphertext. The text's last block is padded.
func encryptPieces(cipher *keyedCipher, text []byte, pieceLen int) []byte {
	encrypter := cipher.newEncrypter()
	dst := newBuffer(pieceLen)
	for len(text) >= pieceLen {
		encrypter.CryptBlocks(dst, text[:pieceLen])
		text = text[pieceLen:]
	}
	last := pad(append(newBuffer(pieceLen)[:0], text...))
	dst = resize(dst, len(last))
	encrypter.CryptBlocks(dst, last)
	return dst
}

// measureAsynchronous encrypts a text in a goroutine. It returns when the caller went on, and when the ciphertext was there.
func measureAsynchronous(cipher *keyedCipher, text []byte) (goesOn, done time.Duration) {
	own, dst := newSample(text), newBuffer(len(text))
	runtime.GC()
	start := time.Now()
	ciphertext := make(chan []byte, 1)
	go func() { ciphertext <- cipher.encrypt(dst, own) }()
	goesOn = time.Since(start)
	<-ciphertext
	return max(1, goesOn), max(1, time.Since(start))
}

// compressedPercent is how long a text is once compressed, in percent.
func compressedPercent(text []byte) float64 {
	return 100 * float64(len(newCompressor().compress(text))) / float64(len(text))
}

// makeRandom makes bytes that do not compress, under the study's seed.
func makeRandom(length int) []byte {
	source := rand.NewPCG(seed, 1)
	random := newBuffer(length)
	for i := range random {
		random[i] = byte(source.Uint64())
	}
	return random
}
