package peers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The service of examples/go/move over tjfoc/gmsm and over compat/tjfoc: each reads what the other wrote.
func TestTheServiceBeforeAndAfterItMoved(t *testing.T) {
	source := string(must(os.ReadFile("../../../examples/go/move/main.go")))
	moved := strings.ReplaceAll(source, `"github.com/tjfoc/gmsm/`, `"sealstone.example/go/compat/tjfoc/`)
	if strings.Count(moved, `"sealstone.example/go/compat/tjfoc/`) != 4 {
		t.Fatal("the imports of the example have changed")
	}
	module := strings.Replace(string(must(os.ReadFile("go.mod"))), "=> ../", "=> "+must(filepath.Abs("..")), 1)
	run := func(folder, name string, arguments ...string) string {
		t.Helper()
		command := exec.Command(name, arguments...)
		command.Dir, command.Env = folder, append(os.Environ(), "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, arguments, err, out)
		}
		return string(out)
	}
	var programs []string
	for _, text := range []string{source, moved} {
		folder := t.TempDir()
		for name, data := range map[string][]byte{"main.go": []byte(text), "go.mod": []byte(module), "go.sum": must(os.ReadFile("go.sum"))} {
			must(0, os.WriteFile(filepath.Join(folder, name), data, 0o600))
		}
		run(folder, "go", "build", "-o", "service", ".")
		programs = append(programs, filepath.Join(folder, "service"))
	}
	for i := range programs {
		folder := t.TempDir()
		run(folder, programs[i], "write", folder)
		if first, second := run(folder, programs[0], "read", folder), run(folder, programs[1], "read", folder); first != second || strings.Count(first, "\n") != 4 {
			t.Fatal(first, second)
		}
	}
}
