package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheReportShowsEveryRowOfTheDocument(t *testing.T) {
	var report strings.Builder
	if err := writeReport(&report, studyPlan, results{}); err != nil {
		t.Fatal(err)
	}
	for _, table := range document {
		_, section, found := strings.Cut(report.String(), "\n## "+table.title+"\n")
		if !found {
			t.Errorf("no table %q", table.title)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		for i, column := range table.columns {
			_, printed, found := strings.Cut(section, fmt.Sprintf("\n| %s | published |", column))
			if !found {
				t.Errorf("%s: no column %q", table.name, column)
			}
			printed, _, _ = strings.Cut(printed, "\n\n")
			for _, row := range table.rows {
				if len(row.published) != len(table.columns) {
					t.Fatalf("%s, %s: %d cells for %d columns", table.name, row.name, len(row.published), len(table.columns))
				}
				if !strings.Contains(printed, fmt.Sprintf("\n| %s | %s | ", row.name, row.published[i])) {
					t.Errorf("%s, %s: the row %q with %q is missing", table.name, column, row.name, row.published[i])
				}
			}
		}
	}
	for _, quoted := range []string{"i7-11800H", "Go 1.21", "tjfoc/gmsm", "100 repetitions", "1234567890abcdef", "fedcba0987654321"} {
		if !strings.Contains(report.String(), quoted) {
			t.Errorf("the report does not say %s", quoted)
		}
	}
}

func TestTheDocumentHasAllItsRows(t *testing.T) {
	expected := map[string]int{
		"sizes": 3, "samples": 10, "rounds": 4, "score": 4, "classes": 3, "lengths": 4, "goal": 2, "advice": 5, "others": 0,
	}
	if len(document) != len(expected) {
		t.Errorf("%d tables", len(document))
	}
	for _, table := range document {
		rows := 0
		for _, row := range table.rows {
			if !row.isAdded {
				rows++
			}
		}
		if rows != expected[table.name] {
			t.Errorf("%s has %d rows of the document, not %d", table.name, rows, expected[table.name])
		}
	}
}

// The rates and the times of the document are consistent if KB and MB are powers of 1,000, and not if they are of 1,024.
func TestThePublishedRatesCountThousands(t *testing.T) {
	for i, row := range document[0].rows {
		for column := range 2 {
			var time, rate float64
			var unit string
			if _, err := fmt.Sscan(row.published[column], &time, &unit); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscan(row.published[column+2], &rate); err != nil {
				t.Fatal(err)
			}
			seconds := time * map[string]float64{"µs": 1e-6, "ms": 1e-3}[unit]
			computed := float64(studyPlan.sizes[i].amount) / 1e6 / seconds
			if math.Abs(computed/rate-1) > 0.01 {
				t.Errorf("%s in %s are %.1f MB/s, not %s", row.name, row.published[column], computed, row.published[column+2])
			}
		}
	}
}

func TestThePlanHasTheNumbersOfTheDocument(t *testing.T) {
	rows := map[string]row{}
	for _, table := range document {
		for _, row := range table.rows {
			rows[table.name+" "+row.name] = row
		}
	}
	starts := func(name, number string) {
		if row, found := rows[name]; !found || !strings.HasPrefix(row.published[0], number) {
			t.Errorf("%s: the document has %q, the plan %s", name, row.published, number)
		}
	}
	starts("samples seed", fmt.Sprint(seed))
	starts("samples records", count(studyPlan.pressure))
	starts("rounds sanity", count(studyPlan.sanity)+":")
	starts("rounds pressure", count(studyPlan.pressure)+":")
	starts("rounds regression", count(studyPlan.regression)+":")
	starts("score response time", fmt.Sprintf("%.0f %%", responseWeight))
	starts("score throughput", fmt.Sprintf("%.0f %%", throughputWeight))
	starts("score error rate", fmt.Sprintf("%.0f %%", errorWeight))
	starts("score resources", fmt.Sprintf("%.0f %%", resourceWeight))
	starts("goal 1,000 requests of 1 KB", fmt.Sprintf("under %d ms", goal.Milliseconds()))
	if !strings.Contains(source, fmt.Sprintf(" %d repetitions", studyPlan.repetitions)) || studyPlan.requests != 1_000 {
		t.Error(studyPlan.repetitions, studyPlan.requests)
	}
	for name, sizes := range map[string][]size{
		"sizes": studyPlan.sizes, "classes": studyPlan.classes, "lengths": studyPlan.lengths, "goal": studyPlan.requestSizes,
	} {
		for _, s := range sizes {
			if _, found := rows[name+" "+s.name]; !found {
				t.Errorf("%s: the document has no row %q", name, s.name)
			}
		}
	}
}

// quickPlan is the study's plan with as much work as a test has time for. The names of rows are the same.
func quickPlan() plan {
	p := studyPlan
	p.repetitions = 1
	p.sizes = []size{{"1 KB", 1_000}, {"1 MB", 10_000}, {"10 MB", 100_000}}
	p.classes = []size{{"light", 10}, {"medium", 100}, {"heavy", 1_000}}
	p.requests, p.texts = 100, 10
	return p
}

func TestAShortRunFillsTheReport(t *testing.T) {
	for _, m := range modes[1:] {
		t.Run(m.name, func(t *testing.T) {
			p := quickPlan()
			p.mode = m
			archived, err := readBaseline("")
			if err != nil {
				t.Fatal(err)
			}
			r, made, err := measure(p, archived, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			for _, table := range document {
				for _, row := range table.rows {
					for _, column := range table.columns {
						for _, e := range engines {
							name := e.name
							if table.isOfData {
								name = ""
							}
							if _, found := r[place{table.name, row.name, column, name}]; !found && e.name != "tjfoc-functions" {
								t.Errorf("%s, %s, %s: %s has no cell", table.name, row.name, column, e.name)
							}
						}
					}
				}
			}
			for _, e := range engines {
				count := len(e.modes)
				expectCell(t, r, place{"rounds", "sanity", "Plan", e.name}, fmt.Sprintf("%d of %d right", 100*count, 100*count))
				expectCell(t, r, place{"rounds", "regression", "Plan", e.name}, fmt.Sprintf("500 records: same output in %d of %d modes", count, count))
			}
			if made.Mode != m.name || made.Medians["tjfoc"] < 1 {
				t.Errorf("%+v", made)
			}
		})
	}
}

func expectCell(t *testing.T, r results, p place, text string) {
	t.Helper()
	if r[p].text != text {
		t.Errorf("%v has %q, not %q", p, r[p].text, text)
	}
}

func TestAChangedOutputIsSeenByRegression(t *testing.T) {
	archived, err := readBaseline("")
	if err != nil {
		t.Fatal(err)
	}
	for i := range archived.Outputs {
		if archived.Outputs[i].Mode == "cbc" {
			archived.Outputs[i].SHA256 = strings.Repeat("0", 64)
		}
	}
	text, err := checkRegression(engines[0], studyPlan, archived, 1)
	if err != nil || text != "500 records: same output in 3 of 4 modes" {
		t.Error(text, err)
	}
}

func TestRegressionComparesTimesOfTheSameProcessorAndMode(t *testing.T) {
	archived, err := readBaseline("")
	if err != nil {
		t.Fatal(err)
	}
	archived.CPU, archived.Mode, archived.Medians = cpuName(), "cbc", map[string]int64{"tjfoc": 400}
	text, err := checkRegression(engines[0], studyPlan, archived, 800)
	if err != nil || !strings.HasSuffix(text, "; 2.00 × the baseline's time") {
		t.Error(text, err)
	}
	archived.CPU = "another one"
	if text, err = checkRegression(engines[0], studyPlan, archived, 800); err != nil || strings.Contains(text, "time") {
		t.Error(text, err)
	}
}

func TestAnArchivedBaselineIsReadAgainAndNeverReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "baseline.json")
	made, err := newBaseline(studyPlan)
	if err != nil {
		t.Fatal(err)
	}
	made.Medians = map[string]int64{"tjfoc": 400}
	if err := made.write(path); err != nil {
		t.Fatal(err)
	}
	if err := made.write(path); !os.IsExist(err) {
		t.Errorf("the second time: %v", err)
	}
	again, err := readBaseline(path)
	if err != nil || again.Medians["tjfoc"] != 400 || len(again.Outputs) != len(made.Outputs) {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestABaselineOfAnotherSeedIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "baseline.json")
	if err := (baseline{Seed: 43}).write(path); err != nil {
		t.Fatal(err)
	}
	if _, err := readBaseline(path); err == nil {
		t.Error("it was read")
	}
}

func TestTwiceAsSlowHasHalfThePointsForTime(t *testing.T) {
	best := pressure{median: time.Microsecond, rate: 1e6, records: 1_000, memory: 1_000}
	slow := pressure{median: 2 * time.Microsecond, rate: 5e5, records: 1_000, memory: 1_000}
	all := scores([]pressure{best, slow})
	if all[0] != (score{40, 30, 20, 10}) || all[1] != (score{20, 15, 20, 10}) {
		t.Error(all)
	}
}

func TestErrorsAndMemoryCostTheirParts(t *testing.T) {
	best := pressure{median: time.Microsecond, rate: 1e6, records: 1_000, memory: 1_000}
	bad := best
	bad.errors, bad.memory = 500, 4_000
	if all := scores([]pressure{best, bad}); all[1] != (score{40, 30, 10, 2.5}) {
		t.Error(all)
	}
}

func TestRequestsAtOnceHaveTheCiphertextsOfOneAlone(t *testing.T) {
	for _, m := range modes {
		opened, err := openEngines(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range opened {
			if err := compareRequests(e, m, makeRequests(200, 1_000), makeText(1_000)); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestACompressedTextComesBack(t *testing.T) {
	c := newCompressor()
	for _, length := range studyPlan.lengths {
		text := makeText(length.amount)
		for _, m := range modes {
			opened, err := openEngines(m)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range opened {
				compressed, err := e.cipher.decrypt(nil, e.cipher.encrypt(nil, c.compress(text)))
				if err != nil {
					t.Fatal(err)
				}
				if decompressed, err := decompress(compressed, length.amount); err != nil || string(decompressed) != string(text) {
					t.Errorf("%s, %s, %s: %d bytes, %v", length.name, m.name, e.name, len(decompressed), err)
				}
			}
		}
	}
}

func TestADecompressedTextHasABound(t *testing.T) {
	if _, err := decompress(newCompressor().compress(make([]byte, 1_001)), 1_000); err == nil {
		t.Error("1,001 bytes came out")
	}
}

func TestNumbersHaveUnitsAndCommas(t *testing.T) {
	for expected, got := range map[string]string{
		"0 ns":       formatDuration(0),
		"8.20 µs":    formatDuration(8_200 * time.Nanosecond),
		"999 µs":     formatDuration(999 * time.Microsecond),
		"1.00 ms":    formatDuration(999_600 * time.Nanosecond),
		"10.0 ms":    formatDuration(9_996 * time.Microsecond),
		"1,234 s":    formatDuration(1_234 * time.Second),
		"16.0 bytes": formatBytes(16),
		"1.50 KB":    formatBytes(1_500),
		"12,345,678": digits(12_345_678),
		"1,000":      count(1_000),
		"999":        count(999),
	} {
		if got != expected {
			t.Errorf("%s, not %s", got, expected)
		}
	}
}

func TestTheMedianIsOneOfTheMeasured(t *testing.T) {
	durations := []time.Duration{5, 1, 4, 2, 3}
	if median(durations) != 3 || percentile(durations, 95) != 5 || percentile(durations, 100) != 5 || percentile(durations, 1) != 1 {
		t.Error(median(durations), percentile(durations, 95), percentile(durations, 1))
	}
	if durations[0] != 5 {
		t.Error("sorted in place")
	}
}

func TestARatioIsToTheFirstEngine(t *testing.T) {
	at := func(engine string) place { return place{"sizes", "1 KB", "ECB", engine} }
	r := results{at("tjfoc"): durationCell(8 * time.Microsecond), at("emmansun"): durationCell(2 * time.Microsecond)}
	if r.speedup(at("emmansun")) != " (4.00 ×)" || r.speedup(at("tjfoc")) != "" || r.speedup(at("nobody")) != "" {
		t.Error(r.speedup(at("emmansun")), r.speedup(at("tjfoc")))
	}
}
