package main

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// The study's key and IV: 16 bytes of text each.
const (
	studyKey = "1234567890abcdef"
	studyIV  = "fedcba0987654321"
)

// An engine is one library's SM4.
type engine struct {
	// name stands in the names of benchmarks and at the top of columns.
	name string
	// module is the path of the library's Go module.
	module string
	// isShared says whether goroutines may use one cipher of this engine at the same time.
	isShared bool
	// modes has a function for each mode that the library offers.
	modes map[string]newCipher
}

// engines is the table of engines. Ratios in the report are against the first one.
var engines = []engine{
	{name: "tjfoc", module: "github.com/tjfoc/gmsm", modes: tjfocModes},
	{name: "tjfoc-functions", module: "github.com/tjfoc/gmsm", isShared: true, modes: tjfocFunctions},
	{name: "emmansun", module: "github.com/emmansun/gmsm", isShared: true, modes: emmansunModes},
	{name: "sealstone", module: "sealstone.example/go", isShared: true, modes: sealstoneModes},
}

// A mode is a way to encrypt more than one block.
type mode struct {
	// name stands in the names of benchmarks.
	name string
	// isPadded says whether PKCS #7 fills the last block. The other modes take any length.
	isPadded bool
}

// modes are the two that the study measured, and two that it did not.
var modes = []mode{
	{name: "ecb", isPadded: true},
	{name: "cbc", isPadded: true},
	{name: "ctr"},
	{name: "gcm"},
}

// modeNamed finds a mode by its name.
func modeNamed(name string) (mode, error) {
	i := slices.IndexFunc(modes, func(m mode) bool { return m.name == name })
	if i < 0 {
		return mode{}, fmt.Errorf("there is no mode %q: write ecb, cbc, ctr or gcm", name)
	}
	return modes[i], nil
}

// title is the mode's name as the study writes it.
func (m mode) title() string { return strings.ToUpper(m.name) }

// open makes the engine's cipher in this mode under the study's key and IV. It returns nil where the engine does not have
// the mode.
func (e engine) open(m mode) (*keyedCipher, error) {
	newCipher, found := e.modes[m.name]
	if !found {
		return nil, nil
	}
	cipher, err := newCipher([]byte(studyKey), []byte(studyIV))
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", e.name, m.name, err)
	}
	return cipher, nil
}

// An openedEngine is an engine with its cipher in one mode.
type openedEngine struct {
	engine
	cipher *keyedCipher
}

// openEngines opens all engines that have a mode, in the order of the table.
func openEngines(m mode) ([]openedEngine, error) {
	var opened []openedEngine
	for _, e := range engines {
		cipher, err := e.open(m)
		if err != nil {
			return nil, err
		}
		if cipher != nil {
			opened = append(opened, openedEngine{e, cipher})
		}
	}
	return opened, nil
}

// forRequest returns the cipher that one of many concurrent requests uses: the shared one, or one of its own.
func (e openedEngine) forRequest(m mode) (*keyedCipher, error) {
	if e.isShared {
		return e.cipher, nil
	}
	return e.open(m)
}

// version is the version of the engine's module in this program.
func (e engine) version() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == e.module {
				if module.Replace != nil && module.Replace.Version == "(devel)" {
					return "of this repository"
				}
				return module.Version
			}
		}
	}
	return "of an unknown version"
}
