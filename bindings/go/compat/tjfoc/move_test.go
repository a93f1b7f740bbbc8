//go:build cgo

package tjfoc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The service of examples/go/move, with its imports changed, and nothing else.
const example = "../../../../examples/go/move"

func TestAServiceMovesByItsImports(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(example, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	moved := strings.ReplaceAll(string(source), `"github.com/tjfoc/gmsm/`, `"sealstone.example/go/compat/tjfoc/`)
	if strings.Count(moved, `"sealstone.example/go/compat/tjfoc/`) != 4 {
		t.Fatal("the imports of the example have changed")
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"main.go": moved,
		"go.mod":  "module example.com/move\n\ngo 1.25\n\nrequire sealstone.example/go v0.0.0\n\nreplace sealstone.example/go => " + module + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(folder, "move")
	run := func(name string, arguments ...string) string {
		t.Helper()
		command := exec.Command(name, arguments...)
		command.Dir, command.Env = folder, append(os.Environ(), "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOPROXY=off")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, arguments, err, out)
		}
		return string(out)
	}
	run("go", "build", "-tags", tags, "-o", program, ".")
	before, err := filepath.Abs(filepath.Join(example, "before"))
	if err != nil {
		t.Fatal(err)
	}
	// The digits of its key lack two zeros.
	if digits, err := os.ReadFile(filepath.Join(before, "receiver.hex")); err != nil || len(digits) != 62 {
		t.Fatal(len(digits), err)
	}
	want := "0 attack at dawn\n1 sixteen bytes ..\n2 the third record is longer than two blocks of SM4\n3 订单 0001\n"
	if got := run(program, "read", before); got != want {
		t.Fatalf("what it wrote before: %s", got)
	}
	after := t.TempDir()
	run(program, "write", after)
	if got := run(program, "read", after); got != want {
		t.Fatalf("what it wrote after: %s", got)
	}
}
