// Sm4-study repeats a published study of SM4 in Go, with both gmsm libraries and Sealstone, and prints the study's tables with
// what it measured beside the published numbers. README.md says what each table shows.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "sm4-study:", err)
		os.Exit(1)
	}
}

func run() error {
	p := studyPlan
	flag.IntVar(&p.repetitions, "repetitions", p.repetitions, "how often each operation is measured; the report has medians")
	modeName := flag.String("mode", p.mode.name, "the mode of records, texts and requests: ecb, cbc, ctr or gcm")
	baselinePath := flag.String("baseline", "", "compare with the baseline in this `file`, instead of the example's own")
	archivePath := flag.String("archive", "", "write this run's baseline to this new `file`")
	outputPath := flag.String("o", "", "write the report to this `file`, instead of the standard output")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("%q is no option; -help lists them", flag.Arg(0))
	}
	if p.repetitions < 1 || p.repetitions > 10_000 {
		return errors.New("-repetitions is from 1 to 10,000")
	}
	var err error
	if p.mode, err = modeNamed(*modeName); err != nil {
		return err
	}
	archived, err := readBaseline(*baselinePath)
	if err != nil {
		return err
	}

	r, made, err := measure(p, archived, os.Stderr)
	if err != nil {
		return err
	}
	if *archivePath != "" {
		if err := made.write(*archivePath); err != nil {
			return err
		}
	}
	if *outputPath == "" {
		return writeReport(os.Stdout, p, r)
	}
	var report bytes.Buffer
	if err := writeReport(&report, p, r); err != nil {
		return err
	}
	return os.WriteFile(*outputPath, report.Bytes(), 0o666)
}
