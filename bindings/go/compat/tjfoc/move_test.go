//go:build cgo

package tjfoc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	example = "../../../../examples/go/move"
	guide   = "../../../../docs/guide/from-gmsm.md"
)

// blocks are those of the guide in a language.
func blocks(t *testing.T, language string) (found []string) {
	t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		found = append(found, block)
	}
	return found
}

// module makes a module of one file. Its function runs a program in it.
func module(t *testing.T, source string) func(name string, arguments ...string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"main.go": source, "go.mod": "module example.com/move\n\ngo 1.25\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string, arguments ...string) string {
		t.Helper()
		command := exec.Command(name, arguments...)
		command.Dir, command.Env = folder, append(os.Environ(), "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOPROXY=off")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, arguments, err, out)
		}
		return string(out)
	}
}

// commands are those of the guide that change the imports of a service.
func commands(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	return "set -e\n" + strings.ReplaceAll(blocks(t, "sh")[0], "SEALSTONE", root)
}

// The service of examples/go/move, with its imports changed, and nothing else.
func TestAServiceMovesByItsImports(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(example, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	run := module(t, string(source))
	run("sh", "-c", commands(t))
	run("go", "build", "-tags", tags, "-o", "service", ".")
	before, err := filepath.Abs(filepath.Join(example, "before"))
	if err != nil {
		t.Fatal(err)
	}
	// The digits of its key lack two zeros.
	if digits, err := os.ReadFile(filepath.Join(before, "receiver.hex")); err != nil || len(digits) != 62 {
		t.Fatal(len(digits), err)
	}
	want := "0 attack at dawn\n1 sixteen bytes ..\n2 the third record is longer than two blocks of SM4\n3 订单 0001\n"
	if got := run("./service", "read", before); got != want {
		t.Fatalf("what it wrote before: %s", got)
	}
	after := t.TempDir()
	run("./service", "write", after)
	if got := run("./service", "read", after); got != want {
		t.Fatalf("what it wrote after: %s", got)
	}
}

// Each program of the guide prints what its comments say.
func TestProgramsOfTheGuide(t *testing.T) {
	programs := blocks(t, "go")
	if len(programs) != 2 {
		t.Fatal(len(programs))
	}
	for _, source := range programs {
		run := module(t, source)
		run("sh", "-c", commands(t))
		want := ""
		for _, line := range strings.Split(source, "\n") {
			if printed, comment, found := strings.Cut(line, ") // "); found && strings.Contains(printed, "fmt.Println(") {
				want += comment + "\n"
			}
		}
		if got := run("go", "run", "-tags", tags, "."); got != want || want == "" {
			t.Fatalf("%s, not %s", got, want)
		}
	}
}
