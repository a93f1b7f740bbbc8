package main

import (
	"bytes"
	"fmt"
	"runtime"
	"time"
)

// measureSamples fills the table of samples with what the rule engine made.
func measureSamples(p plan, r results) {
	e := newRuleEngine(seed)
	classes := map[class]int{}
	for range p.pressure {
		classes[e.next().class]++
	}
	records := newRuleEngine(seed)
	first := records.next()
	for first.class != typical {
		first = records.next()
	}
	fill := func(row, text string) { r[place{"samples", row, "Plan", ""}] = cell{text: text} }
	fill("seed", fmt.Sprint(seed))
	fill("records", count(p.pressure))
	fill("boundary records", count(classes[boundary]))
	fill("abnormal records", count(classes[abnormal]))
	fill("typical records", count(classes[typical]))
	fill("random perturbation", "of each value, by up to 5 %")
	fill("user id", "for example "+first.user)
	fill("action", "for example "+first.action)
	fill("timestamp", "one a minute, for example "+first.minute)
	fill("value", "mean 100, for example "+first.value)
}

// A pressure is what the round pressure measured of one engine.
type pressure struct {
	median, slow, longest time.Duration
	// Records a second.
	rate float64
	// Records, and those of them that did not come back right.
	records, errors int
	// Bytes of all ciphertexts, and bytes that were allocated.
	memory float64
}

// measureRounds runs the rounds, and fills their table and that of the score. It returns the baseline of this run.
func measureRounds(p plan, archived baseline, r results) (baseline, error) {
	made, err := newBaseline(p)
	if err != nil {
		return made, err
	}
	made.CPU, made.Mode, made.Medians = cpuName(), p.mode.name, map[string]int64{}

	for _, e := range engines {
		right, of, err := checkSanity(e, makeSamples(p.sanity))
		if err != nil {
			return made, err
		}
		r[place{"rounds", "sanity", "Plan", e.name}] = cell{text: fmt.Sprintf("%s of %s right", count(right), count(of))}
	}

	opened, err := openEngines(p.mode)
	if err != nil {
		return made, err
	}
	pressures := make([]pressure, len(opened))
	for i, e := range opened {
		pressures[i] = measurePressure(e.cipher, makeSamples(p.pressure))
		made.Medians[e.name] = pressures[i].median.Nanoseconds()
		r[place{"rounds", "pressure", "Plan", e.name}] = cell{
			text: fmt.Sprintf("median %s, 95 %% within %s, longest %s; %s records a second; %s errors",
				formatDuration(pressures[i].median), formatDuration(pressures[i].slow), formatDuration(pressures[i].longest),
				digits(pressures[i].rate), count(pressures[i].errors)),
		}
		archive, err := made.output(p.mode.name, p.pressure)
		if err != nil {
			return made, err
		}
		r[place{"rounds", "archive", "Plan", e.name}] = cell{
			text: fmt.Sprintf("SHA-256 of ciphertexts %s…, median %s", archive[:8], formatDuration(pressures[i].median)),
		}
	}
	fillScores(opened, pressures, r)

	for _, e := range engines {
		text, err := checkRegression(e, p, archived, made.Medians[e.name])
		if err != nil {
			return made, err
		}
		r[place{"rounds", "regression", "Plan", e.name}] = cell{text: text}
	}
	return made, nil
}

// checkSanity encrypts and decrypts the samples in all modes of an engine, and compares each ciphertext with the first
// engine's. It returns how many were right, of how many.
func checkSanity(e engine, samples [][]byte) (right, of int, err error) {
	for _, m := range modes {
		cipher, err := e.open(m)
		if err != nil {
			return 0, 0, err
		}
		if cipher == nil {
			continue
		}
		first, err := engines[0].open(m)
		if err != nil {
			return 0, 0, err
		}
		for _, sample := range samples {
			expected := first.encrypt(nil, sample)
			ciphertext := cipher.encrypt(nil, sample)
			plaintext, err := cipher.decrypt(nil, ciphertext)
			if err == nil && bytes.Equal(ciphertext, expected) && bytes.Equal(plaintext, sample) {
				right++
			}
			of++
		}
	}
	return right, of, nil
}

// measurePressure encrypts all samples once for warming up, and then with a clock for each. It decrypts after the clock.
func measurePressure(cipher *keyedCipher, samples [][]byte) pressure {
	ciphertexts := make([][]byte, len(samples))
	encryptAll := func(measured func(time.Duration)) {
		for i, sample := range samples {
			start := time.Now()
			ciphertexts[i] = cipher.encrypt(ciphertexts[i], sample)
			measured(time.Since(start))
		}
	}
	encryptAll(func(time.Duration) {})
	times := make([]time.Duration, 0, len(samples))
	var total time.Duration
	used := measureMemory(func() {
		start := time.Now()
		encryptAll(func(time time.Duration) { times = append(times, time) })
		total = time.Since(start)
	})

	result := pressure{
		median:  max(1, median(times)),
		slow:    percentile(times, 95),
		longest: percentile(times, 100),
		rate:    float64(len(samples)) / max(1, total).Seconds(),
		records: len(samples),
		memory:  float64(used.allocated),
	}
	for i, sample := range samples {
		result.memory += float64(len(ciphertexts[i]))
		if plaintext, err := cipher.decrypt(nil, ciphertexts[i]); err != nil || !bytes.Equal(plaintext, sample) {
			result.errors++
		}
	}
	return result
}

// checkRegression compares an engine with a baseline: the same ciphertexts in each of its modes, which it still decrypts;
// and its time, where the baseline has one of the same processor and mode.
func checkRegression(e engine, p plan, archived baseline, medianNanoseconds int64) (string, error) {
	samples := makeSamples(p.regression)
	same, of := 0, 0
	for _, m := range modes {
		cipher, err := e.open(m)
		if err != nil {
			return "", err
		}
		if cipher == nil {
			continue
		}
		of++
		expected, err := archived.output(m.name, p.regression)
		if err != nil {
			// A baseline of another plan has no output that is the same.
			continue
		}
		if digestOutputs(cipher, samples) == expected && decryptsAll(cipher, samples) {
			same++
		}
	}
	text := fmt.Sprintf("%s records: same output in %d of %d modes", count(p.regression), same, of)
	if before := archived.Medians[e.name]; before > 0 && medianNanoseconds > 0 && archived.CPU == cpuName() && archived.Mode == p.mode.name {
		text += fmt.Sprintf("; %s × the baseline's time", digits(float64(medianNanoseconds)/float64(before)))
	}
	return text, nil
}

func decryptsAll(cipher *keyedCipher, samples [][]byte) bool {
	for _, sample := range samples {
		plaintext, err := cipher.decrypt(nil, cipher.encrypt(nil, sample))
		if err != nil || !bytes.Equal(plaintext, sample) {
			return false
		}
	}
	return true
}

// The weights of the study's score, out of 100.
const (
	responseWeight   = 40.0
	throughputWeight = 30.0
	errorWeight      = 20.0
	resourceWeight   = 10.0
)

// fillScores fills the table of the score.
func fillScores(opened []openedEngine, pressures []pressure, r results) {
	for i, s := range scores(pressures) {
		fill := func(row string, points, of float64) {
			r[place{"score", row, "Weight", opened[i].name}] = cell{text: fmt.Sprintf("%.1f of %.0f", points, of)}
		}
		fill("response time", s.response, responseWeight)
		fill("throughput", s.throughput, throughputWeight)
		fill("error rate", s.errors, errorWeight)
		fill("resources", s.resources, resourceWeight)
		fill("all", s.response+s.throughput+s.errors+s.resources, 100)
	}
}

// A score is an engine's points in each part.
type score struct {
	response, throughput, errors, resources float64
}

// scores gives the best engine of each part all its points, and each other engine as many as its ratio to the best. For
// errors, the best is none.
func scores(pressures []pressure) []score {
	best := pressures[0]
	for _, p := range pressures {
		best.median = min(best.median, p.median)
		best.rate = max(best.rate, p.rate)
		best.memory = min(best.memory, p.memory)
	}
	all := make([]score, len(pressures))
	for i, p := range pressures {
		all[i] = score{
			response:   responseWeight * best.median.Seconds() / p.median.Seconds(),
			throughput: throughputWeight * p.rate / best.rate,
			errors:     errorWeight * (1 - float64(p.errors)/float64(p.records)),
			resources:  resourceWeight * best.memory / p.memory,
		}
	}
	return all
}

// A usage is what work cost besides its time.
type usage struct {
	// Bytes that Go allocated. It does not know what C and Rust allocate.
	allocated uint64
	// How long the garbage collector stopped the program.
	pause time.Duration
}

// measureMemory does some work, and measures what it allocates.
func measureMemory(work func()) usage {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return usage{after.TotalAlloc - before.TotalAlloc, time.Duration(after.PauseTotalNs - before.PauseTotalNs)}
}
