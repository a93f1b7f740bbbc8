package main

import (
	"fmt"
	"testing"
	"time"
)

// Benchmarks are named size/mode/engine. Before the first clock of a size and a mode, all engines are compared.

func BenchmarkEncrypt(b *testing.B) {
	runEngines(b, studyPlan.sizes, func(b *testing.B, e openedEngine, m mode, s size) {
		repeat(b, e, m, s, makeText(s.amount), encryption)
	})
}

func BenchmarkDecrypt(b *testing.B) {
	runEngines(b, studyPlan.sizes, func(b *testing.B, e openedEngine, m mode, s size) {
		repeat(b, e, m, s, makeText(s.amount), decryption)
	})
}

// BenchmarkCompress compresses and then encrypts.
func BenchmarkCompress(b *testing.B) {
	runEngines(b, studyPlan.lengths, func(b *testing.B, e openedEngine, m mode, length size) {
		text := makeText(length.amount)
		compareOnce(b, m, "compressed "+length.name, newCompressor().compress(text))
		repeat(b, e, m, length, text, compressThenEncrypt)
	})
}

// BenchmarkRecords encrypts the batches of the classes of workload, one record after the other.
func BenchmarkRecords(b *testing.B) {
	runEngines(b, studyPlan.classes, func(b *testing.B, e openedEngine, m mode, class size) {
		samples := makeSamples(class.amount)
		for i, sample := range samples[:min(len(samples), studyPlan.sanity)] {
			compareOnce(b, m, fmt.Sprint("record ", i), sample)
		}
		var dst []byte
		b.ReportAllocs()
		for b.Loop() {
			for _, sample := range samples {
				dst = e.cipher.encrypt(dst, sample)
			}
		}
		b.ReportMetric(float64(len(samples)*b.N)/b.Elapsed().Seconds(), "records/s")
	})
}

// BenchmarkRequests encrypts 1,000 texts that come at once.
func BenchmarkRequests(b *testing.B) {
	runEngines(b, []size{{"1 KB", kib}, {"64 KB", 64 * kib}}, func(b *testing.B, e openedEngine, m mode, length size) {
		text := makeText(length.amount)
		compareOnce(b, m, "request "+length.name, text)
		requests := makeRequests(studyPlan.requests, length.amount)
		if err := compareRequests(e, m, requests, text); err != nil {
			b.Fatal(err)
		}
		var average time.Duration
		b.SetBytes(int64(len(requests) * length.amount))
		for b.Loop() {
			b.StopTimer()
			restoreRequests(requests, text)
			b.StartTimer()
			waits, err := serveRequests(e, m, requests)
			if err != nil {
				b.Fatal(err)
			}
			average += waits.average
		}
		b.ReportMetric(float64(average)/float64(time.Millisecond)/float64(b.N), "ms-average")
	})
}

// runEngines runs a benchmark for each size, each mode, and each engine that has the mode.
func runEngines(b *testing.B, sizes []size, run func(b *testing.B, e openedEngine, m mode, s size)) {
	for _, s := range sizes {
		b.Run(s.benchmarkName(), func(b *testing.B) {
			for _, m := range modes {
				opened, err := openEngines(m)
				if err != nil {
					b.Fatal(err)
				}
				b.Run(m.name, func(b *testing.B) {
					for _, e := range opened {
						b.Run(e.name, func(b *testing.B) { run(b, e, m, s) })
					}
				})
			}
		})
	}
}

// repeat compares the engines, and then repeats one engine's operation.
func repeat(b *testing.B, e openedEngine, m mode, s size, text []byte, prepare func(plaintext []byte) func(e openedEngine) func()) {
	compareOnce(b, m, s.name, text)
	once := prepare(text)(e)
	b.SetBytes(int64(s.amount))
	b.ReportAllocs()
	for b.Loop() {
		once()
	}
}

// compared names the modes and plaintexts for which the engines were compared.
var compared = map[string]bool{}

// compareOnce compares all engines, unless they were compared with this plaintext already.
func compareOnce(b *testing.B, m mode, name string, plaintext []byte) {
	b.Helper()
	name = fmt.Sprint(m.name, " ", name, " ", len(plaintext))
	if compared[name] {
		return
	}
	if err := compareEngines(m, plaintext); err != nil {
		b.Fatal(err)
	}
	compared[name] = true
}
