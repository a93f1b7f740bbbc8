// Package protocol is the engines' side of the benchmark's line protocol (docs/design/bench.md), for engines in Go.
//
// An engine says what it is and what it can do; Serve does the rest: the lines, the clocks, the digests.
package protocol

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// About is what an engine says of itself.
type About struct {
	Name string
	// Of the peer, not of the engine.
	Version string
	// Which of its implementations computes, where it tells; or what else a reader should know.
	Backend string
}

// An Operation is one that an engine offers.
type Operation struct {
	Name string
	// SetUp takes over the input, which has capacity for TagSize bytes behind it. It is not timed.
	SetUp func(input []byte) (*Trial, error)
}

// A Trial is an operation that was set up. The first run is untimed, and its output is what the digest is of.
type Trial struct {
	// Run does the operation once and returns its output. Here is what the clock sees.
	Run func() ([]byte, error)
	// The digest that all engines agree on is that of what Reveal makes of the output; nil is the output itself.
	// Where it is not nil, it reveals what other engines put out as well.
	Reveal func([]byte) ([]byte, error)
	// Units is how many of them one operation has, where that is a question, and Longest the longest that one took. Mean is what
	// they took on average, where they wait for each other.
	Units         int
	Longest, Mean time.Duration

	// The output of the run before.
	output []byte
}

// Serve answers on the standard streams until it is told to quit.
func Serve(about About, operations []Operation) {
	var prepared *Trial
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
			answer = fmt.Sprintf("engine name=%s version=%s backend=%s",
				encode(about.Name), encode(about.Version), encode(about.Backend))
		case "operations":
			answer = "operations"
			for _, operation := range operations {
				answer += " " + operation.Name
			}
		case "prepare":
			prepared, answer, err = prepare(operations, words[1:])
		case "run":
			answer, err = run(prepared, words[1:])
		case "output":
			answer, err = output(prepared)
		case "opens":
			answer, err = opens(prepared, words[1:])
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

// Buffer begins at a cache line, as in every engine, so that none is luckier with its allocator than another.
func Buffer(size int) []byte {
	const line = 64
	bytes := make([]byte, size+line)
	start := -int(uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))) & (line - 1)
	return bytes[start : start+size : start+size]
}

// ModuleVersion is the version of a module that this program was built with.
func ModuleVersion(path string) string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == path {
				return strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	return "unknown"
}

// A value of the protocol.
func encode(text string) string {
	return strings.ReplaceAll(url.PathEscape(text), "=", "%3d")
}

// What an engine does not offer is no failure of it.
type unsupported string

func (what unsupported) Error() string {
	return "it has no " + string(what)
}

func prepare(operations []Operation, words []string) (*Trial, string, error) {
	if len(words) == 0 {
		return nil, "", errors.New("prepare needs an operation")
	}
	for _, operation := range operations {
		if operation.Name != words[0] {
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

func prepareOperation(operation Operation, path string) (*Trial, string, error) {
	input, err := readFile(path)
	if err != nil {
		return nil, "", err
	}
	trial, err := operation.SetUp(input)
	if err != nil {
		return nil, "", err
	}
	output, err := trial.Run()
	if err != nil {
		return nil, "", err
	}
	trial.output = output
	revealed := output
	if trial.Reveal != nil {
		if revealed, err = trial.Reveal(output); err != nil {
			return nil, "", err
		}
	}
	answer := fmt.Sprintf("ready digest=%x bytes=%d", sha256.Sum256(revealed), len(output))
	if trial.Units > 0 {
		answer += fmt.Sprintf(" units=%d", trial.Units)
	}
	resetPeakMemory()
	return trial, answer, nil
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
	data := Buffer(int(info.Size()) + TagSize)[:info.Size()]
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, err
	}
	return data, nil
}

func run(trial *Trial, words []string) (string, error) {
	if trial == nil {
		return "", errors.New("nothing is prepared")
	}
	if len(words) != 1 {
		return "", errors.New("run needs a number")
	}
	iterations, err := strconv.ParseUint(words[0], 10, 64)
	if err != nil || iterations == 0 {
		return "", errors.New("run needs a number")
	}

	trial.Longest, trial.Mean = 0, 0
	cpu, wall := cpuTime(), time.Now()
	for range iterations {
		if trial.output, err = trial.Run(); err != nil {
			return "", err
		}
	}
	elapsed := time.Since(wall)
	used := cpuTime() - cpu

	answer := fmt.Sprintf("sample wall_ns=%d cpu_ns=%d iterations=%d", elapsed, used, iterations)
	if trial.Units > 0 {
		answer += fmt.Sprintf(" longest_ns=%d", trial.Longest)
	}
	if trial.Mean > 0 {
		answer += fmt.Sprintf(" mean_ns=%d", trial.Mean/time.Duration(iterations))
	}
	return answer, nil
}

// No answer holds more.
const outputMaxSize = 1 << 14

// The output of the run before, for another engine.
func output(trial *Trial) (string, error) {
	if trial == nil {
		return "", errors.New("nothing is prepared")
	}
	if len(trial.output) > outputMaxSize {
		return "", fmt.Errorf("an output of %d bytes is too long to be said", len(trial.output))
	}
	return fmt.Sprintf("output hex=%x", trial.output), nil
}

// What another engine's output opens to.
func opens(trial *Trial, words []string) (string, error) {
	if trial == nil {
		return "", errors.New("nothing is prepared")
	}
	if trial.Reveal == nil {
		return "", errors.New("it opens nothing of others")
	}
	if len(words) != 1 {
		return "", errors.New("opens needs an output")
	}
	output, err := hex.DecodeString(words[0])
	if err != nil {
		return "", err
	}
	opened, err := trial.Reveal(output)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("opened digest=%x", sha256.Sum256(opened)), nil
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

func memory(trial *Trial) (string, error) {
	if trial == nil {
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
