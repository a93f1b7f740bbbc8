// The Go engine of the benchmark: the standard library and golang.org/x/crypto behind the protocol of
// docs/design/bench.md.
//
// The ciphers are made once for a key. Everything is sealed and opened in place, with the destination at the start of
// the buffer that is read, as the documentation of cipher.AEAD describes; buffers have room for a tag, so that nothing
// is allocated while the clock runs.
package main

import (
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/crypto/chacha20poly1305"
)

// A job is what was prepared.
type job struct {
	// Does the operation once and returns its output.
	run func() ([]byte, error)
	// The digest that all engines agree on is that of what this makes of the output; nil is the output itself.
	reveal func([]byte) ([]byte, error)
	// For operations on records.
	units   int
	longest time.Duration
}

// An operation takes over the input, which has capacity for a tag behind it.
type operation struct {
	name   string
	cipher func(key []byte) (cipher.AEAD, error)
	setUp  func(aead cipher.AEAD, nonce, input []byte) (*job, error)
}

var operations = []operation{
	{"aead/aes-256-gcm/seal", newAES256GCM, setUpSeal},
	{"aead/aes-256-gcm/open", newAES256GCM, setUpOpen},
	{"aead/chacha20-poly1305/seal", chacha20poly1305.New, setUpSeal},
	{"aead/chacha20-poly1305/open", chacha20poly1305.New, setUpOpen},
	{"workload/records/seal", newAES256GCM, setUpRecords},
	{"workload/text/seal", newAES256GCM, setUpSeal},
	{"workload/text/deflate-seal", newAES256GCM, setUpDeflate},
}

const (
	keySize   = 32
	nonceSize = 12
	tagSize   = 16
)

func newAES256GCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// Sealing again what is sealed already is the same work, so nothing is restored between two runs.
func setUpSeal(aead cipher.AEAD, nonce, input []byte) (*job, error) {
	return &job{run: func() ([]byte, error) {
		return aead.Seal(input[:0], nonce, input, nil), nil
	}}, nil
}

// Opening in place destroys its input, so every run begins with a copy of it.
func setUpOpen(aead cipher.AEAD, nonce, input []byte) (*job, error) {
	sealed := aead.Seal(input[:0], nonce, input, nil)
	work := buffer(len(sealed))
	return &job{run: func() ([]byte, error) {
		copy(work, sealed)
		return aead.Open(work[:0], nonce, work, nil)
	}}, nil
}

// Spreads the lines, so that each has room for its tag. An end of a line is one line feed; the last needs none.
func setUpRecords(aead cipher.AEAD, _, input []byte) (*job, error) {
	var lines [][]byte
	for len(input) > 0 {
		line, rest, _ := bytes.Cut(input, []byte{'\n'})
		lines = append(lines, line)
		input = rest
	}
	size := 0
	for _, line := range lines {
		size += len(line) + tagSize
	}
	work := buffer(size)[:0]
	records := make([][]byte, len(lines))
	for i, line := range lines {
		start := len(work)
		work = append(work, line...)
		records[i] = work[start:]
		work = work[:len(work)+tagSize]
	}

	job := &job{units: len(records)}
	nonce := make([]byte, nonceSize)
	job.run = func() ([]byte, error) {
		start := time.Now()
		before := time.Since(start)
		for i, record := range records {
			binary.BigEndian.PutUint64(nonce[nonceSize-8:], uint64(i))
			aead.Seal(record[:0], nonce, record, nil)
			now := time.Since(start)
			job.longest = max(job.longest, now-before)
			before = now
		}
		return work, nil
	}
	return job, nil
}

func setUpDeflate(aead cipher.AEAD, nonce, input []byte) (*job, error) {
	compressor, err := flate.NewWriter(nil, 6)
	if err != nil {
		return nil, err
	}
	// What cannot be compressed grows by five bytes a block of at most 64 KiB.
	work := bytes.NewBuffer(buffer(len(input) + len(input)/1000 + 1024)[:0])
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
	return &job{run: run, reveal: reveal}, nil
}

// Buffers begin at a cache line in every engine, so that none is luckier with its allocator than another.
func buffer(size int) []byte {
	const line = 64
	bytes := make([]byte, size+line)
	start := -int(uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))) & (line - 1)
	return bytes[start : start+size : start+size]
}

// ---- The protocol --------------------------------------------------------------------------------------------------

func main() {
	var prepared *job
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil || line == "quit\n" {
			return
		}
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		var answer string
		switch words[0] {
		case "hello":
			answer = hello()
		case "operations":
			answer = listOperations()
		case "prepare":
			prepared, answer, err = prepare(words[1:])
		case "run":
			answer, err = run(prepared, words[1:])
		case "memory":
			answer, err = memory(prepared)
		default:
			err = fmt.Errorf("no command %q", words[0])
		}
		switch err := err.(type) {
		case nil:
		case unsupported:
			answer = "unsupported " + err.Error()
		default:
			answer = "error " + err.Error()
		}
		fmt.Println(answer)
	}
}

// What an engine does not offer is no failure of it.
type unsupported string

func (what unsupported) Error() string {
	return "it has no " + string(what)
}

func hello() string {
	version := "unknown"
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == "golang.org/x/crypto" {
				version = module.Version
			}
		}
	}
	backend := url.PathEscape("golang.org/x/crypto " + version)
	return "engine name=go version=" + strings.TrimPrefix(runtime.Version(), "go") + " backend=" + backend
}

func listOperations() string {
	answer := "operations"
	for _, operation := range operations {
		answer += " " + operation.name
	}
	return answer
}

func prepare(words []string) (*job, string, error) {
	if len(words) == 0 {
		return nil, "", errors.New("prepare needs an operation")
	}
	for _, operation := range operations {
		if operation.name != words[0] {
			continue
		}
		path, err := inputPath(words[1:])
		if err != nil {
			return nil, "", err
		}
		return prepareOperation(operation, path)
	}
	return nil, "", unsupported("operation " + words[0])
}

// The options of prepare are no more than the protocol's own: nothing here can be chosen.
func inputPath(words []string) (string, error) {
	path := ""
	for _, word := range words {
		name, encoded, found := strings.Cut(word, "=")
		if !found {
			return "", fmt.Errorf("not KEY=VALUE: %s", word)
		}
		value, err := url.PathUnescape(encoded)
		if err != nil {
			return "", err
		}
		switch name {
		case "input":
			path = value
		case "dir":
		default:
			return "", unsupported("option " + name)
		}
	}
	if path == "" {
		return "", errors.New("prepare needs input=FILE")
	}
	return path, nil
}

func prepareOperation(operation operation, path string) (*job, string, error) {
	key, nonce := make([]byte, keySize), make([]byte, nonceSize)
	for i := range key {
		key[i] = byte(i)
	}
	for i := range nonce {
		nonce[i] = byte(0x40 + i)
	}
	aead, err := operation.cipher(key)
	if err != nil {
		return nil, "", err
	}
	input, err := readFile(path)
	if err != nil {
		return nil, "", err
	}
	job, err := operation.setUp(aead, nonce, input)
	if err != nil {
		return nil, "", err
	}
	output, err := job.run()
	if err != nil {
		return nil, "", err
	}
	revealed := output
	if job.reveal != nil {
		if revealed, err = job.reveal(output); err != nil {
			return nil, "", err
		}
	}
	answer := fmt.Sprintf("ready digest=%x bytes=%d", sha256.Sum256(revealed), len(output))
	if operation.name == "workload/records/seal" {
		answer += fmt.Sprintf(" units=%d", job.units)
	}
	resetPeakMemory()
	return job, answer, nil
}

// Reads a file into a slice with capacity for a tag behind it.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	data := buffer(int(info.Size()) + tagSize)[:info.Size()]
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, err
	}
	return data, nil
}

func run(job *job, words []string) (string, error) {
	if job == nil {
		return "", errors.New("nothing is prepared")
	}
	if len(words) != 1 {
		return "", errors.New("run needs a number")
	}
	iterations, err := strconv.ParseUint(words[0], 10, 64)
	if err != nil || iterations == 0 {
		return "", errors.New("run needs a number")
	}

	job.longest = 0
	cpu, wall := cpuTime(), time.Now()
	for range iterations {
		if _, err := job.run(); err != nil {
			return "", err
		}
	}
	elapsed := time.Since(wall)
	used := cpuTime() - cpu

	answer := fmt.Sprintf("sample wall_ns=%d cpu_ns=%d iterations=%d", elapsed, used, iterations)
	if job.units > 0 {
		answer += fmt.Sprintf(" longest_ns=%d", job.longest)
	}
	return answer, nil
}

// All threads' time, in the program and in the kernel for it.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic("engine: getrusage: " + err.Error())
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Where the kernel does not allow it, the peak is that since the process began, which is more.
func resetPeakMemory() {
	// What the garbage collector keeps of the operation before is none of this one's.
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

func memory(job *job) (string, error) {
	if job == nil {
		return "", errors.New("nothing is prepared")
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(status)) {
		var kib uint64
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kib); err == nil {
			return fmt.Sprintf("memory peak_bytes=%d", kib*1024), nil
		}
	}
	return "", errors.New("/proc/self/status has no VmHWM")
}
