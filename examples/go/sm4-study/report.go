package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// measure runs the whole plan. It returns the cells of the report, and the baseline of this run.
func measure(p plan, archived baseline, progress io.Writer) (results, baseline, error) {
	r := results{}
	step := func(name string) { fmt.Fprintln(progress, "sm4-study:", name) }
	step("samples and rounds")
	measureSamples(p, r)
	made, err := measureRounds(p, archived, r)
	if err != nil {
		return nil, made, err
	}
	for _, part := range []struct {
		name    string
		measure func(plan, results) error
	}{
		{"sizes", measureSizes},
		{"classes of workload", measureClasses},
		{"compress, then encrypt", measureLengths},
		{"concurrent requests", measureRequests},
		{"advice", measureAdvice},
	} {
		step(part.name)
		if err := part.measure(p, r); err != nil {
			return nil, made, err
		}
	}
	return r, made, nil
}

// writeReport prints all tables in Markdown.
func writeReport(out io.Writer, p plan, r results) error {
	var text strings.Builder
	fmt.Fprintf(&text, "# SM4 in Go: the study, and this run\n\n")
	fmt.Fprintf(&text, "- *published*: %s\n", source)
	fmt.Fprintf(&text, "- this run: %s, %d threads, %s, %s/%s; repetitions: %s; records, texts and requests in %s\n",
		cpuName(), runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS, runtime.GOARCH, count(p.repetitions), p.mode.title())
	for _, e := range engines {
		fmt.Fprintf(&text, "- %s: %s %s\n", e.name, e.module, e.version())
	}
	fmt.Fprintf(&text, "\nRatios are to %s in this run. Published times are from another machine, and only context.\n", engines[0].name)
	for _, t := range document {
		fmt.Fprintf(&text, "\n## %s\n\n%s\n", t.title, t.note)
		for i := range t.columns {
			t.writeColumn(&text, i, r)
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// writeColumn prints one column of the document, with the engines of this run beside it.
func (t table) writeColumn(out io.Writer, column int, r results) {
	names := []string{"here"}
	if !t.isOfData {
		names = names[:0]
		for _, e := range engines {
			names = append(names, e.name)
		}
	}
	fmt.Fprintf(out, "\n| %s | published | %s |\n|%s\n", t.columns[column], strings.Join(names, " | "), strings.Repeat("---|", len(names)+2))
	for _, row := range t.rows {
		cells := []string{row.name, row.published[column]}
		for _, name := range names {
			if t.isOfData {
				name = ""
			}
			p := place{t.name, row.name, t.columns[column], name}
			text := absent
			if measured, found := r[p]; found {
				text = measured.text + r.speedup(p)
			}
			cells = append(cells, text)
		}
		for i, text := range cells {
			cells[i] = strings.ReplaceAll(text, "|", `\|`)
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
}

// cpuName is the processor's name, where the system has it in /proc/cpuinfo.
func cpuName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "a processor without a name (" + runtime.GOARCH + ")"
}
