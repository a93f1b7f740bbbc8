package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// results are the cells that a run measured.
type results map[place]cell

// A place is a cell of the report. In a table that is not about engines, engine is empty.
type place struct {
	table, row, column, engine string
}

// A cell is a measurement as text, and how fast it is, for the ratio to the first engine. Zero is no speed.
type cell struct {
	text  string
	speed float64
}

// speedup is how many times as fast as the first engine of this run a cell is, or nothing.
func (r results) speedup(p place) string {
	own, first := r[p], r[place{p.table, p.row, p.column, engines[0].name}]
	if p.engine == engines[0].name || own.speed == 0 || first.speed == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s ×)", digits(own.speed/first.speed))
}

func durationCell(d time.Duration) cell {
	return cell{formatDuration(d), 1 / d.Seconds()}
}

func rateCell(rate float64) cell {
	return cell{digits(rate), rate}
}

func median(durations []time.Duration) time.Duration {
	return percentile(durations, 50)
}

// percentile is the shortest of the durations that at least so many percent do not exceed.
func percentile(durations []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(durations))
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}

// formatDuration writes a duration with its unit and two or three digits.
func formatDuration(d time.Duration) string {
	return formatUnit(float64(d.Nanoseconds()), "ns", "µs", "ms", "s")
}

// formatBytes writes a number of bytes in decimal units.
func formatBytes(count float64) string {
	return formatUnit(count, "bytes", "KB", "MB", "GB")
}

// formatUnit writes a value in the first of the units, each 1,000 of the one before, that leaves less than 1,000.
func formatUnit(value float64, units ...string) string {
	unit := 0
	// A value that rounds to the next unit's 1 is written in that unit.
	for value >= 999.5 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	return digits(value) + " " + units[unit]
}

// digits writes a number with at least three digits, and a comma between thousands.
func digits(value float64) string {
	switch {
	case value == 0:
		return "0"
	case value < 9.995:
		return strconv.FormatFloat(value, 'f', 2, 64)
	case value < 99.95:
		return strconv.FormatFloat(value, 'f', 1, 64)
	}
	return grouped(strconv.FormatFloat(value, 'f', 0, 64))
}

// grouped puts a comma between thousands.
func grouped(number string) string {
	var parts []string
	for len(number) > 3 {
		parts = append(parts, number[len(number)-3:])
		number = number[:len(number)-3]
	}
	parts = append(parts, number)
	slices.Reverse(parts)
	return strings.Join(parts, ",")
}

func count(number int) string { return grouped(strconv.Itoa(number)) }
