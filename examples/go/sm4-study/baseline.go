package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
)

// A baseline is what a run archived for later runs: digests of the ciphertexts of the first samples, and times of the
// machine that made it.
type baseline struct {
	Seed uint64 `json:"seed"`
	// CPU is empty where the baseline has no times.
	CPU     string           `json:"cpu,omitempty"`
	Outputs []baselineOutput `json:"outputs"`
	// Medians of a record in the round pressure, in nanoseconds, by engine.
	Medians map[string]int64 `json:"medians_ns,omitempty"`
	// Mode of the medians.
	Mode string `json:"mode,omitempty"`
}

// A baselineOutput is the SHA-256 of the ciphertexts of the first records in a mode, each after its length.
type baselineOutput struct {
	Mode    string `json:"mode"`
	Records int    `json:"records"`
	SHA256  string `json:"sha256"`
}

//go:embed baseline.json
var archivedBaseline []byte

// baselineMaxLen is more than any baseline has. A longer file is something else.
const baselineMaxLen = 1 << 16

// readBaseline reads an archived baseline. Without a name it is that of this example, which has no times.
func readBaseline(path string) (baseline, error) {
	text := archivedBaseline
	if path != "" {
		file, err := os.Open(path)
		if err != nil {
			return baseline{}, err
		}
		defer file.Close()
		if text, err = io.ReadAll(io.LimitReader(file, baselineMaxLen+1)); err != nil {
			return baseline{}, err
		}
		if len(text) > baselineMaxLen {
			return baseline{}, fmt.Errorf("%s is longer than a baseline", path)
		}
	}
	var b baseline
	if err := json.Unmarshal(text, &b); err != nil {
		return baseline{}, fmt.Errorf("the baseline is no JSON of this program: %w", err)
	}
	if b.Seed != seed {
		return baseline{}, fmt.Errorf("the baseline has samples of seed %d, not %d", b.Seed, seed)
	}
	return b, nil
}

// write archives a baseline in a new file. It never replaces one.
func (b baseline) write(path string) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

// newBaseline makes the outputs of a baseline with the first engine, for each number of records in the plan's rounds.
func newBaseline(p plan) (baseline, error) {
	b := baseline{Seed: seed}
	for _, m := range modes {
		cipher, err := engines[0].open(m)
		if err != nil {
			return b, err
		}
		for _, records := range []int{p.sanity, p.regression, p.pressure} {
			b.Outputs = append(b.Outputs, baselineOutput{m.name, records, digestOutputs(cipher, makeSamples(records))})
		}
	}
	return b, nil
}

// output finds the digest of a mode and a number of records.
func (b baseline) output(mode string, records int) (string, error) {
	i := slices.IndexFunc(b.Outputs, func(o baselineOutput) bool { return o.Mode == mode && o.Records == records })
	if i < 0 {
		return "", fmt.Errorf("the baseline has no output of %d records in %s", records, mode)
	}
	return b.Outputs[i].SHA256, nil
}

// digestOutputs is the SHA-256 of the ciphertexts of all samples, each after its length in eight bytes, big-endian.
func digestOutputs(cipher *keyedCipher, samples [][]byte) string {
	hash := sha256.New()
	for _, sample := range samples {
		ciphertext := cipher.encrypt(nil, sample)
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(ciphertext))))
		hash.Write(ciphertext)
	}
	return hex.EncodeToString(hash.Sum(nil))
}
