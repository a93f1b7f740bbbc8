package main

import (
	"runtime"
	"time"
)

// measureInTurns runs each call once without a clock, and then in turns, each as often as said; each turn begins with another
// call. It returns the median time of each call. The garbage of one call is collected before the clock of the next one starts.
func measureInTurns(repetitions int, calls []func()) []time.Duration {
	times := make([][]time.Duration, len(calls))
	for _, call := range calls {
		call()
	}
	for repetition := range repetitions {
		for turn := range calls {
			i := (repetition + turn) % len(calls)
			runtime.GC()
			start := time.Now()
			calls[i]()
			times[i] = append(times[i], time.Since(start))
		}
	}
	medians := make([]time.Duration, len(calls))
	for i := range calls {
		medians[i] = median(times[i])
	}
	return medians
}

// callsPerRepetition is how often a repetition does an operation on so many bytes: often enough that reading the clock does
// not matter.
func callsPerRepetition(length int) int {
	return max(1, 256_000/max(1, length))
}

// measureEngines returns the median time of one operation on so many bytes, for each engine.
func measureEngines(repetitions, length int, opened []openedEngine, operation func(e openedEngine) func()) []time.Duration {
	var calls []func()
	perRepetition := callsPerRepetition(length)
	for _, e := range opened {
		once := operation(e)
		calls = append(calls, func() {
			for range perRepetition {
				once()
			}
		})
	}
	medians := measureInTurns(repetitions, calls)
	for i := range medians {
		// Never zero, so that a clock with long ticks does not divide by it.
		medians[i] = max(1, medians[i]/time.Duration(perRepetition))
	}
	return medians
}

// encryption prepares an engine to encrypt a plaintext over and over into the same memory.
func encryption(plaintext []byte) func(e openedEngine) func() {
	return func(e openedEngine) func() {
		own := newSample(plaintext)
		dst := newBuffer(len(plaintext))
		return func() { dst = e.cipher.encrypt(dst, own) }
	}
}

// decryption prepares an engine to decrypt a plaintext's ciphertext over and over into the same memory.
func decryption(plaintext []byte) func(e openedEngine) func() {
	return func(e openedEngine) func() {
		ciphertext := e.cipher.encrypt(nil, newSample(plaintext))
		dst := newBuffer(len(ciphertext))
		return func() {
			var err error
			if dst, err = e.cipher.decrypt(dst, ciphertext); err != nil {
				panic(e.name + ": " + err.Error()) // the engines were compared with this plaintext before
			}
		}
	}
}

// An operation is one direction of a mode, with its column in the report.
type operation struct {
	mode    string
	prepare func(plaintext []byte) func(e openedEngine) func()
	// The table and the column of times, and the column of rates, if there is one.
	table, column, rateColumn string
}

var operations = []operation{
	{"ecb", encryption, "sizes", "ECB", "ECB MB/s"},
	{"cbc", encryption, "sizes", "CBC", "CBC MB/s"},
	{"cbc", decryption, "others", "CBC decryption", ""},
	{"ecb", decryption, "others", "ECB decryption", ""},
	{"ctr", encryption, "others", "CTR", ""},
	{"gcm", encryption, "others", "GCM", ""},
	{"gcm", decryption, "others", "GCM decryption", ""},
}

// measureSizes fills the tables of sizes.
func measureSizes(p plan, r results) error {
	for _, s := range p.sizes {
		plaintext := makeText(s.amount)
		for _, m := range modes {
			if err := compareEngines(m, plaintext); err != nil {
				return err
			}
		}
		for _, o := range operations {
			m, err := modeNamed(o.mode)
			if err != nil {
				return err
			}
			opened, err := openEngines(m)
			if err != nil {
				return err
			}
			for i, time := range measureEngines(p.repetitions, s.amount, opened, o.prepare(plaintext)) {
				r[place{o.table, s.name, o.column, opened[i].name}] = durationCell(time)
				if o.rateColumn != "" {
					r[place{o.table, s.name, o.rateColumn, opened[i].name}] = rateCell(float64(s.amount) / 1e6 / time.Seconds())
				}
			}
		}
	}
	return nil
}
