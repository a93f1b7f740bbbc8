package main

import "strings"

// A plan is the numbers of the study's test plan. Tests run a short one.
type plan struct {
	// repetitions of one operation in the tables of sizes, and of each other measurement that is repeated.
	repetitions int
	sizes       []size
	// Records of each round.
	sanity, pressure, regression int
	// classes are batches of records, and their sizes are numbers of records.
	classes []size
	// lengths are of texts to compress and encrypt.
	lengths []size
	// requests at once, and what each encrypts.
	requests     int
	requestSizes []size
	// texts that are compressed and encrypted to measure texts a second.
	texts int
	// pieces are lengths of the pieces of a stream.
	pieces []size
	// mode encrypts records, texts and requests. The document does not say which one did.
	mode mode
}

// A size is the name of a row, and how much it is.
type size struct {
	name   string
	amount int
}

// benchmarkName is the size's name without the space.
func (s size) benchmarkName() string { return strings.ReplaceAll(s.name, " ", "") }

const kib = 1024

// studyPlan is the study's plan. Where the document has no number, README.md says which one this is.
var studyPlan = plan{
	repetitions:  100,
	sizes:        []size{{"1 KB", 1_000}, {"1 MB", 1_000_000}, {"10 MB", 10_000_000}},
	sanity:       100,
	pressure:     1_000,
	regression:   500,
	classes:      []size{{"light", 100}, {"medium", 1_000}, {"heavy", 100_000}},
	lengths:      []size{{"1 KB", kib}, {"4 KB", 4 * kib}, {"16 KB", 16 * kib}, {"64 KB", 64 * kib}},
	requests:     1_000,
	requestSizes: []size{{"1,000 requests of 1 KB", kib}, {"1,000 requests of 64 KB", 64 * kib}},
	texts:        1_000,
	pieces:       []size{{"4 KiB", 4 * kib}, {"64 KiB", 64 * kib}, {"1 MiB", kib * kib}},
	mode:         modes[1], // cbc
}
